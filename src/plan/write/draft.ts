import { withArticle, writeNoun } from '../../conventions/text/article.ts';
import type { ApiError, ErrorDetail } from '../../conventions/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../conventions/json/json.ts';
import { jsonEquals } from '../../conventions/json/json-equality.ts';
import type { Field, Resource } from '../../model/model.ts';
import { listTimes } from '../../model/table-source.ts';
import type { Steps } from '../../platform/time-slices.ts';
import { type FieldPermission, fieldError } from '../policy/field-permission.ts';
import type { ResourceValidator } from '../../model/values/resource-validator.ts';
import { mergeMembers, type Patched, unsetRemoved } from './patched-members.ts';
import type { Ancestor, FieldValues, Row } from '../plan.ts';
import type { UrlCheck } from '../routes/row-url.ts';
import { newIdError, ownIdErrors, readSentId } from './draft-id.ts';
import { listKept } from './kept-fields.ts';
import { startError, transitionError } from './state-transition.ts';

/**
 * A validated body: the stored form of every field. An invalid one has the input, so that its references can be
 * checked, too.
 */
export type Draft =
  | { readonly kind: 'valid'; readonly id: string | null; readonly values: FieldValues }
  | {
      readonly kind: 'invalid';
      readonly details: readonly ErrorDetail[];
      readonly candidate: JsonObject;
      readonly cause?: Error;
    }
  /**
   * A change that the state machine (MET-11) or the caller's permission does not allow, or a patch that cannot be
   * applied. Invalid references rank first.
   */
  | { readonly kind: 'conflict'; readonly error: ApiError; readonly candidate: JsonObject };

/** The options of validating a body. `lenient` drops unknown members (`Prefer: handling=lenient`, REP-5). */
export interface DraftRule {
  /** Without the fields that the caller may not read. */
  readonly resource: Resource;
  readonly validator: ResourceValidator;
  readonly checkUrl: UrlCheck;
  readonly lenient: boolean;
  /** The error of a transition that requires a scope; null if the caller may make it (AUTH-4). */
  readonly scopeError: (scope: string) => ApiError | null;
  /** Refuses what would make a row too large, before it is validated. @throws {ApiError} REQUEST_BODY_TOO_LARGE */
  readonly checkSize: (values: JsonObject, current: Row | null) => void;
  /** The fields that the caller may not write. */
  readonly permission: Pick<FieldPermission, 'unwritable'>;
  /** The values of a new row that come from the caller, by the names of the resource (`x-default`). */
  readonly fills: FieldValues;
}

/**
 * Members that the server sets: ignored in a body, so that GET, edit, PUT works (REP-6). `id` is checked separately.
 */
const SYSTEM_MEMBERS = new Set(['id', 'created_at', 'updated_at', 'revision', 'links']);

/**
 * Validates the body of a create (MET-1, REP-4, REP-6).
 *
 * @param within the rows above it, nearest first
 */
export function createDraft(rule: DraftRule, body: Json, within: readonly Ancestor[]): Draft {
  const { resource } = rule;
  if (!isJsonObject(body)) return notAnObject(resource);
  const candidate = { ...withFills(rule, writableMembers(resource, body)), ...parentMember(resource, within) };
  rule.checkSize(candidate, null);
  const idError = newIdError(rule, body['id'], within);
  const checked = check(rule, candidate, idError === null ? [] : [{ field: 'id', message: idError }]);
  if (checked.kind !== 'valid') return checked;
  const change = { values: checked.values, sent: body, current: null, fills: rule.fills };
  const forbidden = fieldError(resource, rule.permission, change);
  if (forbidden !== null) return { kind: 'conflict', error: forbidden, candidate };
  const error = startError(resource, checked.values);
  if (error !== null) return { kind: 'conflict', error, candidate };
  return { ...checked, id: readSentId(resource, body['id']) };
}

/**
 * Validates the replacement of a row (MET-2). Read-only fields keep their value. Write-only and immutable fields keep
 * it if the body omits them. So do the state, fields that callers fill, and fields that the caller may not write.
 */
export function* replaceDraft(rule: DraftRule, body: Json, current: Row): Steps<Draft> {
  const { resource } = rule;
  if (!isJsonObject(body)) return notAnObject(resource);
  const members = writableMembers(resource, body);
  const kept = resource.fields.filter(
    ({ name, readOnly, writeOnly, immutable, fill }) =>
      readOnly ||
      ((writeOnly ||
        immutable ||
        fill !== null ||
        name === resource.state?.field ||
        rule.permission.unwritable.has(name)) &&
        !Object.hasOwn(members, name)),
  );
  const candidate = { ...members, ...pick(current, kept) };
  return yield* changeDraft(rule, { candidate, sent: members, errors: ownIdErrors(resource, body, current) }, current);
}

/**
 * Applies a merge patch to a row and validates the result (RFC 7396, MET-3): null unsets a field, absent fields keep
 * their value.
 */
export function* mergeDraft(rule: DraftRule, patch: Json, current: Row): Steps<Draft> {
  const { resource } = rule;
  if (!isJsonObject(patch)) return notAnObject(resource);
  const before = pick(current, resource.fields);
  const sent = writableMembers(resource, patch);
  const candidate = unsetRemoved(resource, before, mergeMembers(resource, before, sent));
  return yield* changeDraft(rule, { candidate, sent, errors: ownIdErrors(resource, patch, current) }, current);
}

/**
 * Validates the result of a JSON patch, which applies to the representation of a row (MET-3).
 *
 * @param patched absent write-only fields of the document keep their value
 */
export function* patchDraft(rule: DraftRule, { document: patched, removed }: Patched, current: Row): Steps<Draft> {
  const { resource } = rule;
  if (!isJsonObject(patched)) return notAnObject(resource);
  const readOnlyFields = resource.fields.filter(({ readOnly }) => readOnly);
  const errors = [...SYSTEM_MEMBERS, ...readOnlyFields.map(({ name }) => name)]
    .filter((name) => !isUnchanged(resource, patched, current, name))
    .map((field) => ({ field, message: 'is read-only; omit it from the patch' }));
  const hidden = resource.fields.filter(({ name, writeOnly }) => writeOnly && !Object.hasOwn(patched, name));
  const members = writableMembers(resource, patched);
  const state = resource.fields.filter(({ name }) => name === resource.state?.field && !Object.hasOwn(members, name));
  const kept = pick(current, [...hidden, ...readOnlyFields, ...(resource.state?.isOptional === true ? state : [])]);
  const before = pick(current, resource.fields);
  const candidate = unsetRemoved(resource, before, { ...members, ...kept }, removed);
  return yield* changeDraft(rule, { candidate, sent: members, errors }, current);
}

/** True if clients cannot change a member: system members, computed members and read-only fields (REP-6). */
export function isReadOnlyMember(resource: Resource, name: string): boolean {
  return (
    SYSTEM_MEMBERS.has(name) ||
    resource.field.get(name)?.readOnly === true ||
    resource.computed.some((computed) => computed.name === name)
  );
}

/** The names of the fields whose values differ from those of the row. */
export function changedFields(resource: Resource, values: FieldValues, current: Row): readonly string[] {
  const changed: string[] = [];
  for (const { name } of resource.fields) {
    if (!jsonEquals(values[name] ?? null, current[name] ?? null)) changed.push(name);
  }
  return changed;
}

/** The row as a body would leave it, with the members that were sent and their errors so far. */
interface Change {
  readonly candidate: JsonObject;
  readonly sent: JsonObject;
  readonly errors: readonly ErrorDetail[];
}

/**
 * Judges values that another contract was written in: as a body that has all of them. Fields that are read-only keep
 * their value, also those that are no field of that contract, but a part of one (REP-6).
 *
 * @param current null for a new row
 */
export function judgedDraft(rule: DraftRule, values: JsonObject, current: Row | null): Draft {
  const known = withReadOnly(rule.resource, values, current);
  const candidate = current === null ? withFills(rule, known) : known;
  if (current !== null) return finishSteps(changeDraft(rule, { candidate, sent: {}, errors: [] }, current));
  rule.checkSize(candidate, null);
  const checked = check(rule, candidate, []);
  if (checked.kind !== 'valid') return checked;
  const error = startError(rule.resource, checked.values);
  return error === null ? checked : { kind: 'conflict', error, candidate };
}

function withReadOnly({ fields, parent }: Resource, values: JsonObject, current: Row | null): JsonObject {
  const kept = fields.filter(({ name, readOnly }) => readOnly && name !== parent?.field);
  if (kept.length === 0) return values;
  if (current !== null) return { ...values, ...pick(current, kept) };
  const names = new Set(kept.map(({ name }) => name));
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.has(name)));
}

/** The members of a new row, with those that come from the caller. A client may override some of them. */
function withFills({ fills }: DraftRule, members: JsonObject): JsonObject {
  const absent = Object.entries(fills).filter(([name]) => !Object.hasOwn(members, name));
  return absent.length === 0 ? members : { ...members, ...Object.fromEntries(absent) };
}

/** Runs steps without a pause. */
function finishSteps(steps: Steps<Draft>): Draft {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Each step goes through all of a row, which may be large. */
function* changeDraft(rule: DraftRule, { candidate, sent, errors }: Change, current: Row): Steps<Draft> {
  yield;
  rule.checkSize(candidate, current);
  yield;
  const kept = listKept(rule.resource, candidate, current);
  const checked = check(rule, candidate, [...errors, ...immutableErrors(rule, candidate, current)], kept);
  if (checked.kind !== 'valid') return checked;
  const { values } = checked;
  const error =
    fieldError(rule.resource, rule.permission, { values, sent, current }) ?? transitionError(rule, values, current);
  return error === null ? checked : { kind: 'conflict', error, candidate };
}

/**
 * The immutable fields that a candidate would change. Each is compared in its stored form, independently of other
 * errors.
 */
function immutableErrors(
  { resource, validator }: DraftRule,
  candidate: JsonObject,
  current: Row,
): readonly ErrorDetail[] {
  const immutables = resource.fields.filter(({ name, immutable }) => immutable && Object.hasOwn(candidate, name));
  if (immutables.length === 0) return [];
  const before = pick(current, resource.fields);
  return immutables.flatMap(({ name }) => {
    const value = candidate[name] ?? null;
    if (jsonEquals(value, before[name] ?? null)) return [];
    const checked = validator.check({ ...before, [name]: value }, { unknown: 'drop' });
    const same = checked.kind === 'invalid' || jsonEquals(checked.values[name] ?? null, before[name] ?? null);
    return same ? [] : [{ field: name, message: 'is immutable; it cannot be changed after creation' }];
  });
}

function check(
  rule: DraftRule,
  candidate: JsonObject,
  errors: readonly ErrorDetail[],
  kept?: ReadonlySet<string>,
): Draft & { kind: 'valid' | 'invalid' } {
  const options = { unknown: rule.lenient ? 'drop' : 'refuse', ...(kept === undefined ? {} : { kept }) } as const;
  const checked = rule.validator.check(candidate, options);
  const details = [...errors, ...(checked.kind === 'invalid' ? checked.details : [])];
  if (checked.kind === 'valid' && details.length === 0) return { kind: 'valid', id: null, values: checked.values };
  return { kind: 'invalid', details, candidate };
}

/** The members of a body that a client may set. Unknown members are kept, to be validated. */
function writableMembers(resource: Resource, body: JsonObject): JsonObject {
  const names = Object.keys(body);
  const kept = names.filter((name) => !isReadOnlyMember(resource, name) && !isOmittedState(resource, name, body));
  return kept.length === names.length ? body : Object.fromEntries(kept.map((name) => [name, body[name] ?? null]));
}

/**
 * True if a member is an optional state field that is null: as if it were omitted, because every row has a state
 * (MET-11).
 */
export function isOmittedState({ state }: Pick<Resource, 'state'>, name: string, body: JsonObject): boolean {
  return state !== null && state.isOptional && name === state.field && body[name] === null;
}

function parentMember(resource: Resource, within: readonly Ancestor[]): JsonObject {
  const [parent] = within;
  return resource.parent === null || parent === undefined ? {} : { [resource.parent.field]: parent.id };
}

/**
 * True if a patch leaves a read-only member as it was. The document that it applies to has no write-only ones, and no
 * times without a column.
 */
function isUnchanged(resource: Resource, patched: JsonObject, current: Row, name: string): boolean {
  const isTime = name === 'created_at' || name === 'updated_at';
  const isAbsent = isTime && !listTimes(resource).includes(name);
  return isAbsent || resource.field.get(name)?.writeOnly === true
    ? !Object.hasOwn(patched, name)
    : sameMember(patched, current, name);
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

function notAnObject(resource: Resource): Draft {
  const message = `must be a JSON object with the fields of ${withArticle(writeNoun(resource.singular))}`;
  return { kind: 'invalid', details: [{ field: 'body', message }], candidate: {} };
}
