/** Random or sealed values: ids, ETags, cursors. */
const RANDOM =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<="(?:[\w-]{22}|\d+)\.)[\w-]{8,16}(?=\\*")|(?<=")[\w-]{22}(?=[.\\"])|[\w-]{48,}/g;

/** Answers in which each random value is replaced by the number of its first appearance: equal values stay equal. */
export function comparable(answers: readonly string[]): readonly string[] {
  const known = new Map<string, string>();
  return answers.map((answer) =>
    answer.replaceAll(RANDOM, (value) => {
      const number = known.get(value) ?? `#${known.size}`;
      known.set(value, number);
      return number;
    }),
  );
}
