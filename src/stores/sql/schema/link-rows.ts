import { linkTable } from '../columns.ts';
import type { Dialect } from '../dialect.ts';
import type { TableSchema } from './schema.ts';

/** The row table that a link table belongs to. */
export function ownerOf(table: TableSchema): string | undefined {
  return table.foreignKeys.find(({ cascade }) => cascade)?.table;
}

/**
 * Fills the links of an existing array that becomes an array of references. A target below the same parent shares the parent.
 *
 * @param items the items of an array in an expression, as a source of rows: `item.value`
 */
export function fillLinks(
  table: TableSchema,
  declared: readonly TableSchema[],
  { quote }: Pick<Dialect, 'quote'>,
  items: (array: string) => string,
): readonly string[] {
  const rows = declared.find(({ name }) => name === ownerOf(table));
  const field = rows?.columns.find(({ name }) => linkTable(rows.name, name) === table.name);
  const [owner, target] = table.foreignKeys;
  if (rows === undefined || field === undefined || owner === undefined || target === undefined) return [];
  const held = (name: string): string => `held.${quote(name)}`;
  const columns = [...owner.columns, ...target.columns].map(quote).join(', ');
  const values = [...owner.keys.map(held), 'item.value', ...target.keys.slice(1).map(held)].join(', ');
  return [
    `insert into ${quote(table.name)} (${columns}) select distinct ${values} from ${quote(rows.name)} as held, ${items(held(field.name))}`,
  ];
}
