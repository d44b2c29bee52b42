const MAX_DISTANCE = 3;

/**
 * The known name that a caller most likely meant (QRY-5): the nearest within one edit for every three characters, at most
 * three edits; the first of equals. Case does not count. null where none is near.
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
 * Insertions, deletions, replacements and swaps of neighbours that make `a` into `b` (optimal string alignment); null beyond
 * `limit`. Row by row, as each needs only the two before it.
 */
function editDistance(a: string, b: string, limit: number): number | null {
  if (Math.abs(a.length - b.length) > limit) return null;
  let before: readonly number[] = [];
  let above: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = nextRow(a, b, row, above, before);
    if (Math.min(...current) > limit) return null;
    before = above;
    above = current;
  }
  const edits = above[b.length] ?? 0;
  return edits > limit ? null : edits;
}

function nextRow(a: string, b: string, row: number, above: readonly number[], before: readonly number[]): number[] {
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
