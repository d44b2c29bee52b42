/** FNV-1a. */
const BASIS = 0x811c9dc5;
const PRIME = 0x01000193;
const SPREAD = 0x85ebca6b;

/** A whole number of 32 bits for a text, the same in each run. Whoever chooses texts can choose some that share one: it is for what may forget. */
export function fnv1a(text: string): number {
  let hash = BASIS;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME);
  // Texts that are nearly alike differ in few bits until they are spread.
  hash = Math.imul(hash ^ (hash >>> 15), SPREAD);
  return hash ^ (hash >>> 13);
}
