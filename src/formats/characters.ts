/** What JSON bodies may not hold either (RFC 7493 2.1, REP-7). */
const REFUSED = /[\0\p{Noncharacter_Code_Point}\p{Surrogate}]/u;
const PROTOTYPES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** What is wrong with the characters of a text, in words that follow its name; null where nothing is. */
export function textFault(text: string): string | null {
  return REFUSED.test(text) ? 'may not contain NUL, lone surrogates or noncharacters of Unicode' : null;
}

/** What is wrong with the name of a member, in words; null where nothing is. */
export function nameFault(name: string): string | null {
  if (PROTOTYPES.has(name)) return 'a member may not be named __proto__, constructor or prototype';
  return textFault(name) === null ? null : 'a name may not contain NUL, lone surrogates or noncharacters of Unicode';
}
