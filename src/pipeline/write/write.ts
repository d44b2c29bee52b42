import type { ApiError } from '../../conventions/errors.ts';
import { apiError } from '../../conventions/errors.ts';
import type { Json } from '../../conventions/json.ts';
import { evaluateWrite, hasWriteCondition } from '../../conventions/preconditions.ts';
import { timestamp } from '../../conventions/timestamp.ts';
import type { EventOrigin } from '../../plan/change-event.ts';
import { type Draft, type DraftRule, referencesIn } from '../../plan/draft.ts';
import type { Ancestor, Row, FieldValues, WritePlan } from '../../plan/plan.ts';
import type { MaybePromise } from '../../platform/maybe-promise.ts';
import type { ParsedBody } from './parsed-body.ts';
import type { CompiledResource } from '../contract.ts';
import type { WriteResult } from './write-result.ts';
import type { Negotiated } from '../negotiate.ts';
import { preconditionFailed } from '../represent/conditional-response.ts';
import { DANGLING, invalid } from './write-refusal.ts';
import type { Surroundings } from '../surroundings.ts';

/** A write and the collection that it concerns. `within` are the rows above, nearest first. */
export interface WriteTarget {
  readonly request: Negotiated;
  readonly compiled: CompiledResource;
  readonly within: readonly Ancestor[];
}

/** A write to one resource. */
export interface ItemTarget extends WriteTarget {
  readonly id: string;
}

/** A write worked out against the rows as they stand: what the store is asked to do, and what that does. */
export interface PreparedWrite {
  readonly plans: readonly WritePlan[];
  readonly result: WriteResult;
}

/** A write as it was asked for, alone, in a batch or on a line: everything about it that does not depend on the rows. */
export interface WriteOperation extends WriteTarget {
  /** The one row that it is about; null where it makes one. */
  readonly id: string | null;
  /** Whether it has a body to be read. */
  readonly takesBody: boolean;
  /** Steps 14 to 16: what a caller that waits for `100 Continue` is told before it sends the body. @throws {ApiError} 404, 412, 428 */
  precheck(surroundings: Surroundings): Promise<void>;
  /**
   * Steps 14 to 18, worked out again each time that the rows changed meanwhile.
   *
   * @param body null where it takes none
   * @param first the index that the first of its plans has in the unit
   */
  prepare(body: ParsedBody | null, first: number, surroundings: Surroundings): MaybePromise<PreparedWrite>;
}

export function draftRule({ request, compiled }: WriteTarget): DraftRule {
  const { resource, validator } = compiled;
  return { resource, validator, lenient: request.preferences.handling === 'lenient' };
}

/** Who writes, and when: what rows and events of this request carry. */
export function originOf({ exchange, principal }: Negotiated, surroundings: Pick<Surroundings, 'now'>): EventOrigin {
  return {
    correlationId: exchange.correlationId,
    traceId: exchange.trace.traceId,
    actor: principal.subject,
    at: timestamp(surroundings.now()),
  };
}

/** The row that a plan makes, without reading it again: the fields in declared order, as the store would give it. */
export function writtenRow(
  { resource }: CompiledResource,
  system: Pick<Row, 'id' | 'created_at' | 'updated_at' | 'revision'>,
  values: FieldValues,
): Row {
  const { id, created_at, updated_at, revision } = system;
  const fields: Record<string, Json> = { id };
  for (const { name } of resource.fields) fields[name] = values[name] ?? null;
  return { ...fields, id, created_at, updated_at, revision };
}

/**
 * Step 16 for a row as it stands (CACHE-3); null is a row that this method would create.
 *
 * @throws {ApiError} 412, 428
 */
export function checkPreconditions({ request, compiled }: WriteTarget, current: Row | null): void {
  const { resource } = compiled;
  if (current !== null && resource.requireIfMatch && !hasWriteCondition(request.preconditions)) {
    throw apiError(
      'REQUEST_PRECONDITION_REQUIRED',
      'Send If-Match with the ETag that you read, so that no change is lost.',
      {
        details: [{ field: 'If-Match', message: 'is required' }],
      },
    );
  }
  if (evaluateWrite(request.preconditions, current) === 'failed') throw preconditionFailed(resource);
}

/**
 * The error of a draft that cannot be written: of a faulty one all faults, its references to nothing among them (ERR-3, MET-10).
 *
 * @param own the id that a new row would have, where it is known: a reference to it is one to the row itself
 */
export async function draftError(
  draft: Exclude<Draft, { kind: 'valid' }>,
  { resource }: CompiledResource,
  { rows }: Surroundings,
  own: Json = null,
): Promise<ApiError> {
  const details = draft.kind === 'invalid' ? draft.details : [];
  const faulty = new Set(details.map(({ field }) => field));
  // What is wrong with a list as such is told first; what its items refer to, once they are right.
  const references = referencesIn(resource, draft.candidate).filter(
    ({ field, resource: name, id }) =>
      !faulty.has(field) && !faulty.has(field.replace(/\[\d+\]$/, '')) && !(name === resource.name && id === own),
  );
  const missing = references.length === 0 ? [] : await rows.missingReferences(references);
  const dangling = references.filter((one) =>
    missing.some(({ resource: name, id }) => one.resource === name && one.id === id),
  );
  if (draft.kind === 'conflict' && dangling.length === 0) return draft.error;
  return invalid(resource, [...details, ...dangling.map(({ field }) => ({ field, message: DANGLING }))]);
}
