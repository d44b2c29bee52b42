import { isJsonObject } from '../conventions/json.ts';
import { evaluateRead } from '../conventions/preconditions.ts';
import { createDraft } from '../plan/draft.ts';
import type { ListQuery } from '../plan/list-query.ts';
import type { Refusal, Row, Values } from '../plan/plan.ts';
import { createPlan } from '../plan/write-plan.ts';
import { readBody } from './body.ts';
import type { Answer } from './exchange.ts';
import { collectionTag, itemTag, preconditionFailed, requireAncestors } from './read.ts';
import { writeRefusal } from './settle.ts';
import type { Surroundings } from './surroundings.ts';
import { commit, draftError, draftRule, originOf, type WriteTarget, writtenAnswer, writtenRow } from './write.ts';

/**
 * POST to a collection (MET-1): steps 14 to 19.
 *
 * @param query the collection as GET would show it: what `If-Match` and `If-None-Match` speak of here
 */
export async function createItem(target: WriteTarget, query: ListQuery, surroundings: Surroundings): Promise<Answer> {
  const { request, compiled, within } = target;
  // The write itself finds an absent row above. Only where something else could be told first is it asked for ahead.
  const look = async (): Promise<void> => {
    await requireAncestors(within, surroundings);
    await checkCollection(target, query, surroundings);
  };
  const conditional = request.preconditions.ifMatch !== null || request.preconditions.ifNoneMatch !== null;
  if (conditional || request.expectsContinue) await look();
  const body = await readBody(request, surroundings.compiled.model.limits);
  if (body.kind === 'faulty') {
    await look();
    throw body.error;
  }
  const draft = createDraft(draftRule(target), body.json, within);
  if (draft.kind !== 'valid') {
    await look();
    throw await draftError(draft, compiled, surroundings, isJsonObject(body.json) ? (body.json['id'] ?? null) : null);
  }
  const inserted = await insert(target, draft.id ?? surroundings.uuid(), draft.values, surroundings);
  if (inserted.kind !== 'inserted') throw writeRefusal(inserted, compiled.resource, surroundings);
  const { row } = inserted;
  return writtenAnswer(target, 201, row, ['ETag', itemTag(request, row, surroundings)], surroundings);
}

/** Writes a new row. */
export async function insert(
  { request, compiled, within }: WriteTarget,
  id: string,
  values: Values,
  surroundings: Surroundings,
): Promise<{ readonly kind: 'inserted'; readonly row: Row } | Refusal> {
  const origin = originOf(request, surroundings);
  const plan = createPlan(surroundings.events, origin, { resource: compiled.resource, within }, id, values);
  const outcome = await commit([plan], request, surroundings);
  if (outcome.kind !== 'committed') return outcome;
  const system = { id, created_at: origin.at, updated_at: origin.at, revision: outcome.revisions[0] ?? 0 };
  return { kind: 'inserted', row: writtenRow(compiled, system, values) };
}

async function checkCollection(target: WriteTarget, query: ListQuery, surroundings: Surroundings): Promise<void> {
  const { request, compiled } = target;
  const { ifMatch, ifNoneMatch } = request.preconditions;
  if (ifMatch === null && ifNoneMatch === null) return;
  const etag = await collectionTag(request, compiled, query, surroundings);
  const verdict = evaluateRead(request.preconditions, { etag, lastModified: null });
  if (verdict !== 'proceed') throw preconditionFailed(compiled.resource);
}
