import { ApiError, apiError } from '../../conventions/errors.ts';
import type { Json } from '../../conventions/json/json.ts';
import { jsonEquals } from '../../conventions/json/json-equality.ts';
import { evaluateWrite, hasWriteCondition } from '../../conventions/headers/preconditions.ts';
import { timestamp } from '../../conventions/text/timestamp.ts';
import type { EventOrigin } from '../../plan/events/change-event.ts';
import { referencesIn } from '../../plan/write/body-references.ts';
import { createDraft, type Draft, type DraftRule, judgedDraft } from '../../plan/write/draft.ts';
import { creationError, EVERY_FIELD, withHiddenFields } from '../../plan/policy/field-permission.ts';
import { refusedTransition } from '../../plan/write/state-transition.ts';
import type { Ancestor, ExpectedStamp, FieldValues, Row, WritePlan } from '../../plan/plan.ts';
import { hiddenMembers } from '../read/hidden-members.ts';
import type { CompiledResource, Contract } from '../../contract/contract.ts';
import type { Negotiated } from '../../pipeline/negotiate.ts';
import { preconditionFailed } from '../../represent/conditional-response.ts';
import type { Services, WriteServices } from '../../pipeline/services.ts';
import type { CommitTiming } from './commits.ts';
import type { ParsedBody } from './parsed-body.ts';
import { checkRowSize } from './row-size.ts';
import { olderContractDetail, olderContractError } from './older-contract-error.ts';
import { DANGLING, invalid } from './write-refusal.ts';
import type { WriteResult } from './write-result.ts';
import type { ResourceMapping } from '../../versions/resource-mapping.ts';

/** A write and the collection that it concerns. `within` are the rows above, nearest first. */
export interface WriteTarget {
  /** Its contract is the newest one with every field, and its rows are those: hooks and cascades see them all. */
  readonly request: Negotiated;
  /** The contract of the caller, which may be older, and lack fields that the caller may not read. */
  readonly contract: Contract;
  readonly compiled: CompiledResource;
  /** The resource in the caller's contract: what its body is checked by, and what its errors name. */
  readonly shown: CompiledResource;
  readonly within: readonly Ancestor[];
}

/** A write to one resource. */
export interface ItemTarget extends WriteTarget {
  readonly id: string;
}

/** A write prepared against the current rows: what the store is asked to do, and what that does. */
export interface PreparedWrite {
  readonly plans: readonly WritePlan[];
  /** What hooks have read to make the plans. */
  readonly expectStamps: readonly ExpectedStamp[];
  /** What decided, besides the rows that are written, that the caller may write them. */
  readonly judgedBy: readonly ExpectedStamp[];
  readonly result: WriteResult;
}

/** A requested write, alone, in a batch or on a line: everything about it that does not depend on the rows. */
export interface WriteOperation extends WriteTarget {
  /** The row that it changes; null where it creates one. */
  readonly id: string | null;
  readonly takesBody: boolean;
  /** Steps 14 to 16 without the body: for a client that waits for `100 Continue`. @throws {ApiError} 404, 412, 428 */
  precheck(services: WriteServices): Promise<void>;
  /** Deletes what cannot be deleted with the row, after steps 14 to 16. Not for dry runs, nor within an atomic batch. @throws {ApiError} 404, 403, 412, 428, 503 */
  clear?(services: WriteServices & Pick<Services, 'commits'>, timing: CommitTiming): Promise<void>;
  /**
   * Steps 14 to 18, repeated each time that the rows have changed meanwhile.
   *
   * @param body null where it takes none
   * @param firstPlan the index that the first of its plans has in the unit
   */
  prepare(body: ParsedBody | null, firstPlan: number, services: WriteServices): Promise<PreparedWrite>;
}

/** How a body of this write becomes a draft. */
export function draftRule({ request, shown }: WriteTarget): DraftRule {
  const { resource, validator, checkUrl } = shown;
  const scopeError = (scope: string): ApiError | null => request.accessError([{ kind: 'scope', scope }]);
  const { row } = request.contract.model.limits;
  const checkSize: DraftRule['checkSize'] = (values, current) => checkRowSize(resource, row, values, current);
  const permission = request.permission.fields(resource.name);
  const lenient = request.preferences.handling === 'lenient';
  return { resource, validator, checkUrl, lenient, scopeError, checkSize, permission };
}

/** The draft of a new row, with the defaults of fields that the caller may not read. */
export function newDraft(target: WriteTarget, body: Json): Draft {
  const { request, compiled, within } = target;
  const permission = request.permission.fields(compiled.resource.name);
  const error = creationError(mappingOf(target)?.older ?? compiled.resource, permission);
  if (error !== null) return { kind: 'conflict', error, candidate: {} };
  return completeDraft(target, createDraft(draftRule(target), body, within), null);
}

/**
 * A draft with the fields that the caller does not know: those that it may not read, and those of newer contracts.
 *
 * @param current null for a new row
 */
export function completeDraft(target: WriteTarget, draft: Draft, current: Row | null): Draft {
  if (draft.kind !== 'valid') return draft;
  const { request, compiled } = target;
  const mapping = mappingOf(target);
  if (mapping !== null) return storedDraft(target, draft, mapping, current);
  const { resource } = compiled;
  const permission = request.permission.fields(resource.name);
  return { ...draft, values: withHiddenFields(resource, permission, draft.values, current) };
}

/** A draft of an older contract in the newest one, which judges it again (VER-5). Its errors name what the older one knows. */
function storedDraft(
  target: WriteTarget,
  draft: Extract<Draft, { kind: 'valid' }>,
  mapping: ResourceMapping,
  current: Row | null,
): Draft {
  const judged = judgedDraft(
    storedRule(target),
    startingState(target, mapping.up(draft.values, current), current),
    current,
  );
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
      const error = stateErrorOf(target, draft.values, mapping, current) ?? olderContractError(judged.error, target);
      return { kind: 'conflict', error: error instanceof ApiError ? error : judged.error, candidate: draft.values };
    }
  }
}

/** Why the newest contract refuses a change of the state, in the states of the older one; null where it refuses something else. */
function stateErrorOf(
  { shown: { resource } }: WriteTarget,
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

/** A new row that starts as the older contract has it starts as the newest one does: the value that is shown for its initial state may mean another state. */
function startingState({ compiled, shown }: WriteTarget, values: FieldValues, current: Row | null): FieldValues {
  const { state } = compiled.resource;
  if (current !== null || state === null || shown.resource.state === null) return values;
  return { ...values, [state.field]: state.initial };
}

/** How stored values that are written through an older contract are judged. What that contract does not have is checked by no permission: it is kept. */
function storedRule(target: WriteTarget): DraftRule {
  const rule = { ...draftRule({ ...target, shown: target.compiled }), permission: EVERY_FIELD };
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
  const rule = mappingOf(target) === null ? draftRule(target) : storedRule(target);
  rule.checkSize(values, current);
}

/** How the rows of the target are stored, where its contract has them otherwise. */
export function mappingOf({ contract, compiled }: Pick<WriteTarget, 'contract' | 'compiled'>): ResourceMapping | null {
  return contract.mapping?.resources.get(compiled.resource.name) ?? null;
}

/** Who writes, and when: what rows and events of this request carry. */
export function originOf({ exchange, principal }: Negotiated, { sources }: Pick<Services, 'sources'>): EventOrigin {
  return {
    correlationId: exchange.correlationId,
    traceId: exchange.trace.traceId,
    actor: principal.subject,
    writer: { issuer: principal.issuer, subject: principal.subject, client: principal.client },
    at: timestamp(sources.writtenAt()),
  };
}

/** The row that a plan makes, without reading it again: the members in their order, as the store would return it. */
export async function writtenRow(
  { request, compiled: { resource }, within }: WriteTarget,
  system: Pick<Row, 'id' | 'created_at' | 'updated_at' | 'revision'>,
  values: FieldValues,
): Promise<Row> {
  const { id, created_at, updated_at, revision } = system;
  const fields: Record<string, Json> = { id };
  for (const { name } of resource.fields) fields[name] = values[name] ?? null;
  const { resources } = request.contract.model;
  // What a representation says of the rows it refers to is the same for all who see it, and may lie below rows that this caller does not see.
  const rows = request.rows.unrestricted();
  const source = { resources, lookup: rows.lookup.bind(rows) };
  const hidden = await hiddenMembers(resource, { values: fields, within }, source);
  return { ...fields, id, created_at, updated_at, revision, ...hidden };
}

/**
 * Step 16 for the current row (CACHE-3); null is a row that this method would create.
 *
 * @throws {ApiError} 412, 428
 */
export function checkPreconditions({ request, shown }: WriteTarget, current: Row | null): void {
  const { resource } = shown;
  if (current !== null && resource.requireIfMatch && !hasWriteCondition(request.preconditions)) {
    throw apiError(
      'REQUEST_PRECONDITION_REQUIRED',
      'Send If-Match with the ETag that you read, so that no change is lost.',
      { details: [{ field: 'If-Match', message: 'is required' }] },
    );
  }
  if (evaluateWrite(request.preconditions, current) === 'failed') throw preconditionFailed(resource);
}

/**
 * The error of a draft that cannot be written: all validation errors of an invalid one, with its references to nothing (ERR-3, MET-10).
 *
 * @param ownId the id that a new row would have, where it is known: a row may refer to itself
 * @param current the row as it is: a reference that it has already may be to a hidden row; null for a new one
 */
export async function draftError(
  { request, shown, within }: WriteTarget,
  draft: Exclude<Draft, { kind: 'valid' }>,
  ownId: Json = null,
  current: Row | null = null,
): Promise<ApiError> {
  const { resource } = shown;
  const details = draft.kind === 'invalid' ? draft.details : [];
  const invalidFields = new Set(details.map(({ field }) => field));
  // An error of a list as a whole comes first; the references of its items are checked once it is valid.
  const references = referencesIn(resource, draft.candidate, within).filter(
    ({ field, resource: name, id }) =>
      !invalidFields.has(field) &&
      !invalidFields.has(fieldOf(field)) &&
      !isKept(draft.candidate, current, fieldOf(field)) &&
      !(name === resource.name && id === ownId),
  );
  const missing = await request.rows.missingReferences(references);
  const dangling = references.filter((one) =>
    missing.some(({ resource: name, id }) => one.resource === name && one.id === id),
  );
  if (draft.kind === 'conflict' && dangling.length === 0) return draft.error;
  return invalid(resource, [...details, ...dangling.map(({ field }) => ({ field, message: DANGLING }))]);
}

/** The field of a reference, which may be an item of a list: `related_ids[2]`. */
export function fieldOf(reference: string): string {
  return reference.replace(/\[\d+\]$/, '');
}

/** Whether a write leaves a field as it is. @param current null for a new row */
export function isKept(values: FieldValues, current: FieldValues | null, field: string): boolean {
  return current !== null && jsonEquals(values[field] ?? null, current[field] ?? null);
}
