/**
 * A JSON value.
 *
 * @example
 * ```ts
 * const value: Json = { tags: ['new', null], price: 1.5 };
 * ```
 */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** A JSON object; its members keep their order. */
export interface JsonObject {
  readonly [member: string]: Json;
}

/** True if a JSON value is an object: neither an array nor null. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Sets a member of a new object. A member named `__proto__` is data, like any other. */
export function setMember<T>(object: Record<string, T>, name: string, value: T): void {
  if (name === '__proto__') {
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  } else object[name] = value;
}
