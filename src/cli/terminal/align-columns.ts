/**
 * Aligns the cells of rows, with two spaces between columns and none at the end of a line.
 *
 * @example
 * ```ts
 * alignColumns([['version', 'state'], ['2.0.0', 'current']]); // ['version  state', '2.0.0    current']
 * ```
 */
export function alignColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
