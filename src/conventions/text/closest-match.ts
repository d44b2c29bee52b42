const MAX_DISTANCE = 3;

/**
 * Finds the known name that a caller most likely meant (QRY-5): the one with the fewest edits. At most one edit for
 * every three characters counts, and at most three. Case is ignored, and the first name wins a tie. null if no name
 * is close enough.
 */
export function closestMatch(name: string, known: Iterable<string>): string | null {
  let found: string | null = null;
  let best = MAX_DISTANCE + 1;
  for (const candidate of known) {
    const allowed = Math.min(best - 1, Math.floor(Math.max(name.length, candidate.length) / 3));
    const edits = editDistance(name.toLowerCase(), candidate.toLowerCase(), allowed);
    if (edits === null) continue;
    found = candidate;
    best = edits;
  }
  return found;
}

/**
 * The optimal string alignment distance: insertions, deletions, substitutions and transpositions that turn `a` into
 * `b`; null beyond `limit`. The matrix is computed row by row, because each row depends only on the two before it.
 */
function editDistance(one: string, other: string, limit: number): number | null {
  if (Math.abs(one.length - other.length) > limit) return null;
  const [a, b] = withoutCommonEnds(one, other);
  let before: readonly number[] = [];
  let above: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = nextRow({ a, b, above, before }, row);
    if (Math.min(...current) > limit) return null;
    before = above;
    above = current;
  }
  const edits = above[b.length] ?? 0;
  return edits > limit ? null : edits;
}

/** The parts in which two names differ. Names of a large model often differ in few characters. */
function withoutCommonEnds(one: string, other: string): readonly [string, string] {
  const length = Math.min(one.length, other.length);
  let start = 0;
  while (start < length && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < length - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  return [one.slice(start, one.length - end), other.slice(start, other.length - end)];
}

interface Matrix {
  readonly a: string;
  readonly b: string;
  /** The row above the next one, and the one before it. */
  readonly above: readonly number[];
  readonly before: readonly number[];
}

function nextRow({ a, b, above, before }: Matrix, row: number): number[] {
  const current = [row];
  for (let column = 1; column <= b.length; column += 1) {
    const same = a[row - 1] === b[column - 1];
    const replaced = at(above, column - 1) + (same ? 0 : 1);
    const edits = Math.min(replaced, at(above, column) + 1, at(current, column - 1) + 1);
    const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
    current.push(swapped ? Math.min(edits, at(before, column - 2) + 1) : edits);
  }
  return current;
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
