import { ApiError } from '../../conventions/errors.ts';
import type { Json } from '../../conventions/json/json.ts';
import { callerFills, fillError } from '../../plan/policy/caller-fills.ts';
import { creationError, EVERY_FIELD, withHiddenFields } from '../../plan/policy/field-permission.ts';
import type { FieldValues, Row } from '../../plan/plan.ts';
import { createDraft, type Draft, type DraftRule, judgedDraft } from '../../plan/write/draft.ts';
import { refusedTransition } from '../../plan/write/state-transition.ts';
import { ConversionError } from '../../model/values/conversion-error.ts';
import type { ResourceMapping } from '../../versions/resource-mapping.ts';
import { conversionDetail, olderContractDetail, olderContractError } from './refusals/older-contract-error.ts';
import { checkRowSize } from './refusals/row-size.ts';
import type { WriteTarget } from './write.ts';

/** Makes the rule by which a body becomes a draft. */
export function draftRule({ system, callerResource, terms }: WriteTarget): DraftRule {
  const { resource, validator, checkUrl } = callerResource;
  const scopeError = (scope: string): ApiError | null => system.accessError([{ kind: 'scope', scope }]);
  const { row } = system.contract.model.limits;
  const checkSize: DraftRule['checkSize'] = (values, current) => checkRowSize(resource, row, values, current);
  const permission = system.permission.fields(resource.name);
  const { lenient } = terms;
  const fills = callerFills(resource, system.principal);
  return { resource, validator, checkUrl, lenient, scopeError, checkSize, permission, fills };
}

/** Makes the draft of a new row, with the defaults of fields that the caller may not read. */
export function newDraft(target: WriteTarget, body: Json): Draft {
  const { system, systemResource, within } = target;
  const { resource } = systemResource;
  const permission = system.permission.fields(resource.name);
  const error = creationError(storedMapping(target)?.older ?? resource, permission);
  if (error !== null) return { kind: 'conflict', error, candidate: {} };
  const lacking = fillError(resource, callerFills(resource, system.principal), (name) => shownName(target, name));
  if (lacking !== null) return { kind: 'conflict', error: lacking, candidate: {} };
  return completeDraft(target, createDraft(draftRule(target), body, within), null);
}

/** The name of a stored field for the caller; null if its contract or its permission does not show it. */
function shownName(target: WriteTarget, name: string): string | null {
  if (storedHidden(target).has(name)) return null;
  const mapping = storedMapping(target);
  return mapping === null ? name : mapping.nameOf(name);
}

/**
 * Completes a draft with the fields that the caller does not know: those that it may not read, and those of newer
 * contracts.
 *
 * @param current null for a new row
 */
export function completeDraft(target: WriteTarget, draft: Draft, current: Row | null): Draft {
  if (draft.kind !== 'valid') return draft;
  const { system, systemResource } = target;
  const mapping = storedMapping(target);
  if (mapping !== null) return storedDraft(target, draft, mapping, current);
  const { resource } = systemResource;
  const permission = system.permission.fields(resource.name);
  const fills = current === null ? callerFills(resource, system.principal) : {};
  return { ...draft, values: withHiddenFields(resource, permission, { values: draft.values, current, fills }) };
}

/**
 * Translates a draft of an older contract to the newest one, which judges it again (VER-5). Errors are in the terms of
 * the older one.
 */
function storedDraft(
  target: WriteTarget,
  draft: Extract<Draft, { kind: 'valid' }>,
  mapping: ResourceMapping,
  current: Row | null,
): Draft {
  const stored = findStored(target, draft.values, mapping, current);
  if ('kind' in stored) return stored;
  const judged = judgedDraft(storedRule(target), startingState(target, stored.values, current), current);
  switch (judged.kind) {
    case 'valid':
      return { ...judged, id: draft.id };
    case 'invalid':
      return {
        kind: 'invalid',
        details: judged.details.map((detail) => olderContractDetail(detail, mapping)),
        candidate: draft.values,
      };
    case 'conflict': {
      const error = stateError(target, draft.values, mapping, current) ?? olderContractError(judged.error, target);
      return { kind: 'conflict', error: error instanceof ApiError ? error : judged.error, candidate: draft.values };
    }
  }
}

/** The stored values of a draft, or the draft as invalid if one of its values has no counterpart. */
function findStored(
  target: WriteTarget,
  values: FieldValues,
  mapping: ResourceMapping,
  current: Row | null,
): { readonly values: FieldValues } | Extract<Draft, { kind: 'invalid' }> {
  try {
    return { values: mapping.up(values, current) };
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    return { kind: 'invalid', details: [conversionDetail(error, target)], candidate: values, cause: error };
  }
}

/**
 * Describes a refused change of the state in the states of the older contract; null if the newest one refuses something
 * else.
 */
function stateError(
  { callerResource: { resource } }: WriteTarget,
  values: FieldValues,
  mapping: ResourceMapping,
  current: Row | null,
): ApiError | null {
  const { state } = resource;
  if (state === null || current === null) return null;
  const [from, to] = [mapping.down(current)[state.field], values[state.field]];
  return from === to || typeof from !== 'string' || typeof to !== 'string'
    ? null
    : refusedTransition(resource, from, to);
}

/**
 * Starts a new row in the initial state of the newest contract: the older one's initial state may stand for another
 * state.
 */
function startingState(
  { systemResource, callerResource }: WriteTarget,
  values: FieldValues,
  current: Row | null,
): FieldValues {
  const { state } = systemResource.resource;
  if (current !== null || state === null || callerResource.resource.state === null) return values;
  return { ...values, [state.field]: state.initial };
}

/**
 * Makes the rule for stored values that are written through an older contract. No permission checks the fields that it
 * lacks: they are kept.
 */
function storedRule(target: WriteTarget): DraftRule {
  const rule = { ...draftRule({ ...target, callerResource: target.systemResource }), permission: EVERY_FIELD };
  const checkSize: DraftRule['checkSize'] = (values, current) => {
    try {
      rule.checkSize(values, current);
    } catch (error) {
      throw olderContractError(error, target);
    }
  };
  return { ...rule, checkSize };
}

/** Refuses stored values that make a row too large. @throws {ApiError} REQUEST_BODY_TOO_LARGE */
export function checkStoredSize(target: WriteTarget, values: FieldValues, current: Row | null): void {
  const rule = storedMapping(target) === null ? draftRule(target) : storedRule(target);
  rule.checkSize(values, current);
}

/** The mapping to the stored rows of the target; null if its contract has them as they are stored. */
export function storedMapping({ caller, systemResource }: WriteTarget): ResourceMapping | null {
  return caller.contract.mapping?.resources.get(systemResource.resource.name) ?? null;
}

/** The stored fields that the caller may not read, or that its contract does not know (REP-11, VER-5). */
export function storedHidden(target: WriteTarget): ReadonlySet<string> {
  const { hidden } = target.system.permission.fields(target.systemResource.resource.name);
  return storedMapping(target)?.hiddenFields(hidden) ?? hidden;
}
