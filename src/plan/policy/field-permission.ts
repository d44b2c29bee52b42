import { writeNoun } from '../../conventions/text/article.ts';
import { type ApiError, type ErrorDetail, resourceError } from '../../conventions/errors.ts';
import type { Json, JsonObject } from '../../conventions/json/json.ts';
import { jsonEquals } from '../../conventions/json/json-equality.ts';
import type { Field, Resource } from '../../model/model.ts';
import { needsValue } from '../../model/needs-value.ts';
import { absentValue, storedForm } from '../../model/values/stored-form.ts';
import type { FieldValues } from '../plan.ts';

/** The restrictions of a caller on the fields of a resource. */
export interface FieldPermission {
  /** The fields and computed members that it may not read: for this caller they do not exist (REP-11). */
  readonly hidden: ReadonlySet<string>;
  /** The fields that it may read and not write. */
  readonly unwritable: ReadonlySet<string>;
}

/** The restrictions of a resource without rules on fields. */
export const EVERY_FIELD: FieldPermission = { hidden: new Set(), unwritable: new Set() };

/** The values of a row as a caller may change them. */
interface ShownChange {
  readonly values: FieldValues;
  /** The members that were sent. */
  readonly sent: JsonObject;
  /** The values of the row; null for a new one. */
  readonly current: FieldValues | null;
  /** The values of a new row that come from the caller. */
  readonly fills?: FieldValues;
}

/**
 * The reason why a caller may not make a change: it has another value for a field that the caller may not write. An
 * equal value is no write; that of a write-only field is not compared, since the response would say whether it was
 * guessed.
 *
 * @returns {R}_FORBIDDEN with the fields; null where the caller may make it
 */
export function fieldError(
  resource: Resource,
  { unwritable }: Pick<FieldPermission, 'unwritable'>,
  { values, sent, current, fills = {} }: ShownChange,
): ApiError | null {
  if (unwritable.size === 0) return null;
  const written = resource.fields.filter((field) => {
    const { name, writeOnly } = field;
    if (!unwritable.has(name)) return false;
    if (writeOnly) return Object.hasOwn(sent, name);
    return !jsonEquals(values[name] ?? null, current === null ? valueOfNew(field, fills) : (current[name] ?? null));
  });
  return written.length === 0 ? null : forbidden(resource, written, 'may not be written by you; omit it');
}

/**
 * The reason why a caller can create no row: a field that it may not write is required and has no default.
 *
 * @param resource with its hidden fields, which no error names
 * @returns {R}_FORBIDDEN; null where it can
 */
export function creationError(resource: Resource, { hidden, unwritable }: FieldPermission): ApiError | null {
  if (hidden.size + unwritable.size === 0) return null;
  const lacking = resource.fields.filter(
    (field) => needsValue(field) && (hidden.has(field.name) || unwritable.has(field.name)),
  );
  if (lacking.length === 0) return null;
  const named = lacking.filter(({ name }) => !hidden.has(name));
  return forbidden(resource, named, 'is required, and may not be written by you');
}

/** The same values with those of hidden fields: kept in a change; in a new row those that absent fields get. */
export function withHiddenFields(
  resource: Resource,
  { hidden }: Pick<FieldPermission, 'hidden'>,
  { values, current, fills = {} }: Omit<ShownChange, 'sent'>,
): FieldValues {
  if (hidden.size === 0) return values;
  const complete: Record<string, Json> = {};
  for (const field of resource.fields) {
    const { name } = field;
    const kept = current === null ? valueOfNew(field, fills) : (current[name] ?? null);
    complete[name] = hidden.has(name) ? kept : (values[name] ?? null);
  }
  return complete;
}

function valueOfNew(field: Field, fills: FieldValues): Json {
  return storedForm(field)(fills[field.name] ?? absentValue(field));
}

function forbidden({ code, singular }: Resource, fields: readonly Field[], message: string): ApiError {
  const details = fields.map(({ name }): ErrorDetail => ({ field: name, message }));
  const cause = details.length === 0 ? 'a field' : details.map(({ field }) => field).join(', ');
  return resourceError(code, 'FORBIDDEN', `You may not write ${cause} of this ${writeNoun(singular)}.`, { details });
}
