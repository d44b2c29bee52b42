/** Random or sealed values: ids, ETags, cursors. */
const RANDOM =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<="(?:[\w-]{22}|\d+)\.)[\w-]{8,16}(?=\\*")|(?<=")[\w-]{22}(?=[.\\"])|[\w-]{48,}/g;

/**
 * Revisions and sequences: in JSON, XML, text and CSV, where they follow a time, and in an ETag whose random part is
 * replaced. PostgreSQL leaves some out where a write is refused or a dry run (REP-8, EVT-3).
 */
const NUMBERS =
  /(?<="(?:revision|sequence)\\*":\s?\\*"?)\d+|(?<=<(?:revision|sequence)>)\d+|(?<=(?:revision|sequence): )\d+|(?<=\.\d{3}Z,)\d+(?=,|\\|\n|$)|(?<=")\d+(?=\.#\d)/g;

/** Answers without revisions, and with each random value replaced by the number of its first appearance. */
export function comparable(answers: readonly string[]): readonly string[] {
  const known = new Map<string, string>();
  return answers.map((answer) =>
    answer
      .replaceAll(RANDOM, (value) => {
        const number = known.get(value) ?? `#${known.size}`;
        known.set(value, number);
        return number;
      })
      .replaceAll(NUMBERS, '^'),
  );
}
