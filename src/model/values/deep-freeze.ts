/**
 * Freezes a value and all that it holds. A map or set refuses changes from then on: freezing alone would leave its contents open.
 *
 * @throws {TypeError} later, whenever someone changes a frozen map or set
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
  throw new TypeError('a compiled model cannot be changed');
}
