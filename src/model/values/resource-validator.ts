import { type ErrorDetail, MAX_DETAILS } from '../../conventions/errors.ts';
import type { Json, JsonObject } from '../../conventions/json.ts';
import { closestMatch } from '../../conventions/closest-match.ts';
import { memberAssertions } from './assertion.ts';
import { type CoercionResult, coerceText } from './coercion.ts';
import type { Field, IdRule, Model, Resource } from '../model.ts';
import { formatPath } from './path.ts';
import { absentValue, storedForm } from './stored-form.ts';
import { compileAssertion } from './validator.ts';
import { describeReason, dedupeViolations, type Violation } from './violation.ts';

/** What a check says of a candidate: the stored form of every field in declared order, or all faults at once (ERR-3). */
export type ValidationResult =
  | { readonly kind: 'valid'; readonly values: JsonObject }
  | { readonly kind: 'invalid'; readonly details: readonly ErrorDetail[] };

/** What a resource's values have to be. Messages never quote a value: it may be one that must not leave (REP-11). */
export interface ResourceValidator {
  /**
   * Checks the declared fields of a resource and brings them to their stored form. An absent field takes its default, else null;
   * null is unset, and no default applies (REP-4). Values are never coerced.
   *
   * @param candidate fields by name, as the client sent them
   * @param options what becomes of fields and members that are not declared (REP-5)
   */
  check(candidate: JsonObject, options: { readonly unknown: 'refuse' | 'drop' }): ValidationResult;

  /** A text of a query as a value of the property at a path, in the form that JSON shows (QRY-2). */
  coerce(path: string, text: string): CoercionResult;

  /** What is wrong with an id that a client made (URL-3), in words that follow `id`; null where nothing is. */
  checkId(id: string): string | null;
}

const MAX_ID = 255;
const CONTROL = /\p{Cc}/u;

/** Compiles what each resource's values have to be, by the resource's name. Done once, at start. */
export function compileValidators(model: Model): ReadonlyMap<string, ResourceValidator> {
  return new Map([...model.resources].map(([name, resource]) => [name, compileValidator(resource)]));
}

function compileValidator(resource: Resource): ResourceValidator {
  return {
    check: compileCheck(resource),
    coerce: (path, text) => {
      const property = resource.properties.get(path);
      if (property !== undefined) return coerceText(property.type, text);
      return { kind: 'invalid', message: `is no property of a ${resource.singular}` };
    },
    checkId: (id) => idError(id, resource.id),
  };
}

function compileCheck({ fields, field, schema }: Resource): ResourceValidator['check'] {
  const violationsOf = compileAssertion({ type: 'object', properties: memberAssertions(fields, schema) });
  const stages = fields.map((each) => ({
    name: each.name,
    absent: isMandatory(each) ? null : absentValue(each),
    form: storedForm(each),
  }));
  /** Null is one of their values, so that the schema alone does not tell their absence. */
  const mandatory = fields.filter((each) => isMandatory(each) && each.nullable).map(({ name }) => name);
  const writable = fields.filter(({ readOnly }) => !readOnly).map(({ name }) => name);

  return (candidate, { unknown }) => {
    const strangers = unknown === 'drop' ? [] : Object.keys(candidate).filter((name) => !field.has(name));
    const missing = mandatory.filter((name) => candidate[name] === undefined);
    const values: Record<string, Json> = {};
    for (const { name, absent } of stages) {
      const given = candidate[name];
      values[name] = given === undefined ? absent : given;
    }
    const found = violationsOf(values);
    const violations = unknown === 'drop' ? found.filter(({ reason }) => reason.kind !== 'unknown') : found;
    if (strangers.length + missing.length + violations.length > 0) {
      const details = [
        ...strangers
          .slice(0, MAX_DETAILS)
          .map((name) => ({ field: formatPath([name]), message: unknownMessage(name, writable) })),
        ...missing.map((name) => ({ field: name, message: 'is required; null is allowed' })),
        ...dedupeViolations(violations).slice(0, MAX_DETAILS).map(detail),
      ];
      return { kind: 'invalid', details };
    }
    for (const { name, form } of stages) values[name] = form(values[name] ?? null);
    return { kind: 'valid', values };
  };
}

/** Whether a client has to send the field. */
function isMandatory(field: Field): boolean {
  return field.required && field.default === undefined;
}

function detail({ path, reason, value }: Violation): ErrorDetail {
  const message =
    reason.kind === 'unknown' ? unknownMessage(String(path.at(-1)), reason.known) : describeReason(reason, value);
  return { field: formatPath(path), message };
}

function unknownMessage(name: string, known: readonly string[]): string {
  const meant = closestMatch(name, known);
  return `is not a known field; ${meant === null ? 'leave it out' : `did you mean "${meant}"?`}`;
}

function idError(id: string, rule: IdRule): string | null {
  if (!id.isWellFormed() || CONTROL.test(id)) return 'must have no control characters and no lone surrogates';
  const length = Array.from(id).length;
  if (length === 0 || length > MAX_ID) return `must have 1 to ${MAX_ID} characters`;
  if (id === '.' || id === '..') return 'must not be . or .., which mean something else in a URL';
  if (rule.kind === 'server' || rule.pattern === null || rule.pattern.test(id)) return null;
  return `must match the pattern ${rule.pattern.source}`;
}
