import { type ApiError, resourceRefusal } from '../conventions/errors.ts';
import { isJsonObject, type Json } from '../conventions/json.ts';
import { applyJsonPatch, parseJsonPatch } from '../conventions/json-patch.ts';
import {
  bodyRevision,
  createDraft,
  type Draft,
  isReadOnlyMember,
  mergeDraft,
  patchDraft,
  replaceDraft,
} from '../plan/draft.ts';
import type { Row } from '../plan/plan.ts';
import { updatePlan } from '../plan/write-plan.ts';
import { type Body, readBody } from './body.ts';
import { insert } from './create.ts';
import type { Answer } from './exchange.ts';
import { itemTag, notFound, preconditionFailed, requireAncestors } from './read.ts';
import { invalid, writeRefusal } from './settle.ts';
import type { Surroundings } from './surroundings.ts';
import {
  checkPreconditions,
  commit,
  draftError,
  draftRule,
  type ItemTarget,
  MAX_ATTEMPTS,
  originOf,
  writtenAnswer,
  writtenRow,
} from './write.ts';

/**
 * PUT and PATCH (MET-2, MET-3): steps 14 to 19. The new state is worked out from the row as it stands and written on the condition that it
 * still stands so; where another process was faster, it is worked out again, and preconditions are judged again.
 */
export async function changeItem(target: ItemTarget, surroundings: Surroundings): Promise<Answer> {
  const { request, compiled, id } = target;
  if (request.expectsContinue) checkPreconditions(target, await findCurrent(target, surroundings));
  const body = await readBody(request, surroundings.compiled.model.limits);
  return surroundings.turns.take(`${compiled.resource.name}\n${id}`, async () => {
    for (let attempt = 1; ; attempt++) {
      const current = await findCurrent(target, surroundings);
      const attempted =
        current === null
          ? await createAt(target, body, surroundings)
          : await change(target, body, current, surroundings);
      if (attempted.kind === 'answered') return attempted.answer;
      const lost = attempted.refusal.kind === 'stale' || attempted.refusal.kind === 'exists';
      if (!lost || attempt === MAX_ATTEMPTS) throw writeRefusal(attempted.refusal, compiled.resource, surroundings);
    }
  });
}

type Attempt =
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'refused'; readonly refusal: Parameters<typeof writeRefusal>[0] };

/**
 * The row, or null where PUT would create it.
 *
 * @throws {ApiError} 404
 */
async function findCurrent(target: ItemTarget, surroundings: Surroundings): Promise<Row | null> {
  const { request, compiled, within, id } = target;
  const { resource, validator } = compiled;
  const row = await surroundings.store.resources.item({ kind: 'item', resource: resource.name, id, within });
  if (row !== null) return row;
  await requireAncestors(within, surroundings);
  const creates = request.method === 'PUT' && resource.id.kind === 'client' && validator.checkId(id) === null;
  if (!creates) throw notFound(resource);
  return null;
}

async function change(target: ItemTarget, body: Body, current: Row, surroundings: Surroundings): Promise<Attempt> {
  const { request, compiled, within, id } = target;
  const { resource } = compiled;
  checkPreconditions(target, current);
  if (body.kind === 'faulty') throw body.error;
  const revision = request.preconditions.ifMatch === null ? bodyRevision(body.json) : null;
  if (revision !== null && revision !== current.revision) throw preconditionFailed(resource);
  const draft = nextDraft(target, body.json, current);
  if (draft.kind !== 'valid') throw await draftError(draft, compiled, surroundings);
  const origin = originOf(request, surroundings);
  const plan = updatePlan(surroundings.events, origin, { resource, within }, current, draft.values);
  if (plan === null) return answered(target, current, surroundings);
  const outcome = await commit([plan], request, surroundings);
  if (outcome.kind !== 'committed') return { kind: 'refused', refusal: outcome };
  const system = { id, created_at: current.created_at, updated_at: origin.at, revision: outcome.revisions[0] ?? 0 };
  return answered(target, writtenRow(compiled, system, draft.values), surroundings);
}

/** PUT to an id that nobody has, in a collection whose ids clients make: 201 (MET-2). */
async function createAt(target: ItemTarget, body: Body, surroundings: Surroundings): Promise<Attempt> {
  const { request, compiled, within, id } = target;
  checkPreconditions(target, null);
  if (body.kind === 'faulty') throw body.error;
  // A revision names a row that was read: where none is left, it was removed meanwhile (REP-6).
  if (request.preconditions.ifMatch === null && bodyRevision(body.json) !== null)
    throw preconditionFailed(compiled.resource);
  const own = isJsonObject(body.json) ? body.json['id'] : null;
  const draft = createDraft(draftRule(target), isJsonObject(body.json) ? { ...body.json, id } : body.json, within);
  const foreign = own !== undefined && own !== id;
  const mismatch = foreign ? [{ field: 'id', message: 'must equal the id in the URL' }] : [];
  if (draft.kind === 'faulty')
    throw await draftError({ ...draft, details: [...mismatch, ...draft.details] }, compiled, surroundings, id);
  if (foreign) throw invalid(compiled.resource, mismatch);
  if (draft.kind === 'conflict') throw await draftError(draft, compiled, surroundings, id);
  const inserted = await insert(target, id, draft.values, surroundings);
  if (inserted.kind !== 'inserted') return { kind: 'refused', refusal: inserted };
  return { kind: 'answered', answer: writtenAnswer(target, 201, inserted.row, [], surroundings) };
}

/** PATCH has the tag of what it shows; PUT has none, for the server adds to what was sent (RFC 9110 9.3.4). */
function answered(target: ItemTarget, row: Row, surroundings: Surroundings): Attempt {
  const headers = target.request.method === 'PATCH' ? ['ETag', itemTag(target.request, row, surroundings)] : [];
  return { kind: 'answered', answer: writtenAnswer(target, 200, row, headers, surroundings) };
}

function nextDraft(target: ItemTarget, json: Json, current: Row): Draft {
  const rule = draftRule(target);
  if (target.request.method === 'PUT') return replaceDraft(rule, json, current);
  if (target.request.bodyType === 'json-patch') return patchedDraft(target, json, current);
  return mergeDraft(rule, json, current);
}

/** A JSON patch sees what GET gives this caller, without `links` (MET-3). */
function patchedDraft(target: ItemTarget, json: Json, current: Row): Draft {
  const { request, compiled, within } = target;
  const { resource, represent } = compiled;
  const parsed = parseJsonPatch(json);
  if (parsed.kind === 'faults') {
    const details = parsed.faults.map(({ field, message }) => ({ field: field === '' ? 'body' : field, message }));
    return { kind: 'faulty', details, candidate: {} };
  }
  const { links: _links, ...document } = represent(current, within, request.base);
  const patched = applyJsonPatch(document, parsed.operations, ([member], access) =>
    access === 'write' && member !== undefined && isReadOnlyMember(resource, member) ? 'forbidden' : 'allowed',
  );
  switch (patched.kind) {
    case 'patched':
      return patchDraft(draftRule(target), patched.document, current);
    case 'forbidden':
      return {
        kind: 'faulty',
        details: [{ field: patched.pointer[0] ?? '', message: 'is read-only; leave it out of the patch' }],
        candidate: {},
      };
    case 'excess':
      return {
        kind: 'faulty',
        details: [{ field: `[${patched.operation}]`, message: patched.message }],
        candidate: {},
      };
    case 'conflict':
      return { kind: 'conflict', error: patchConflict(target, patched.operation, patched.message), candidate: {} };
  }
}

function patchConflict({ compiled }: ItemTarget, operation: number, message: string): ApiError {
  const { code, singular } = compiled.resource;
  return resourceRefusal(code, 'CONFLICT', `The patch does not fit the ${singular} as it stands; read it again.`, {
    details: [{ field: `[${operation}]`, message }],
  });
}
