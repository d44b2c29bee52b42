import { createHash } from 'node:crypto';
import type { SqlValue } from '../../sql/dialect.ts';

/** Hexadecimal digits of the digest that make a revision: 52 bits, which a number holds exactly. */
const DIGITS = 13;

/** Computes the revision of a row: a digest of its values, each with its type and its length. */
export function rowRevision(...values: readonly SqlValue[]): number {
  const hash = createHash('sha256');
  for (const value of values) {
    if (value instanceof Uint8Array) hash.update(`x${value.length}:`).update(value);
    else hash.update(`${(typeof value).charAt(0)}${String(value).length}:${String(value)}`);
  }
  return Number.parseInt(hash.digest('hex').slice(0, DIGITS), 16);
}
