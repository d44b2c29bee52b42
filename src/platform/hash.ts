/** FNV-1a. */
const BASIS = 0x811c9dc5;
const PRIME = 0x01000193;
const SPREAD = 0x85ebca6b;

/**
 * A whole number of 32 bits for a text, the same in each run. Whoever chooses texts can choose some that share one: it is for what may forget.
 *
 * @param family a whole number for what the text is the name of: one text has another hash in each, for every step can be undone
 */
export function hashOf(text: string, family = 0): number {
  let hash = BASIS ^ family;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME);
  // Texts that are nearly alike differ in few bits until they are spread.
  hash = Math.imul(hash ^ (hash >>> 15), SPREAD);
  return hash ^ (hash >>> 13);
}
