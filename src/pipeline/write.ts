import type { ApiError } from '../conventions/errors.ts';
import { refusal } from '../conventions/errors.ts';
import { evaluateWrite, hasWriteCondition } from '../conventions/preconditions.ts';
import type { Json } from '../conventions/json.ts';
import { writeJson } from '../formats/json.ts';
import type { Origin } from '../plan/change-event.ts';
import type { Draft, DraftRule } from '../plan/draft.ts';
import type { Ancestor, Row, Values, WriteOutcome, WritePlan } from '../plan/plan.ts';
import { referencesIn } from '../plan/references.ts';
import { appliedHeaders, commonHeaders, type Headers, uncachedAnswer } from './answer.ts';
import type { CompiledResource } from './compiled.ts';
import type { Answer } from './exchange.ts';
import type { Negotiated } from './negotiate.ts';
import { linkField } from '../conventions/links.ts';
import { canonicalLink, preconditionFailed } from './read.ts';
import { DANGLING, invalid } from './settle.ts';
import type { Surroundings } from './surroundings.ts';

/** How often a write that lost a race to another process starts again before it gives up. */
export const MAX_ATTEMPTS = 16;

/** A write does not begin in the last tenth of its time: it could end after the caller was told that it timed out (ERR-7). */
const LATEST_BEGIN = 0.9;

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

export function draftRule({ request, compiled }: WriteTarget): DraftRule {
  const { resource, validator } = compiled;
  return { resource, validator, lenient: request.preferences.handling === 'lenient' };
}

/** Who writes, and when: what rows and events of this request carry. */
export function originOf({ exchange, principal }: Negotiated, surroundings: Pick<Surroundings, 'now'>): Origin {
  return {
    correlationId: exchange.correlationId,
    traceId: exchange.trace.traceId,
    actor: principal.subject,
    at: new Date(surroundings.now()).toISOString(),
  };
}

/** Hands plans to the store as one unit, in time for the answer. */
export function commit(
  plans: readonly WritePlan[],
  { exchange }: Negotiated,
  { store, compiled }: Surroundings,
): Promise<WriteOutcome> {
  const deadline = exchange.startedAt + compiled.model.limits.handlerTimeout * LATEST_BEGIN;
  return store.resources.write({ plans }, deadline);
}

/** The row that a committed plan made, without reading it again: the fields in declared order, as the store would give it. */
export function writtenRow(
  { resource }: CompiledResource,
  system: Pick<Row, 'id' | 'created_at' | 'updated_at' | 'revision'>,
  values: Values,
): Row {
  const fields = Object.fromEntries(resource.fields.map(({ name }) => [name, values[name] ?? null]));
  return { ...fields, ...system };
}

/**
 * Step 16 for a row as it stands (CACHE-3); null is a row that this method would create.
 *
 * @throws {ApiError} 412, 428
 */
export function checkPreconditions({ request, compiled }: WriteTarget, current: Row | null): void {
  const { resource } = compiled;
  const state = current === null ? null : { revision: current.revision, modified: Date.parse(current.updated_at) };
  if (current !== null && resource.requireIfMatch && !hasWriteCondition(request.preconditions)) {
    throw refusal(
      'REQUEST_PRECONDITION_REQUIRED',
      'Send If-Match with the ETag that you read, so that no change is lost.',
      {
        details: [{ field: 'If-Match', message: 'is required' }],
      },
    );
  }
  if (evaluateWrite(request.preconditions, state) === 'failed') throw preconditionFailed(resource);
}

/**
 * The error of a draft that cannot be written: of a faulty one all faults, its references to nothing among them (ERR-3, MET-10).
 *
 * @param own the id that a new row would have, where it is known: a reference to it is one to the row itself
 */
export async function draftError(
  draft: Exclude<Draft, { kind: 'valid' }>,
  { resource }: CompiledResource,
  { store }: Surroundings,
  own: Json = null,
): Promise<ApiError> {
  const details = draft.kind === 'faulty' ? draft.details : [];
  const faulty = new Set(details.map(({ field }) => field));
  // What is wrong with a list as such is told first; what its items refer to, once they are right.
  const references = referencesIn(resource, draft.candidate).filter(
    ({ field, resource: name, id }) =>
      !faulty.has(field) && !faulty.has(field.replace(/\[\d+\]$/, '')) && !(name === resource.name && id === own),
  );
  const missing = references.length === 0 ? [] : await store.resources.missingReferences(references);
  const dangling = references.filter((one) =>
    missing.some(({ resource: name, id }) => one.resource === name && one.id === id),
  );
  if (draft.kind === 'conflict' && dangling.length === 0) return draft.error;
  return invalid(resource, [...details, ...dangling.map(({ field }) => ({ field, message: DANGLING }))]);
}

/** The answer to a write: the representation of the row as it is now (MET-1, MET-2, MET-3). */
export function writtenAnswer(
  target: WriteTarget,
  status: 200 | 201,
  row: Row,
  headers: Headers,
  surroundings: Surroundings,
): Answer {
  const { request, compiled, within } = target;
  const shown = compiled.represent(row, within, request.base);
  const self = surroundings.compiled.addresses.item(request.base, compiled.resource, within, row.id);
  const link = linkField(
    canonicalLink(request, surroundings, (base) =>
      surroundings.compiled.addresses.item(base, compiled.resource, within, row.id),
    ),
  );
  return uncachedAnswer(
    status,
    [
      ...commonHeaders(request.exchange, surroundings.version),
      'Content-Type',
      request.mediaType,
      ...(status === 201 ? ['Location', self] : []),
      'Content-Location',
      self,
      ...headers,
      ...(link === '' ? [] : ['Link', link]),
      ...appliedHeaders(request),
    ],
    writeJson(shown),
  );
}
