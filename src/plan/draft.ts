import { type ApiError, type ErrorDetail, resourceError } from '../conventions/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../conventions/json.ts';
import { jsonEquals } from '../conventions/json-equality.ts';
import { mergePatch } from '../conventions/merge-patch.ts';
import type { Field, Resource } from '../model/model.ts';
import type { ResourceValidator } from '../model/values/resource-validator.ts';
import type { Ancestor, Row, FieldValues } from './plan.ts';

/** What a body asks for, checked: the stored form of every field. A faulty one keeps what was sent, so that its references can be judged too. */
export type Draft =
  | { readonly kind: 'valid'; readonly id: string | null; readonly values: FieldValues }
  | { readonly kind: 'invalid'; readonly details: readonly ErrorDetail[]; readonly candidate: JsonObject }
  /** A move that the state machine does not list (MET-11), or a patch that does not fit. A reference to nothing ranks before it. */
  | { readonly kind: 'conflict'; readonly error: ApiError; readonly candidate: JsonObject };

/** How a body is judged: its resource, and whether unknown members are dropped (`Prefer: handling=lenient`, REP-5). */
export interface DraftRule {
  readonly resource: Resource;
  readonly validator: ResourceValidator;
  readonly lenient: boolean;
}

/** Members that the server makes: ignored in a body, so that GET - edit - PUT works (REP-6). `id` is judged apart. */
const SYSTEM_MEMBERS = new Set(['id', 'created_at', 'updated_at', 'revision', 'links']);

/**
 * A new resource from a body (MET-1, REP-4, REP-6).
 *
 * @param within the rows above it, nearest first
 */
export function createDraft(rule: DraftRule, body: Json, within: readonly Ancestor[]): Draft {
  const { resource } = rule;
  if (!isJsonObject(body)) return notAnObject(resource);
  const candidate = { ...writable(resource, body), ...parentMember(resource, within) };
  const idFault = newIdFault(rule, body['id']);
  const checked = check(rule, candidate, idFault === null ? [] : [{ field: 'id', message: idFault }]);
  if (checked.kind !== 'valid') return checked;
  const { state } = resource;
  const given = state === null ? null : checked.values[state.field];
  if (state !== null && given !== state.initial) {
    const message = `A new ${resource.singular} starts as ${state.initial}; leave ${state.field} out or send that.`;
    return {
      kind: 'conflict',
      error: stateConflict(resource, state.field, `must start as ${state.initial}`, message),
      candidate,
    };
  }
  return { ...checked, id: typeof body['id'] === 'string' ? body['id'] : null };
}

/**
 * The complete replacement of a row (MET-2). What the caller cannot send or has left out on purpose keeps its value:
 * read-only, write-only and immutable fields and the state.
 */
export function replaceDraft(rule: DraftRule, body: Json, current: Row): Draft {
  const { resource } = rule;
  if (!isJsonObject(body)) return notAnObject(resource);
  const kept = resource.fields.filter(
    ({ name, readOnly, writeOnly, immutable }) =>
      readOnly || ((writeOnly || immutable || name === resource.state?.field) && !Object.hasOwn(body, name)),
  );
  return changeDraft(rule, { ...writable(resource, body), ...pick(current, kept) }, current, ownIdFault(body, current));
}

/** The result of a merge patch on a row (RFC 7396, MET-3); null unsets, and what is absent keeps its value. */
export function mergeDraft(rule: DraftRule, patch: Json, current: Row): Draft {
  const { resource } = rule;
  if (!isJsonObject(patch)) return notAnObject(resource);
  const before = pick(current, resource.fields);
  const after = mergePatch(before, writable(resource, patch));
  return changeDraft(rule, unsetRemoved(resource, before, after), current, ownIdFault(patch, current));
}

/**
 * The result of a JSON patch on what GET shows of a row (MET-3).
 *
 * @param patched the document after the patch; write-only fields that it does not hold keep their value
 */
export function patchDraft(rule: DraftRule, patched: Json, current: Row): Draft {
  const { resource } = rule;
  if (!isJsonObject(patched)) return notAnObject(resource);
  const readOnlyFields = resource.fields.filter(({ readOnly }) => readOnly);
  const faults = [...SYSTEM_MEMBERS, ...readOnlyFields.map(({ name }) => name)]
    .filter((name) => !sameMember(patched, current, name))
    .map((field) => ({ field, message: 'is read-only; leave it out of the patch' }));
  const hidden = resource.fields.filter(({ name, writeOnly }) => writeOnly && !Object.hasOwn(patched, name));
  const kept = pick(current, [...hidden, ...readOnlyFields]);
  const before = pick(current, resource.fields);
  const after = unsetRemoved(resource, before, { ...writable(resource, patched), ...kept });
  return changeDraft(rule, after, current, faults);
}

/** Whether a member of a representation is the server's to change: system members, computed ones and read-only fields (REP-6). */
export function isReadOnlyMember(resource: Resource, name: string): boolean {
  return (
    SYSTEM_MEMBERS.has(name) ||
    resource.field.get(name)?.readOnly === true ||
    resource.computed.some((computed) => computed.name === name)
  );
}

/** The names of the fields whose values differ from the row's. */
export function changedFields(resource: Resource, values: FieldValues, current: Row): readonly string[] {
  const changed: string[] = [];
  for (const { name } of resource.fields) {
    if (!jsonEquals(values[name] ?? null, current[name] ?? null)) changed.push(name);
  }
  return changed;
}

/** The `revision` in a body: compared where no `If-Match` was sent (REP-6). A text or other value is a fault of its own. */
export function bodyRevision(body: Json): number | null {
  const revision = isJsonObject(body) ? body['revision'] : null;
  return typeof revision === 'number' ? revision : null;
}

function changeDraft(rule: DraftRule, candidate: JsonObject, current: Row, faults: readonly ErrorDetail[]): Draft {
  const checked = check(rule, candidate, [...faults, ...frozenFaults(rule, candidate, current)]);
  if (checked.kind !== 'valid') return checked;
  const { resource } = rule;
  const { values } = checked;
  const error = forbiddenMove(resource, values, current);
  return error === null ? checked : { kind: 'conflict', error, candidate };
}

/** Immutable fields that a candidate would change, whatever else is wrong with it. Each is judged in its stored form, on the row as it stands. */
function frozenFaults({ resource, validator }: DraftRule, candidate: JsonObject, current: Row): readonly ErrorDetail[] {
  const frozen = resource.fields.filter(({ name, immutable }) => immutable && Object.hasOwn(candidate, name));
  if (frozen.length === 0) return [];
  const before = pick(current, resource.fields);
  return frozen.flatMap(({ name }) => {
    const value = candidate[name] ?? null;
    if (jsonEquals(value, before[name] ?? null)) return [];
    const checked = validator.check({ ...before, [name]: value }, { unknown: 'drop' });
    const same = checked.kind === 'invalid' || jsonEquals(checked.values[name] ?? null, before[name] ?? null);
    return same ? [] : [{ field: name, message: 'cannot be changed once the resource is created' }];
  });
}

function check(
  rule: DraftRule,
  candidate: JsonObject,
  faults: readonly ErrorDetail[],
): Draft & { kind: 'valid' | 'invalid' } {
  const checked = rule.validator.check(candidate, { unknown: rule.lenient ? 'drop' : 'refuse' });
  const details = [...faults, ...(checked.kind === 'invalid' ? checked.details : [])];
  if (checked.kind === 'valid' && details.length === 0) return { kind: 'valid', id: null, values: checked.values };
  return { kind: 'invalid', details, candidate };
}

function forbiddenMove(resource: Resource, values: FieldValues, current: Row): ApiError | null {
  const { state } = resource;
  if (state === null) return null;
  const [from, to] = [current[state.field], values[state.field]];
  if (from === to || typeof from !== 'string' || typeof to !== 'string') return null;
  if (state.transitions.get(from)?.has(to) === true) return null;
  const moves = [...(state.transitions.get(from) ?? [])];
  const fix = moves.length === 0 ? `${from} is final` : `from ${from} it goes to ${moves.join(' or ')}`;
  const subject = `${resource.singular}.${state.field}`;
  return stateConflict(
    resource,
    state.field,
    `cannot go from ${from} to ${to}`,
    `${subject} cannot go from ${from} to ${to}; ${fix}.`,
  );
}

function stateConflict(resource: Resource, field: string, fault: string, message: string): ApiError {
  return resourceError(resource.code, 'CONFLICT', message, { details: [{ field, message: fault }] });
}

/** The members of a body that a client may set. Unknown ones stay, to be judged. */
function writable(resource: Resource, body: JsonObject): JsonObject {
  const names = Object.keys(body);
  const kept = names.filter((name) => !isReadOnlyMember(resource, name));
  return kept.length === names.length ? body : Object.fromEntries(kept.map((name) => [name, body[name] ?? null]));
}

function parentMember(resource: Resource, within: readonly Ancestor[]): JsonObject {
  const [parent] = within;
  return resource.parent === null || parent === undefined ? {} : { [resource.parent.field]: parent.id };
}

function sameMember(a: JsonObject, b: JsonObject, name: string): boolean {
  const present = Object.hasOwn(a, name);
  return present === Object.hasOwn(b, name) && (!present || jsonEquals(a[name] ?? null, b[name] ?? null));
}

function pick(row: Row, fields: readonly Field[]): JsonObject {
  const picked: Record<string, Json> = {};
  for (const { name } of fields) picked[name] = row[name] ?? null;
  return picked;
}

/** A patch result in which what the patch removed is unset rather than absent: absence would bring the default back (REP-4). */
function unsetRemoved(resource: Resource, before: JsonObject, after: Json): JsonObject {
  const members = isJsonObject(after) ? after : {};
  const result: Record<string, Json> = { ...members };
  for (const { name, type } of resource.fields) {
    const value = Object.hasOwn(members, name) ? (members[name] ?? null) : null;
    result[name] = type.kind === 'object' ? unsetMembers(type.members, before[name] ?? null, value) : value;
  }
  return result;
}

function unsetMembers(
  declared: Extract<Field['type'], { kind: 'object' }>['members'],
  before: Json,
  after: Json,
): Json {
  if (!isJsonObject(before) || !isJsonObject(after)) return after;
  const result: Record<string, Json> = { ...after };
  for (const { name, type } of declared) {
    const value = Object.hasOwn(after, name) ? (after[name] ?? null) : null;
    result[name] = type.kind === 'object' ? unsetMembers(type.members, before[name] ?? null, value) : value;
  }
  return result;
}

function newIdFault({ resource, validator }: DraftRule, id: Json | undefined): string | null {
  if (resource.id.kind === 'server') {
    return id === undefined || id === null ? null : 'is made by the server; leave it out';
  }
  if (id === undefined || id === null) return 'is required: this collection takes the ids of its clients';
  return typeof id === 'string' ? validator.checkId(id) : 'must be a string';
}

function ownIdFault(body: JsonObject, current: Row): readonly ErrorDetail[] {
  const { id, revision } = body;
  const faults: ErrorDetail[] = [];
  if (id !== undefined && id !== current.id) faults.push({ field: 'id', message: 'must equal the id in the URL' });
  if (revision !== undefined && revision !== null && typeof revision !== 'number') {
    faults.push({ field: 'revision', message: 'must be an integer, as GET shows it' });
  }
  return faults;
}

function notAnObject(resource: Resource): Draft {
  const message = `must be a JSON object with the fields of a ${resource.singular}`;
  return { kind: 'invalid', details: [{ field: 'body', message }], candidate: {} };
}
