import type { DescribedTable, DescribedView } from './database.ts';
import { ID_KINDS, type TableKey } from './table-key.ts';

/** A table whose rows are those of a view. */
type ViewTable = DescribedTable & { readonly view: DescribedView };

/**
 * Guesses the key of a view: the primary key of the table that refers to all others that it reads. In a view with
 * groups it may be those of other tables, together. Null where the view has no such columns.
 *
 * @param tables all tables and views, by name
 */
export function guessKey(view: ViewTable, tables: ReadonlyMap<string, DescribedTable>): TableKey | null {
  const sources = listSources(view, tables);
  if (sources === null || view.view.repeatsRows) return null;
  const referred = new Set(
    sources
      .flatMap(({ name, foreignKeys }) => foreignKeys.filter(({ table }) => table !== name))
      .map((key) => key.table),
  );
  const candidates = sources.filter((source) => showsKey(view, source));
  const [root, another] = sources.filter(({ name }) => !referred.has(name));
  const isRoot = root !== undefined && another === undefined && candidates.includes(root);
  const chosen = isRoot ? [root] : view.view.isGrouped ? candidates : [];
  if (chosen.length === 0) return null;
  const names = chosen.map(({ name }) => name).join(', ');
  const columns = [...new Set(chosen.flatMap(({ primaryKey }) => primaryKey))];
  return { columns, isImplicit: false, note: `the key is that of ${names}: the start checks that it fits` };
}

/** Lists the tables that a view reads, also through other views; null if one of them is not known. */
function listSources(
  { view, name }: ViewTable,
  tables: ReadonlyMap<string, DescribedTable>,
  above: readonly string[] = [],
): readonly DescribedTable[] | null {
  const found = new Set<DescribedTable>();
  for (const source of view.sources) {
    const table = tables.get(source);
    if (table === undefined || above.includes(source)) return null;
    const { view: inner } = table;
    const read = inner === null ? [table] : listSources({ ...table, view: inner }, tables, [...above, name]);
    if (read === null) return null;
    for (const each of read) found.add(each);
  }
  return [...found];
}

/** True if a view has the columns of the primary key of a table, with their names and types. */
function showsKey(view: DescribedTable, { primaryKey, hasNullKeys, columns }: DescribedTable): boolean {
  const kinds = new Map(columns.map(({ name, type }) => [name, type.kind]));
  const isShown = (part: string): boolean =>
    view.columns.some(({ name, type }) => name === part && type.kind === kinds.get(part) && ID_KINDS.has(type.kind));
  return primaryKey.length > 0 && !hasNullKeys && primaryKey.every(isShown);
}
