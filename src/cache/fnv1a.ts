const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;
const MIX = 0x85ebca6b;

/**
 * FNV-1a of the UTF-16 code units, as a signed 32-bit integer, the same in each run. Anyone who chooses strings can
 * choose two with one hash: it is for caches, which compare the key too.
 */
export function fnv1a(text: string): number {
  let hash = OFFSET_BASIS;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME);
  // Similar strings differ in few bits, and the slot of a hash table is taken from some of them.
  hash = Math.imul(hash ^ (hash >>> 15), MIX);
  return hash ^ (hash >>> 13);
}
