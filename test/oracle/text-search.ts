/** The words of a text: letters and digits, case and accents folded (QRY-6). */
export function wordsOf(text: string): readonly string[] {
  const folded = text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return folded.match(/[\p{L}\p{Nd}]+/gu) ?? [];
}

/** Whether every word of a question begins a word of one of the texts. */
export function matchesSearch(question: string, texts: readonly string[]): boolean {
  const words = texts.flatMap(wordsOf);
  return wordsOf(question).every((start) => words.some((word) => word.startsWith(start)));
}
