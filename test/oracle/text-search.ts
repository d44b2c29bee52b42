/** Splits a text into words of letters and digits, without case and accents (QRY-6). */
export function splitWords(text: string): readonly string[] {
  const folded = text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return folded.match(/[\p{L}\p{Nd}]+/gu) ?? [];
}

/** Matches a search: each of its words is a prefix of a word in one of the texts. */
export function matchesSearch(search: string, texts: readonly string[]): boolean {
  const words = texts.flatMap(splitWords);
  return splitWords(search).every((prefix) => words.some((word) => word.startsWith(prefix)));
}
