import { isJsonObject } from '../conventions/json.ts';
import { evaluateRead } from '../conventions/preconditions.ts';
import { createDraft } from '../plan/draft.ts';
import type { ListQuery } from '../plan/list-query.ts';
import { pendingRevision } from '../plan/pending.ts';
import type { Values } from '../plan/plan.ts';
import { createPlan } from '../plan/write-plan.ts';
import type { Body } from './body.ts';
import { applyHooks } from './hooks.ts';
import { requireAncestors } from './read.ts';
import { preconditionFailed } from './read-answer.ts';
import { collectionTag } from './read-collection.ts';
import type { Surroundings } from './surroundings.ts';
import {
  draftError,
  draftRule,
  type Operation,
  originOf,
  type Prepared,
  type WriteTarget,
  writtenRow,
} from './write.ts';

/**
 * POST to a collection (MET-1).
 *
 * @param query makes the collection as GET would show it: what `If-Match` and `If-None-Match` speak of here
 */
export function creation(target: WriteTarget, query: () => ListQuery): Operation {
  return {
    ...target,
    id: null,
    takesBody: true,
    look: (surroundings) => look(target, query, surroundings),
    prepare: (body, first, surroundings) => prepareCreation(target, query, body, first, surroundings),
  };
}

async function prepareCreation(
  target: WriteTarget,
  query: () => ListQuery,
  body: Body | null,
  first: number,
  surroundings: Surroundings,
): Promise<Prepared> {
  const { request, compiled, within } = target;
  const conditional = request.preconditions.ifMatch !== null || request.preconditions.ifNoneMatch !== null;
  // The write itself finds an absent row above. Only where something else could be told first is it asked for ahead.
  if (conditional) await look(target, query, surroundings);
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
  return prepareInsert(target, draft.id ?? surroundings.uuid(), values, first, surroundings);
}

/** Adds a row under an id that was chosen. */
export function prepareInsert(
  { request, compiled, within }: WriteTarget,
  id: string,
  values: Values,
  first: number,
  surroundings: Surroundings,
): Prepared {
  const { resource } = compiled;
  const origin = originOf(request, surroundings);
  const plan = createPlan(surroundings.events, origin, { resource, within }, id, values);
  const system = { id, created_at: origin.at, updated_at: origin.at, revision: pendingRevision(first) };
  const row = writtenRow(compiled, system, values);
  return { plans: [plan], effect: { kind: 'created', resource: resource.name, within, row } };
}

/** @throws {ApiError} 404, 412 */
async function look(target: WriteTarget, query: () => ListQuery, surroundings: Surroundings): Promise<void> {
  const { request, compiled, within } = target;
  await requireAncestors(within, surroundings);
  const { ifMatch, ifNoneMatch } = request.preconditions;
  if (ifMatch === null && ifNoneMatch === null) return;
  const etag = await collectionTag(request, query(), surroundings);
  const verdict = evaluateRead(request.preconditions, { etag, lastModified: () => null });
  if (verdict !== 'proceed') throw preconditionFailed(compiled.resource);
}
