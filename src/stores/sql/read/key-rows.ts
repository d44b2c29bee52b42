import type { BindParameters, KeyRows, SqlValue } from '../dialect.ts';
import type { Table } from '../tables.ts';

/** Keys as the rows of a table expression, whose members have the types of the columns of the key. */
export function typedKeyRows(
  table: Table,
  keys: readonly (readonly SqlValue[])[],
  alias: string,
  parameters: BindParameters,
): KeyRows {
  const rows = table.dialect.keyRows(keys, { alias, types: table.keyTypes }, parameters);
  return { ...rows, ids: rows.ids.map((id, at) => table.typed(table.key[at] ?? '', id)) };
}
