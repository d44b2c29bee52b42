import type { Json } from '../../conventions/json/json.ts';
import { isRecord } from '../../model/typescript/module-values.ts';

/** Maximum levels of nesting. */
const MAX_DEPTH = 32;

/**
 * The tree that a policy function returned, as JSON. What is undefined, or no number, becomes null, never an absent member: a comparison that a caller
 * has no value for stays in the tree.
 *
 * @throws {TypeError} where it has a value that no policy can have
 */
export function policyTree(value: unknown, depth = 0): Json {
  if (depth > MAX_DEPTH) throw new TypeError(`it has more than ${MAX_DEPTH} levels`);
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'bigint') return String(value);
  return value === null || value === undefined ? null : structure(value, depth + 1);
}

function structure(value: unknown, depth: number): Json {
  if (value instanceof Set || Array.isArray(value))
    return Array.from<unknown, Json>(value, (each) => policyTree(each, depth));
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Promise) {
    // Its rejection has no other handler.
    value.catch(() => undefined);
    throw new TypeError('it is a promise: a policy is synchronous');
  }
  if (!isRecord(value)) throw new TypeError('it has a value that is no data');
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, policyTree(held, depth)]));
}
