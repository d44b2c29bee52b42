import type { ApiError } from '../../conventions/errors.ts';
import type { Json } from '../../conventions/json/json.ts';
import { evaluateWrite, hasWriteCondition, type Preconditions } from '../../conventions/headers/preconditions.ts';
import type { Method } from '../../conventions/methods.ts';
import { timestamp } from '../../conventions/text/timestamp.ts';
import type { CompiledResource } from '../../contract/contract.ts';
import type { HookServices } from '../../model/hooks.ts';
import type { EventContext, EventOrigin } from '../../plan/events/change-event.ts';
import type { Draft } from '../../plan/write/draft.ts';
import type { Ancestor, ExpectedStamp, FieldValues, Row, WritePlan } from '../../plan/plan.ts';
import type { Caller } from '../caller.ts';
import type { ETags } from '../etags.ts';
import { invalid, preconditionFailed, preconditionRequired } from '../failures.ts';
import { hiddenMembers } from '../read/hidden-members.ts';
import type { Sources } from '../sources.ts';
import type { Commits, CommitTiming } from './commits.ts';
import { danglingReferences, referenceField } from './refusals/dangling-references.ts';
import type { ParsedBody } from './parsed-body.ts';
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

/** The origin of a write: its caller, its time and its ids, as rows and events record them. */
export function writeOrigin(
  { trace, principal }: Pick<Caller, 'trace' | 'principal'>,
  { sources }: Pick<WriteServices, 'sources'>,
): EventOrigin {
  return {
    correlationId: trace.correlationId,
    traceId: trace.traceId,
    actor: principal.subject,
    writer: { issuer: principal.issuer, subject: principal.subject, client: principal.client ?? trace.agent ?? null },
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
  const isValid = (field: string): boolean => !invalidFields.has(field) && !invalidFields.has(referenceField(field));
  const row = { resource, values: draft.candidate, within, ownId, current };
  const dangling = await danglingReferences(system, row, ({ field }) => isValid(field));
  if (draft.kind === 'conflict' && dangling.length === 0) return draft.error;
  return invalid(resource, [...details, ...dangling], draft.kind === 'invalid' ? draft.cause : undefined);
}
