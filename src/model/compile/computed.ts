import type { Json, JsonObject } from '../../conventions/json.ts';
import { assertionOf } from '../values/assertion.ts';
import { deepFreeze } from '../values/deep-freeze.ts';
import type { ComputedField } from '../model.ts';
import { storedForm } from '../values/stored-form.ts';
import { compileAssertion } from '../values/validator.ts';

/** Works a computed member out from a row. @throws {Error} where the function fails, or returns what its schema does not admit */
export type Compute = (row: JsonObject) => Json;

/**
 * Compiles a computed member: what its function returns is held to the schema, so that what a description says of it is true. It gets the
 * id and the fields that it says it reads, frozen: a row may be shown to many.
 *
 * @param resource its name, for the log
 */
export function compileComputed(resource: string, computed: ComputedField): Compute {
  const { name, from, value, schema } = computed;
  const violationsOf = compileAssertion(assertionOf(computed, schema));
  const form = storedForm(computed);
  const readable = ['id', ...from];
  return (row) => {
    const view = deepFreeze(Object.fromEntries(readable.map((field) => [field, row[field] ?? null])));
    const result = evaluate(() => toJson(value(view)), `${resource}.${name}`);
    const [violation] = violationsOf(result);
    // The value may be one that must not leave, also for the log.
    if (violation !== undefined) throw new Error(`${resource}.${name} was computed as none of its schema's values`);
    return form(result);
  };
}

function evaluate(compute: () => Json, member: string): Json {
  try {
    return compute();
  } catch (error) {
    throw new Error(`${member} could not be computed`, { cause: error });
  }
}

/** Whatever a function returns, as JSON; what is nothing is null. */
function toJson(value: unknown): Json {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (value instanceof Promise) {
    // Nobody waits for it: what becomes of it must not end the process.
    value.catch(() => null);
    throw new TypeError('a computed value is there at once, not a promise of one');
  }
  const copy: Json = JSON.parse(JSON.stringify(value) ?? 'null');
  return copy;
}
