/**
 * Freezes a value and everything in it. `Object.freeze` does not protect the contents of a Map or Set, so their
 * mutating methods are replaced by one that throws a TypeError.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (value instanceof Map || value instanceof Set) {
    for (const [key, held] of value.entries()) {
      deepFreeze(key);
      deepFreeze(held);
    }
    for (const method of ['set', 'add', 'delete', 'clear'])
      Object.defineProperty(value, method, { value: rejectChange });
  }
  for (const held of Object.values(value)) deepFreeze(held);
  return Object.freeze(value);
}

function rejectChange(): never {
  throw new TypeError('the object is frozen');
}
