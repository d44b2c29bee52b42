import { findForbiddenTexts, FORBIDDEN_TEXT, isForbiddenText } from '../../conventions/text/allowed-text.ts';
import { cut } from '../../conventions/text/quoted.ts';
import { type ErrorDetail, MAX_DETAILS } from '../../conventions/errors.ts';
import type { Json, JsonObject } from '../../conventions/json/json.ts';
import { closestMatch } from '../../conventions/text/closest-match.ts';
import { memberAssertions } from './assertion.ts';
import { type CoercionResult, coerceText } from './coercion.ts';
import { readDigits } from './formats.ts';
import type { Field, IdRule, Model, Resource, ValueType } from '../model.ts';
import { describeAllowed, describeReason } from './messages.ts';
import { formatPath, type Path } from '../path.ts';
import { absentValue, storedForm } from './stored-form.ts';
import { compileAssertion, dedupeViolations, type FindViolations, type ValueViolation } from './validator.ts';

/** The result of a check: every field in stored form and declared order, or all errors (ERR-3). */
type ValidationResult =
  | { readonly kind: 'valid'; readonly values: JsonObject }
  | { readonly kind: 'invalid'; readonly details: readonly ErrorDetail[] };

/** Options of a check. */
interface CheckOptions {
  readonly unknown: 'refuse' | 'drop';
  readonly texts?: 'unchecked';
  /** Fields that are not checked: they keep a value that another program has stored. Default: none. */
  readonly kept?: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();

/** Validates the values of a resource. Messages never contain a value, which may be a secret (REP-11). */
export interface ResourceValidator {
  /**
   * Checks the declared fields and normalizes them to their stored form. An absent field gets its default, or null. An
   * explicit null means unset and gets no default (REP-4). Values are not coerced.
   *
   * @param candidate fields by name, as the client sent them
   * @param options whether undeclared fields and members are rejected or dropped (REP-5). Texts are checked here only
   *   where no reader of bodies has checked their characters (REP-7)
   */
  check(candidate: JsonObject, options: CheckOptions): ValidationResult;

  /** Converts a string from a query to a value of the property at a path, in stored form (QRY-2). */
  coerce(path: string, text: string): CoercionResult;

  /** Checks an id from a client (URL-3). Returns an error message without `id`, or null for a valid id. */
  checkId(id: string): string | null;
}

const MAX_ID = 255;
const CONTROL = /\p{Cc}/u;

/**
 * The validators of a model, by name of the resource. Called once, at start; each is compiled when it first checks a
 * row.
 */
export function compileValidators(model: Model): ReadonlyMap<string, ResourceValidator> {
  const { depth } = model.limits;
  return new Map([...model.resources].map(([name, resource]) => [name, compileValidator(resource, depth)]));
}

function compileValidator(resource: Resource, depth: number): ResourceValidator {
  let check: ResourceValidator['check'] | null = null;
  return {
    check: (candidate, options) => (check ??= compileCheck(resource, depth))(candidate, options),
    coerce: (path, text) => {
      const property = resource.properties.get(path);
      if (property === undefined) return { kind: 'invalid', message: `is not a property of ${resource.name}` };
      const { type, allowed } = property;
      const coerced = coerceText(type, text);
      if (coerced.kind === 'invalid' || allowed === null || allowed.includes(coerced.value)) return coerced;
      return { kind: 'invalid', message: describeAllowed(allowed) };
    },
    checkId: (id) => idError(id, resource.id),
  };
}

function compileCheck({ fields, field, schema }: Resource, depth: number): ResourceValidator['check'] {
  const violationsOf = compileViolations(fields, schema, depth);
  const steps = fields.map((each) => ({
    name: each.name,
    absent: isMandatory(each) ? null : absentValue(each),
    form: storedForm(each),
  }));
  /** The schema allows null for them, so it cannot detect that they are absent. */
  const mandatory = fields.filter((each) => isMandatory(each) && each.nullable).map(({ name }) => name);
  const writable = fields.filter(({ readOnly }) => !readOnly).map(({ name }) => name);
  const readNumbers = numberReader(fields);

  return (given, { unknown, texts, kept = NONE }) => {
    const candidate = readNumbers(given);
    const undeclared = unknown === 'drop' ? [] : Object.keys(candidate).filter((name) => !field.has(name));
    const missing = mandatory.filter((name) => candidate[name] === undefined && !kept.has(name));
    const values: Record<string, Json> = {};
    for (const { name, absent } of steps) {
      const value = candidate[name];
      values[name] = value === undefined ? absent : value;
    }
    const all = violationsOf(values);
    const found = kept.size === 0 ? all : all.filter(({ path: [name] }) => !kept.has(String(name)));
    const violations = unknown === 'drop' ? found.filter(({ reason }) => reason.kind !== 'unknown') : found;
    const forbidden = texts === 'unchecked' ? findForbiddenTexts(values, []) : [];
    if (undeclared.length + missing.length + violations.length + forbidden.length > 0) {
      const details = [
        ...undeclared
          .slice(0, MAX_DETAILS)
          .map((name) => ({ field: writeRequestPath([name]), message: unknownMessage(name, writable) })),
        ...missing.map((name) => ({ field: name, message: 'is required; null is allowed' })),
        ...dedupeViolations(violations).slice(0, MAX_DETAILS).map(detail),
        ...forbidden.slice(0, MAX_DETAILS).map((path) => ({ field: writeRequestPath(path), message: FORBIDDEN_TEXT })),
      ];
      return { kind: 'invalid', details };
    }
    for (const { name, form } of steps) if (!kept.has(name)) values[name] = form(values[name] ?? null);
    return { kind: 'valid', values };
  };
}

/**
 * Compiles the check of fields. JSON that is too deep for a body is a violation, too (REP-7). No reader of bodies
 * returns it, but patches and functions nest values further.
 *
 * @param depth of a body, in which the value of a field is one level down
 */
function compileViolations(fields: readonly Field[], schema: JsonObject, depth: number): FindViolations {
  const findViolations = compileAssertion({ type: 'object', properties: memberAssertions(fields, schema) });
  const names = fields.filter(({ type }) => holdsAnyJson(type)).map(({ name }) => name);
  if (names.length === 0) return findViolations;
  const reason = { kind: 'check', message: `must be nested at most ${depth - 1} levels deep` } as const;
  return (values) => {
    const deep = names.filter((name) => isDeeper(Reflect.get(Object(values), name), depth - 1));
    const violations = deep.map((name) => ({ path: [name], reason, description: null, value: null }));
    return [...violations, ...findViolations(values)];
  };
}

/** True if a type has values of any depth. */
function holdsAnyJson(type: ValueType): boolean {
  if (type.kind === 'object') return type.members.some((member) => holdsAnyJson(member.type));
  if (type.kind === 'map') return holdsAnyJson(type.value.type);
  return type.kind === 'json' || (type.kind === 'array' && holdsAnyJson(type.item.type));
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((held) => isDeeper(held, depth - 1));
}

/** Replaces integers by their digits in references to resources that have such ids (REP-4). */
function numberReader(fields: readonly Field[]): (candidate: JsonObject) => JsonObject {
  const names = fields.filter(({ type }) => hasDigits(type)).map(({ name }) => name);
  if (names.length === 0) return (candidate) => candidate;
  const read = (value: Json): Json => readDigits(value) ?? value;
  return (candidate) => {
    const sent = names.filter((name) => candidate[name] !== undefined);
    const converted = sent.map((name): [string, Json] => {
      const value = candidate[name] ?? null;
      return [name, Array.isArray(value) ? value.map(read) : read(value)];
    });
    return { ...candidate, ...Object.fromEntries(converted) };
  };
}

/** True if integers are read as ids, in a field or in the items of a list. */
function hasDigits(type: ValueType): boolean {
  if (type.kind === 'array') return hasDigits(type.item.type);
  return type.kind === 'text' && type.digits === true;
}

/** True if a client must send the field. */
function isMandatory(field: Field): boolean {
  return field.required && field.default === undefined;
}

function detail({ path, reason, value }: ValueViolation): ErrorDetail {
  const message =
    reason.kind === 'unknown' ? unknownMessage(String(path.at(-1)), reason.known) : describeReason(reason, value);
  return { field: writeRequestPath(path), message };
}

/**
 * The path of a value in a request. The names of members that are not declared, and the keys of maps, can have any
 * length.
 */
function writeRequestPath(path: Path): string {
  return formatPath(path.map((step) => (typeof step === 'string' ? cut(step) : step)));
}

function unknownMessage(name: string, known: readonly string[]): string {
  const meant = closestMatch(name, known);
  return `is not a known field; ${meant === null ? 'remove it' : `did you mean "${meant}"?`}`;
}

function idError(id: string, rule: IdRule): string | null {
  if (CONTROL.test(id)) return 'must not contain control characters';
  if (isForbiddenText(id)) return FORBIDDEN_TEXT;
  const length = Array.from(id).length;
  if (length === 0 || length > MAX_ID) return `must have 1 to ${MAX_ID} characters`;
  if (id === '.' || id === '..') return 'must not be . or .., which are relative references in a URL';
  if (rule.kind === 'server' || rule.pattern === null || rule.pattern.test(id)) return null;
  return `must match the pattern ${rule.pattern.source}`;
}
