import assert from 'node:assert/strict';
import type { Json, JsonObject } from '../../src/conventions/json/json.ts';
import { compileValidators, type ResourceValidator } from '../../src/model/values/resource-validator.ts';
import { itemsDocument, load } from './loading.ts';

/** The validator of a resource `items` with these properties. */
export function validator(properties: string, required = '', rest = ''): ResourceValidator {
  const found = compileValidators(load(itemsDocument(properties, rest, required)).model).get('items');
  assert.ok(found !== undefined);
  return found;
}

/** The stored value of the one field `a`, or the errors as `field: message`. */
export function store(schema: string, value: Json | undefined, required = ''): Json | readonly string[] {
  const candidate: JsonObject = value === undefined ? {} : { a: value };
  const checked = validator(`a: ${schema}`, required).check(candidate, { unknown: 'refuse' });
  if (checked.kind === 'valid') return checked.values['a'] ?? null;
  return checked.details.map(({ field, message }) => `${field}: ${message}`);
}
