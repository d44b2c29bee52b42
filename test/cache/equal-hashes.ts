import { fnv1a } from '../../src/cache/fnv1a.ts';

/** Two strings with one hash. */
export function equalHashes(): readonly [string, string] {
  const seen = new Map<number, string>();
  for (let count = 0; ; count += 1) {
    const text = String(count);
    const hash = fnv1a(text);
    const other = seen.get(hash);
    if (other !== undefined) return [other, text];
    seen.set(hash, text);
  }
}
