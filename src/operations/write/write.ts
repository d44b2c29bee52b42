import { ApiError } from '../../conventions/errors.ts';
import type { Json } from '../../conventions/json/json.ts';
import { jsonEquals } from '../../conventions/json/json-equality.ts';
import { evaluateWrite, hasWriteCondition, type Preconditions } from '../../conventions/headers/preconditions.ts';
import type { Method } from '../../conventions/methods.ts';
import { timestamp } from '../../conventions/text/timestamp.ts';
import type { CompiledResource } from '../../contract/contract.ts';
import type { HookServices } from '../../model/hooks.ts';
import type { EventContext, EventOrigin } from '../../plan/events/change-event.ts';
import { referencesIn } from '../../plan/write/body-references.ts';
import { createDraft, type Draft, type DraftRule, judgedDraft } from '../../plan/write/draft.ts';
import { creationError, EVERY_FIELD, withHiddenFields } from '../../plan/policy/field-permission.ts';
import { refusedTransition } from '../../plan/write/state-transition.ts';
import type { Ancestor, ExpectedStamp, FieldValues, Row, WritePlan } from '../../plan/plan.ts';
import type { ResourceMapping } from '../../versions/resource-mapping.ts';
import type { Caller } from '../caller.ts';
import type { ETags } from '../etags.ts';
import { DANGLING, invalid, preconditionFailed, preconditionRequired } from '../failures.ts';
import { hiddenMembers } from '../read/hidden-members.ts';
import type { Sources } from '../sources.ts';
import type { Commits, CommitTiming } from './commits.ts';
import type { ParsedBody } from './parsed-body.ts';
import { checkRowSize } from './row-size.ts';
import { olderContractDetail, olderContractError } from './older-contract-error.ts';
import type { WriteResult } from './write-result.ts';

/** Services that prepare a write. */
export interface WriteServices {
  readonly sources: Sources;
  readonly etags: ETags;
  readonly events: EventContext;
  /** Members of the context of hooks, from the application. */
  readonly application: HookServices;
}

/** Services that prepare and commit a write. */
export interface CommitServices extends WriteServices {
  readonly commits: Commits;
}

/** The terms of a write, besides its body. */
export interface WriteTerms {
  readonly method: Method;
  readonly preconditions: Preconditions;
  /** True if unknown members of the body are ignored (REP-5). */
  readonly lenient: boolean;
  /** True if the body is a JSON Patch. */
  readonly isJsonPatch: boolean;
}

/**
 * A write to a collection, by one caller in two contracts. The caller's decides what its body may say and what its
 * errors name. The system's is the newest one with every field: it judges the stored values.
 */
export interface WriteTarget {
  readonly caller: Caller;
  /** The same caller, visibility and permission in the newest contract with every field. Its rows are as stored. */
  readonly system: Caller;
  /** The resource in the caller's contract. */
  readonly callerResource: CompiledResource;
  /** The resource in the system's contract. */
  readonly systemResource: CompiledResource;
  /** The rows above, nearest first. */
  readonly within: readonly Ancestor[];
  readonly terms: WriteTerms;
}

/** A write to one resource. */
export interface ItemTarget extends WriteTarget {
  readonly id: string;
}

/** A write prepared against the current rows: its plans for the store, and its result. */
export interface PreparedWrite {
  readonly plans: readonly WritePlan[];
  /** The stamps of resources that hooks have read to make the plans. */
  readonly expectStamps: readonly ExpectedStamp[];
  /** The stamps of resources that decided, besides the written rows, that the caller may write them. */
  readonly judgedBy: readonly ExpectedStamp[];
  readonly result: WriteResult;
}

/** A write, alone, in a batch or on a line, before any row is read. */
export interface WriteOperation extends WriteTarget {
  /** The row that it changes; null where it creates one. */
  readonly id: string | null;
  readonly takesBody: boolean;
  /** Steps 14 to 16 without the body: for a client that waits for `100 Continue`. @throws {ApiError} 404, 412, 428 */
  precheck(services: WriteServices): Promise<void>;
  /**
   * Deletes rows that are too many for the unit, after steps 14 to 16. Not for dry runs, nor within an atomic batch.
   *
   * @throws {ApiError} 404 to 503
   */
  clear?(services: CommitServices, timing: CommitTiming): Promise<void>;
  /**
   * Steps 14 to 18, repeated each time that the rows have changed meanwhile.
   *
   * @param body null if it takes none
   * @param firstPlan the index that the first of its plans has in the unit
   */
  prepare(body: ParsedBody | null, firstPlan: number, services: WriteServices): Promise<PreparedWrite>;
}

/** Makes the rule by which a body becomes a draft. */
export function draftRule({ system, callerResource, terms }: WriteTarget): DraftRule {
  const { resource, validator, checkUrl } = callerResource;
  const scopeError = (scope: string): ApiError | null => system.accessError([{ kind: 'scope', scope }]);
  const { row } = system.contract.model.limits;
  const checkSize: DraftRule['checkSize'] = (values, current) => checkRowSize(resource, row, values, current);
  const permission = system.permission.fields(resource.name);
  const { lenient } = terms;
  return { resource, validator, checkUrl, lenient, scopeError, checkSize, permission };
}

/** Makes the draft of a new row, with the defaults of fields that the caller may not read. */
export function newDraft(target: WriteTarget, body: Json): Draft {
  const { system, systemResource, within } = target;
  const { resource } = systemResource;
  const permission = system.permission.fields(resource.name);
  const error = creationError(storedMapping(target)?.older ?? resource, permission);
  if (error !== null) return { kind: 'conflict', error, candidate: {} };
  return completeDraft(target, createDraft(draftRule(target), body, within), null);
}

/**
 * Completes a draft with the fields that the caller does not know: unreadable ones, and those of newer contracts.
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
  return { ...draft, values: withHiddenFields(resource, permission, draft.values, current) };
}

/** Translates a draft to the newest contract, which judges it again (VER-5). Errors are in the older one's terms. */
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
      const error = stateError(target, draft.values, mapping, current) ?? olderContractError(judged.error, target);
      return { kind: 'conflict', error: error instanceof ApiError ? error : judged.error, candidate: draft.values };
    }
  }
}

/** Describes a refused change of state in the older contract's states; null if something else was refused. */
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

/** Starts a new row in the newest contract's initial state: the older one's may stand for another state. */
function startingState(
  { systemResource, callerResource }: WriteTarget,
  values: FieldValues,
  current: Row | null,
): FieldValues {
  const { state } = systemResource.resource;
  if (current !== null || state === null || callerResource.resource.state === null) return values;
  return { ...values, [state.field]: state.initial };
}

/** Makes the rule for values written through an older contract. Fields that it lacks are kept without a check. */
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

/** The origin of a write: its caller, its time and its ids, as rows and events record them. */
export function writeOrigin(
  { trace, principal }: Pick<Caller, 'trace' | 'principal'>,
  { sources }: Pick<WriteServices, 'sources'>,
): EventOrigin {
  return {
    correlationId: trace.correlationId,
    traceId: trace.traceId,
    actor: principal.subject,
    writer: { issuer: principal.issuer, subject: principal.subject, client: principal.client },
    at: timestamp(sources.writtenAt()),
  };
}

/** Makes the row that a plan writes, as the store would return it, without reading it. */
export async function writtenRow(
  { system: { contract, rows }, systemResource: { resource }, within }: WriteTarget,
  members: Pick<Row, 'id' | 'created_at' | 'updated_at' | 'revision'>,
  values: FieldValues,
): Promise<Row> {
  const { id, created_at, updated_at, revision } = members;
  const fields: Record<string, Json> = { id };
  for (const { name } of resource.fields) fields[name] = values[name] ?? null;
  // Links to referenced rows are the same for all callers, and may lead below rows that this caller does not see.
  const all = rows.unrestricted();
  const source = { resources: contract.model.resources, lookup: all.lookup.bind(all) };
  const hidden = await hiddenMembers(resource, { values: fields, within }, source);
  return { ...fields, id, created_at, updated_at, revision, ...hidden };
}

/** Judges step 16 (CACHE-3) for the current row, or null for a row to be created. @throws {ApiError} 412, 428 */
export function checkPreconditions({ callerResource, terms }: WriteTarget, current: Row | null): void {
  const { resource } = callerResource;
  const { preconditions } = terms;
  const isRequired = current !== null && resource.requireIfMatch;
  if (isRequired && !hasWriteCondition(preconditions)) throw preconditionRequired();
  if (evaluateWrite(preconditions, current) === 'failed') throw preconditionFailed(resource);
}

/**
 * Makes the error of a draft that cannot be written: every validation error and dangling reference (ERR-3, MET-10).
 *
 * @param ownId the id that a new row would have, if it is known: a row may refer to itself
 * @param current the row before the write, which may refer to a hidden row already; null for a new one
 */
export async function draftError(
  { system, callerResource, within }: WriteTarget,
  draft: Exclude<Draft, { kind: 'valid' }>,
  ownId: Json = null,
  current: Row | null = null,
): Promise<ApiError> {
  const { resource } = callerResource;
  const details = draft.kind === 'invalid' ? draft.details : [];
  const invalidFields = new Set(details.map(({ field }) => field));
  // An error of a list as a whole comes first; the references of its items are checked once it is valid.
  const references = referencesIn(resource, draft.candidate, within).filter(
    ({ field, resource: name, id }) =>
      !invalidFields.has(field) &&
      !invalidFields.has(referenceField(field)) &&
      !isKept(draft.candidate, current, referenceField(field)) &&
      !(name === resource.name && id === ownId),
  );
  const missing = await system.rows.missingReferences(references);
  const dangling = references.filter((one) =>
    missing.some(({ resource: name, id }) => one.resource === name && one.id === id),
  );
  if (draft.kind === 'conflict' && dangling.length === 0) return draft.error;
  return invalid(resource, [...details, ...dangling.map(({ field }) => ({ field, message: DANGLING }))]);
}

/** The field of a reference, which may be an item of a list: `related_ids[2]`. */
export function referenceField(reference: string): string {
  return reference.replace(/\[\d+\]$/, '');
}

/** True if a write leaves a field unchanged. @param current null for a new row */
export function isKept(values: FieldValues, current: FieldValues | null, field: string): boolean {
  return current !== null && jsonEquals(values[field] ?? null, current[field] ?? null);
}
