/** Letters that NFKD does not decompose into a letter and marks. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
};
const MAX_LENGTH = 64;
const LETTER = /[ßæœøđðþł]/gi;
const MARKS = /\p{M}/gu;

/**
 * Converts a name of a data file to a name in snake_case: `customerId`, `Customer ID` and `CUSTOMER-ID` are
 * `customer_id`. Accents are removed. A name without a letter or digit of ASCII is `field`.
 */
export function snakeName(source: string): string {
  const ascii = source
    .replace(LETTER, (letter) => LETTERS[letter.toLowerCase()] ?? letter)
    .normalize('NFKD')
    .replace(MARKS, '');
  const words = ascii
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  const name = words.join('_').slice(0, MAX_LENGTH).replace(/_$/, '');
  if (name === '') return 'field';
  return /^[a-z]/.test(name) ? name : `field_${name}`;
}

/** The first of `name`, `name_2`, `name_3` ... that is not in use; it is added to the used names. */
export function claimName(name: string, used: Set<string>): string {
  let claimed = name;
  for (let number = 2; used.has(claimed); number += 1) claimed = `${name}_${number}`;
  used.add(claimed);
  return claimed;
}

/** Returns the name that a snake_case name becomes, such as another one for a reserved name. */
export type RenameMember = (name: string, source: string) => string;

/**
 * The names of the members of an object, by their names in the data. A name that is in snake_case already is kept,
 * whatever other names become.
 */
export function memberNames(sources: Iterable<string>, rename: RenameMember = safeName): ReadonlyMap<string, string> {
  const all = [...sources];
  const used = new Set<string>();
  const names = new Map<string, string>();
  const isKept = (source: string): boolean => rename(snakeName(source), source) === source;
  for (const source of all.filter(isKept)) names.set(source, claimName(source, used));
  for (const source of all) {
    if (!names.has(source)) names.set(source, claimName(rename(snakeName(source), source), used));
  }
  return names;
}

/** Bodies may not contain these names (REP-7). */
export function safeName(name: string): string {
  return name === 'constructor' || name === 'prototype' ? `source_${name}` : name;
}
