import type { Json, JsonObject } from '../conventions/json.ts';
import { assertionOf } from './assertion.ts';
import type { ComputedField } from './model.ts';
import { storedForm } from './stored-form.ts';
import { compileAssertion } from './validator.ts';

/** Works a computed member out from a row. @throws {Error} where the function fails, or returns what its schema does not admit */
export type Compute = (row: JsonObject) => Json;

/**
 * Compiles a computed member: what its function returns is held to the schema, so that what a description says of it is true.
 *
 * @param resource its name, for the log
 */
export function compileComputed(resource: string, computed: ComputedField): Compute {
  const { name, from, value, schema } = computed;
  const violationsOf = compileAssertion(assertionOf(computed, schema));
  const form = storedForm(computed);
  return (row) => {
    const read = Object.fromEntries(from.map((field) => [field, row[field] ?? null]));
    const result = toJson(value(Object.freeze(read)));
    const [violation] = violationsOf(result);
    // The value may be one that must not leave, also for the log.
    if (violation !== undefined) throw new Error(`${resource}.${name} was computed as none of its schema's values`);
    return form(result);
  };
}

/** Whatever a function returns, as JSON; what is nothing is null. */
function toJson(value: unknown): Json {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  const copy: Json = JSON.parse(JSON.stringify(value) ?? 'null');
  return copy;
}
