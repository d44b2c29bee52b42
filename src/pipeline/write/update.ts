import { type ApiError, resourceError } from '../../conventions/errors.ts';
import { isJsonObject, type Json } from '../../conventions/json.ts';
import { applyJsonPatch, parseJsonPatch } from '../../conventions/json-patch.ts';
import {
  bodyRevision,
  createDraft,
  type Draft,
  isReadOnlyMember,
  mergeDraft,
  patchDraft,
  replaceDraft,
} from '../../plan/draft.ts';
import { pendingRevision } from '../../plan/pending-revisions.ts';
import type { Row, FieldValues } from '../../plan/plan.ts';
import { updatePlan } from '../../plan/write-plan.ts';
import { after, type MaybePromise } from '../../platform/maybe-promise.ts';
import { prepareInsert } from './create.ts';
import { applyHooks } from './hooks.ts';
import { notFound, requireAncestors } from '../read/item.ts';
import { preconditionFailed } from '../represent/conditional-response.ts';
import type { Surroundings } from '../surroundings.ts';
import {
  checkPreconditions,
  draftError,
  draftRule,
  type ItemTarget,
  type WriteOperation,
  originOf,
  type PreparedWrite,
  writtenRow,
} from './write.ts';
import { invalid } from './write-refusal.ts';

/**
 * PUT and PATCH (MET-2, MET-3). The new state is worked out from the row as it stands and written on the condition that it still stands so;
 * where another process was faster, it is worked out again, and preconditions are judged again.
 */
export function updateOperation(target: ItemTarget): WriteOperation {
  return {
    ...target,
    takesBody: true,
    precheck: async (surroundings) => checkPreconditions(target, await findCurrent(target, surroundings)),
    prepare: (body, first, surroundings) =>
      after(findCurrent(target, surroundings), (current) => {
        checkPreconditions(target, current);
        if (body?.kind !== 'read')
          throw body?.error ?? new Error(`${target.request.method} was prepared without its body`);
        return current === null
          ? prepareInsertAt(target, body.json, first, surroundings)
          : prepareUpdate(target, body.json, current, first, surroundings);
      }),
  };
}

/**
 * The row, or null where PUT would create it.
 *
 * @throws {ApiError} 404
 */
function findCurrent(target: ItemTarget, surroundings: Surroundings): MaybePromise<Row | null> {
  const { compiled, within, id } = target;
  const found = surroundings.rows.item({ kind: 'item', resource: compiled.resource.name, id, within });
  return after(found, (row) => row ?? absent(target, surroundings));
}

function absent({ request, compiled, within, id }: ItemTarget, surroundings: Surroundings): MaybePromise<null> {
  const { resource, validator } = compiled;
  return after(requireAncestors(within, surroundings), () => {
    const creates = request.method === 'PUT' && resource.id.kind === 'client' && validator.checkId(id) === null;
    if (!creates) throw notFound(resource);
    return null;
  });
}

function prepareUpdate(
  target: ItemTarget,
  json: Json,
  current: Row,
  first: number,
  surroundings: Surroundings,
): MaybePromise<PreparedWrite> {
  const { request, compiled } = target;
  const { resource } = compiled;
  const revision = request.preconditions.ifMatch === null ? bodyRevision(json) : null;
  if (revision !== null && revision !== current.revision) throw preconditionFailed(resource);
  const draft = nextDraft(target, json, current);
  if (draft.kind !== 'valid') {
    return draftError(draft, compiled, surroundings).then((error): never => {
      throw error;
    });
  }
  const values = applyHooks(compiled, draft.values, current, request, surroundings);
  return after(values, (each) => preparedUpdate(target, each, current, first, surroundings));
}

function preparedUpdate(
  { request, compiled, within, id }: ItemTarget,
  values: FieldValues,
  current: Row,
  first: number,
  surroundings: Surroundings,
): PreparedWrite {
  const { resource } = compiled;
  const origin = originOf(request, surroundings);
  const plan = updatePlan(surroundings.events, origin, { resource, within, row: current }, values);
  const effect = { kind: 'changed', resource: resource.name, within } as const;
  if (plan === null) return { plans: [], result: { ...effect, row: current } };
  const system = { id, created_at: current.created_at, updated_at: plan.at, revision: pendingRevision(first) };
  return { plans: [plan], result: { ...effect, row: writtenRow(compiled, system, values) } };
}

/** PUT to an id that nobody has, in a collection whose ids clients make: 201 (MET-2). */
async function prepareInsertAt(
  target: ItemTarget,
  json: Json,
  first: number,
  surroundings: Surroundings,
): Promise<PreparedWrite> {
  const { request, compiled, within, id } = target;
  // A revision names a row that was read: where none is left, it was removed meanwhile (REP-6).
  if (request.preconditions.ifMatch === null && bodyRevision(json) !== null)
    throw preconditionFailed(compiled.resource);
  const own = isJsonObject(json) ? json['id'] : null;
  const draft = createDraft(draftRule(target), isJsonObject(json) ? { ...json, id } : json, within);
  const foreign = own !== undefined && own !== id;
  const mismatch = foreign ? [{ field: 'id', message: 'must equal the id in the URL' }] : [];
  if (draft.kind === 'invalid')
    throw await draftError({ ...draft, details: [...mismatch, ...draft.details] }, compiled, surroundings, id);
  if (foreign) throw invalid(compiled.resource, mismatch);
  if (draft.kind === 'conflict') throw await draftError(draft, compiled, surroundings, id);
  const values = await applyHooks(compiled, draft.values, null, request, surroundings);
  return prepareInsert(target, id, values, first, surroundings);
}

function nextDraft(target: ItemTarget, json: Json, current: Row): Draft {
  const rule = draftRule(target);
  if (target.request.method === 'PUT') return replaceDraft(rule, json, current);
  if (target.request.bodyType?.kind === 'json-patch') return patchedDraft(target, json, current);
  return mergeDraft(rule, json, current);
}

/** A JSON patch sees what GET gives this caller, without `links` (MET-3). */
function patchedDraft(target: ItemTarget, json: Json, current: Row): Draft {
  const { request, compiled, within } = target;
  const { resource, represent } = compiled;
  const parsed = parseJsonPatch(json);
  if (parsed.kind === 'invalid') {
    const details = parsed.details.map(({ field, message }) => ({ field: field === '' ? 'body' : field, message }));
    return { kind: 'invalid', details, candidate: {} };
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
        kind: 'invalid',
        details: [{ field: patched.pointer[0] ?? '', message: 'is read-only; omit it from the patch' }],
        candidate: {},
      };
    case 'excess':
      return {
        kind: 'invalid',
        details: [{ field: `[${patched.operation}]`, message: patched.message }],
        candidate: {},
      };
    case 'conflict':
      return { kind: 'conflict', error: patchConflict(target, patched.operation, patched.message), candidate: {} };
  }
}

function patchConflict({ compiled }: ItemTarget, operation: number, message: string): ApiError {
  const { code, singular } = compiled.resource;
  return resourceError(code, 'CONFLICT', `The patch does not fit the ${singular} as it stands; read it again.`, {
    details: [{ field: `[${operation}]`, message }],
  });
}
