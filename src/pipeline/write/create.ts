import { isJsonObject } from '../../conventions/json.ts';
import { evaluateRead } from '../../conventions/preconditions.ts';
import { createDraft } from '../../plan/draft.ts';
import type { ListQuery } from '../../plan/list-query.ts';
import { pendingRevision } from '../../plan/pending-revisions.ts';
import type { ExpectedStamp, FieldValues } from '../../plan/plan.ts';
import { createPlan } from '../../plan/write-plan.ts';
import type { ParsedBody } from './parsed-body.ts';
import { applyHooks } from './hooks.ts';
import { requireAncestors } from '../read/item.ts';
import { preconditionFailed } from '../represent/conditional-response.ts';
import { collectionState } from '../read/list.ts';
import type { Surroundings } from '../surroundings.ts';
import {
  draftError,
  draftRule,
  type WriteOperation,
  originOf,
  type PreparedWrite,
  type WriteTarget,
  writtenRow,
} from './write.ts';

/**
 * POST to a collection (MET-1).
 *
 * @param query makes the collection as GET would show it: what `If-Match` and `If-None-Match` speak of here
 */
export function createOperation(target: WriteTarget, query: () => ListQuery): WriteOperation {
  return {
    ...target,
    id: null,
    takesBody: true,
    precheck: async (surroundings) => void (await look(target, query, surroundings)),
    prepare: (body, first, surroundings) => prepareCreation(target, query, body, first, surroundings),
  };
}

async function prepareCreation(
  target: WriteTarget,
  query: () => ListQuery,
  body: ParsedBody | null,
  first: number,
  surroundings: Surroundings,
): Promise<PreparedWrite> {
  const { request, compiled, within } = target;
  const conditional = request.preconditions.ifMatch !== null || request.preconditions.ifNoneMatch !== null;
  // The write itself finds an absent row above. Only where something else could be told first is it asked for ahead.
  const expectStamps = conditional ? await look(target, query, surroundings) : [];
  if (body?.kind !== 'read') {
    await look(target, query, surroundings);
    throw body?.error ?? new Error('POST was prepared without its body');
  }
  const draft = createDraft(draftRule(target), body.json, within);
  if (draft.kind !== 'valid') {
    await look(target, query, surroundings);
    throw await draftError(draft, compiled, surroundings, isJsonObject(body.json) ? (body.json['id'] ?? null) : null);
  }
  const values = await applyHooks(compiled, draft.values, null, request, surroundings);
  return prepareInsert(target, draft.id ?? surroundings.uuid(), values, first, surroundings, expectStamps);
}

/** Adds a row under an id that was chosen. @param expectStamps what no write may have changed before it */
export function prepareInsert(
  { request, compiled, within }: WriteTarget,
  id: string,
  values: FieldValues,
  first: number,
  surroundings: Surroundings,
  expectStamps: readonly ExpectedStamp[] = [],
): PreparedWrite {
  const { resource } = compiled;
  const origin = originOf(request, surroundings);
  const plan = { ...createPlan(surroundings.events, origin, { resource, within, id }, values), expectStamps };
  const system = { id, created_at: origin.at, updated_at: origin.at, revision: pendingRevision(first) };
  const row = writtenRow(compiled, system, values);
  return { plans: [plan], result: { kind: 'created', resource: resource.name, within, row } };
}

/**
 * @returns what may not change before the row is written, as the preconditions were judged by it. Numbers of changes never come again, so
 *   that a tag which the collection has not is one that it will not have
 * @throws {ApiError} 404, 412
 */
async function look(
  target: WriteTarget,
  query: () => ListQuery,
  surroundings: Surroundings,
): Promise<readonly ExpectedStamp[]> {
  const { request, compiled, within } = target;
  await requireAncestors(within, surroundings);
  const { ifMatch, ifNoneMatch } = request.preconditions;
  if (ifMatch === null && ifNoneMatch === null) return [];
  const { etag, seen } = await collectionState(request, query(), surroundings);
  const verdict = evaluateRead(request.preconditions, { etag, lastModified: () => null });
  if (verdict !== 'proceed') throw preconditionFailed(compiled.resource);
  return ifMatch === null || ifMatch === '*' ? [] : seen;
}
