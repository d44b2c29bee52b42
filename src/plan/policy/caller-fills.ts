import { weakMemoize } from '../../cache/memoize.ts';
import { type ApiError, type ErrorDetail, resourceError } from '../../conventions/errors.ts';
import type { Json } from '../../conventions/json/json.ts';
import { writeNoun } from '../../conventions/text/article.ts';
import { valueCheck } from '../../model/compile/fields/keywords.ts';
import type { CallerFill, Resource } from '../../model/model.ts';
import type { PolicyCaller } from '../../model/policy.ts';
import { readObject } from '../../model/values/access.ts';
import type { FieldValues } from '../plan.ts';
import { bindCallerValue } from './bind-policy.ts';

/**
 * The values of a new row that come from the caller (`x-default`), in stored form. A value that the caller does not
 * have, or that the field cannot hold, is absent.
 */
export function callerFills(resource: Resource, caller: PolicyCaller): FieldValues {
  const values: Record<string, Json> = {};
  for (const { field, fill, check } of filledFields(resource)) {
    const value = bindCallerValue(field.type, fill.value, caller);
    if (value !== null && check(value) === null) values[field.name] = value;
  }
  return values;
}

/** The fields that come from the caller, each with the check of its values. Most resources have none. */
const filledFields = weakMemoize(({ fields, schema }: Resource) =>
  fields.flatMap((field) => {
    const { name, fill } = field;
    if (fill === null) return [];
    return [{ field, fill, check: valueCheck(field, readObject(readObject(schema['properties'])[name])) }];
  }),
);

/**
 * The reason why a caller can create no row: it lacks a value that a required field takes from it.
 *
 * @param nameOf the name of a field for the client; null for one that it does not know
 * @returns {R}_FORBIDDEN; null where it can
 */
export function fillError(
  resource: Resource,
  fills: FieldValues,
  nameOf: (name: string) => string | null,
): ApiError | null {
  const lacking = filledFields(resource).filter(
    ({ field, fill }) => !fill.override && field.required && fills[field.name] === undefined,
  );
  if (lacking.length === 0) return null;
  const { code, singular } = resource;
  const details = lacking.flatMap(({ field, fill }): readonly ErrorDetail[] => {
    const name = nameOf(field.name);
    return name === null ? [] : [{ field: name, message: describeLack(fill) }];
  });
  const cause = details.length === 0 ? 'a field' : details.map(({ field }) => field).join(', ');
  const message = `You may not create this ${writeNoun(singular)}: ${cause} comes from your credentials, which lack it.`;
  return resourceError(code, 'FORBIDDEN', message, { details });
}

function describeLack({ value }: CallerFill): string {
  const source = value.kind === 'claim' ? `the claim ${value.path}` : `the ${value.member}`;
  return `is ${source} of the caller; use credentials with one that this field can hold`;
}
