import { type ApiError, type ErrorDetail, resourceError } from '../../conventions/errors.ts';
import type { Json } from '../../conventions/json/json.ts';
import { writeNoun } from '../../conventions/text/article.ts';
import { valueCheck } from '../../model/compile/fields/keywords.ts';
import type { Field, Resource } from '../../model/model.ts';
import type { PolicyCaller } from '../../model/policy.ts';
import { readObject } from '../../model/values/access.ts';
import type { FieldValues } from '../plan.ts';
import { bindCallerValue } from './bind-policy.ts';

/**
 * The values of a new row that come from the caller (`x-default`), in stored form. A value that the caller does not
 * have, or that the field cannot hold, is absent.
 */
export function callerFills({ fields, schema }: Resource, caller: PolicyCaller): FieldValues {
  const values: Record<string, Json> = {};
  for (const field of fields) {
    if (field.fill === null) continue;
    const { name, fill, type } = field;
    const value = bindCallerValue(type, fill.value, caller);
    const declared = readObject(readObject(schema['properties'])[name]);
    if (value !== null && valueCheck(field, declared)(value) === null) values[name] = value;
  }
  return values;
}

/**
 * The reason why a caller can create no row: it lacks a value that a required field takes from it.
 *
 * @param nameOf the name of a field for the client; null for one that it does not know
 * @returns {R}_FORBIDDEN; null where it can
 */
export function fillError(
  { code, singular, fields }: Resource,
  fills: FieldValues,
  nameOf: (name: string) => string | null,
): ApiError | null {
  const lacking = fields.filter(
    ({ name, required, fill }) => fill !== null && !fill.override && required && fills[name] === undefined,
  );
  if (lacking.length === 0) return null;
  const details = lacking.flatMap((field): readonly ErrorDetail[] => {
    const name = nameOf(field.name);
    return name === null ? [] : [{ field: name, message: describeLack(field) }];
  });
  const cause = details.length === 0 ? 'a field' : details.map(({ field }) => field).join(', ');
  const message = `You may not create this ${writeNoun(singular)}: ${cause} comes from your credentials, which lack it.`;
  return resourceError(code, 'FORBIDDEN', message, { details });
}

function describeLack({ fill }: Field): string {
  const source = fill?.value.kind === 'claim' ? `the claim ${fill.value.path}` : `the ${fill?.value.member ?? 'name'}`;
  return `is ${source} of the caller; use credentials with one that this field can hold`;
}
