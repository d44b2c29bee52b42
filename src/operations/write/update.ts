import { isJsonObject, type Json } from '../../conventions/json/json.ts';
import { applyJsonPatch, parseJsonPatch } from '../../conventions/json/json-patch.ts';
import { type Draft, isReadOnlyMember, mergeDraft, patchDraft, replaceDraft } from '../../plan/write/draft.ts';
import { bodyRevision } from '../../plan/write/draft-id.ts';
import { pendingRevision } from '../../plan/write/pending-revisions.ts';
import type { Row } from '../../plan/plan.ts';
import { transitionScope } from '../../plan/write/state-transition.ts';
import { updatePlan } from '../../plan/write/write-plan.ts';
import { runSteps, type Steps, TimeSlices } from '../../platform/time-slices.ts';
import { invalid, patchConflict, preconditionFailed } from '../failures.ts';
import { failAbsent, requireAncestors } from '../read/item.ts';
import { prepareInsert } from './create.ts';
import { hookPlans } from './hook-work.ts';
import { applyHooks } from './hooks.ts';
import type { ParsedBody } from './parsed-body.ts';
import {
  checkPreconditions,
  draftError,
  type ItemTarget,
  type PreparedWrite,
  type WriteOperation,
  writeOrigin,
  type WriteServices,
  writtenRow,
} from './write.ts';
import { completeDraft, draftRule, newDraft, storedMapping } from './complete-draft.ts';
import { isFreeId, judgingStamps, requireChangeable, requireWritable } from './row-access.ts';

/**
 * Makes the operation of a PUT or PATCH (MET-2, MET-3). The new state is computed from the current row, and written on
 * the condition that the row is still the same. If another process was faster, it is computed again, and preconditions
 * are judged again.
 */
export function updateOperation(target: ItemTarget): WriteOperation {
  return {
    ...target,
    takesBody: true,
    precheck: async () => void (await findWritable(target)),
    prepare: (body, firstPlan, services) => prepare(target, body, firstPlan, services),
  };
}

async function prepare(
  target: ItemTarget,
  body: ParsedBody | null,
  firstPlan: number,
  services: WriteServices,
): Promise<PreparedWrite> {
  const slices = new TimeSlices();
  const judgedBy = await judgingStamps(target, 'update');
  const current = await findWritable(target);
  if (body?.kind !== 'parsed') throw body?.error ?? new Error(`${target.terms.method} was prepared without its body`);
  return current === null
    ? prepareInsertAt(target, body.json, firstPlan, services)
    : prepareUpdate({ ...target, current, judgedBy, slices }, body.json, firstPlan, services);
}

/** Steps 14 to 16. @returns null if PUT would create the row @throws {ApiError} 404, 403, 412, 428 */
async function findWritable(target: ItemTarget): Promise<Row | null> {
  const current = await findCurrent(target);
  if (current !== null) await requireChangeable(target, current, 'update');
  checkPreconditions(target, current);
  return current;
}

/**
 * Reads the row; null if PUT would create it. A row that is hidden from the caller is absent, and its id is not free
 * (MET-2).
 *
 * @throws {ApiError} 404, 410
 */
async function findCurrent(target: ItemTarget): Promise<Row | null> {
  const { caller, system, systemResource, callerResource, within, id } = target;
  const { resource, validator } = systemResource;
  const row = await system.rows.item({ resource: resource.name, id, within });
  if (row !== null) return row;
  const reader = { rows: system.rows, contract: caller.contract };
  await requireAncestors(reader, within);
  const creates = target.terms.method === 'PUT' && resource.id.kind === 'client' && validator.checkId(id) === null;
  if (!creates || !(await isFreeId(target))) return failAbsent(reader, callerResource.resource, { id, within });
  return null;
}

/** A write to a row that exists. */
interface UpdateTarget extends ItemTarget {
  readonly current: Row;
  /** Time slices, because each step processes the whole row, which may be large. */
  readonly slices: TimeSlices;
  readonly judgedBy: PreparedWrite['judgedBy'];
}

async function prepareUpdate(
  target: UpdateTarget,
  json: Json,
  firstPlan: number,
  services: WriteServices,
): Promise<PreparedWrite> {
  const { system, systemResource, callerResource, within, id, current, judgedBy, slices } = target;
  const { resource } = systemResource;
  const revision = target.terms.preconditions.ifMatch === null ? bodyRevision(json) : null;
  if (revision !== null && revision !== current.revision) throw preconditionFailed(callerResource.resource);
  await slices.next();
  // The caller's contract, which checks the body, may have the row in another form.
  const known = storedMapping(target)?.down(current) ?? current;
  const draft = completeDraft(target, await runSteps(nextDraft(target, json, known)), current);
  await slices.next();
  if (draft.kind !== 'valid') throw await draftError(target, draft, null, known);
  const { values, work } = await applyHooks(target, draft.values, current, services);
  const { before, after, expectStamps } = hookPlans(work, resource, id);
  const author = { events: services.events, origin: writeOrigin(system, services) };
  const plan = updatePlan(author, { resource, within, row: current }, values);
  await slices.next();
  const scope = transitionScope(resource, draft.values, current);
  const needs = scope === null ? {} : { scope };
  const result = { kind: 'changed', resource: resource.name, within, ...needs } as const;
  if (plan === null)
    return { plans: [...before, ...after], expectStamps, judgedBy, result: { ...result, row: current } };
  const written = { updated_at: plan.at, revision: pendingRevision(firstPlan + before.length) };
  const row = await writtenRow(target, { id, created_at: current.created_at, ...written }, values);
  await requireWritable(target, { row, plan, current }, 'update');
  return { plans: [...before, plan, ...after], expectStamps, judgedBy, result: { ...result, row } };
}

/** Prepares a PUT to an unused id, in a collection with client ids: 201 (MET-2). */
async function prepareInsertAt(
  target: ItemTarget,
  json: Json,
  firstPlan: number,
  services: WriteServices,
): Promise<PreparedWrite> {
  const { callerResource, terms, id } = target;
  const { resource } = callerResource;
  // A revision names a row that was read: if there is none now, it was deleted meanwhile (REP-6).
  if (terms.preconditions.ifMatch === null && bodyRevision(json) !== null) throw preconditionFailed(resource);
  const bodyId = isJsonObject(json) ? json['id'] : null;
  const draft = newDraft(target, isJsonObject(json) ? { ...json, id } : json);
  const isOther = bodyId !== undefined && bodyId !== id;
  const mismatch = isOther ? [{ field: 'id', message: 'must equal the id in the URL' }] : [];
  if (draft.kind === 'invalid')
    throw await draftError(target, { ...draft, details: [...mismatch, ...draft.details] }, id);
  if (isOther) throw invalid(resource, mismatch);
  if (draft.kind === 'conflict') throw await draftError(target, draft, id);
  const hooked = await applyHooks(target, draft.values, null, services);
  return prepareInsert(target, { id, ...hooked }, firstPlan, services);
}

function nextDraft(target: ItemTarget, json: Json, current: Row): Steps<Draft> {
  const rule = draftRule(target);
  if (target.terms.method === 'PUT') return replaceDraft(rule, json, current);
  if (target.terms.isJsonPatch) return patchedDraft(target, json, current);
  return mergeDraft(rule, json, current);
}

/** Applies a JSON patch to the document that GET returns to this caller, without `links` (MET-3). */
function* patchedDraft(target: ItemTarget, json: Json, current: Row): Steps<Draft> {
  const { resource, writeFields } = target.callerResource;
  const parsed = parseJsonPatch(json);
  if (parsed.kind === 'invalid') {
    const details = parsed.details.map(({ field, message }) => ({ field: field === '' ? 'body' : field, message }));
    return { kind: 'invalid', details, candidate: {} };
  }
  const patched = applyJsonPatch(writeFields(current), parsed.operations, ([member], access) =>
    access === 'write' && member !== undefined && isReadOnlyMember(resource, member) ? 'forbidden' : 'allowed',
  );
  switch (patched.kind) {
    case 'patched':
      return yield* patchDraft(draftRule(target), patched, current);
    case 'forbidden':
      return {
        kind: 'invalid',
        details: [{ field: patched.pointer[0] ?? '', message: 'is read-only; leave it out of the patch' }],
        candidate: {},
      };
    case 'excess':
      return {
        kind: 'invalid',
        details: [{ field: `[${patched.operation}]`, message: patched.message }],
        candidate: {},
      };
    case 'conflict':
      return { kind: 'conflict', error: patchConflict(resource, patched.operation, patched.message), candidate: {} };
  }
}
