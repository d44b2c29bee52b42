import type { Json } from '../../conventions/json/json.ts';

/**
 * Converts what a function of a model returned to JSON. Undefined becomes null.
 *
 * @throws {TypeError} JSON cannot represent it, or it is a promise
 */
export function returnedJson(value: unknown): Json {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean' || typeof value === 'number') return value;
  if (typeof value === 'string') return value.toWellFormed();
  if (value instanceof Promise) {
    // An unhandled rejection would end the process.
    value.catch(() => null);
    throw new TypeError('the function returned a promise; it must return the value synchronously');
  }
  const text: string | undefined = JSON.stringify(value, (_name, held: unknown) => jsonMember(held));
  if (text === undefined) throw new TypeError(`a value of type ${typeof value} is not valid in JSON`);
  const copy: Json = JSON.parse(text);
  return copy;
}

/** Text that was cut within a surrogate pair stays valid JSON. */
function jsonMember(held: unknown): unknown {
  if (typeof held === 'string') return held.toWellFormed();
  if (typeof held === 'number' && !Number.isFinite(held)) throw new TypeError(`${held} is not valid in JSON`);
  return held;
}
