import type { ValueType } from '../../../model/model.ts';
import type { ColumnForm } from '../column-form.ts';
import { listColumns, type TableColumn } from '../columns.ts';
import { quoteName } from '../standard-dialect.ts';
import type { ExistingTable } from './existing-table.ts';
import type { FoundTable, NamedColumn, NamedTable } from './found-table.ts';

/** A column of the query of a table, and the column of the table that it shows. */
export interface ShownColumn<C extends NamedColumn> extends TableColumn {
  readonly column: C;
}

/** The columns of the query of a table. */
export interface ShownColumns<C extends NamedColumn> {
  /** Those of the key. A single one is `id`. */
  readonly keys: readonly ShownColumn<C>[];
  /** Those of fields and times. */
  readonly fields: readonly ShownColumn<C>[];
}

/** The differences between databases in the query of a table. */
export interface RowsQueryRules<C extends NamedColumn> {
  /** Quotes the name of a column of the query. */
  readonly quote: (name: string) => string;
  /** The expression of a column of the query. @param name the qualified name of the column that it shows */
  readonly show: (column: ShownColumn<C>, name: string) => string;
  /** The text of a value of the key. @param name the qualified name of its column */
  readonly idText: (column: ShownColumn<C>, name: string) => string;
  /** The revision of a row. @param names the qualified names of all columns that are read */
  readonly revision: (names: readonly string[]) => string;
}

/** Lists the columns of the query of a table. @param keyType selects the type of a column of the key */
export function listShown<C extends NamedColumn>(
  { resource, key, columns }: FoundTable<C, NamedTable<C>>,
  keyType: (column: C) => ValueType,
): ShownColumns<C> {
  const keys = key.map((column, index): ShownColumn<C> => {
    const name = key.length === 1 ? 'id' : `part ${index}`;
    return { name, type: keyType(column), nullable: false, was: null, default: null, column };
  });
  const fields = listColumns(resource).flatMap((column): readonly ShownColumn<C>[] => {
    const own = columns.get(column.name);
    return own === undefined ? [] : [{ ...column, column: own }];
  });
  return { keys, fields };
}

/** Makes a table from the columns of its query. */
export function existingTable<C extends NamedColumn>(
  { keys, fields }: ShownColumns<C>,
  parts: Pick<ExistingTable, 'rows' | 'dialect' | 'target' | 'oid' | 'recorded'>,
  form: {
    readonly key: (column: ShownColumn<C>) => ColumnForm;
    readonly field: (column: ShownColumn<C>) => ColumnForm;
  },
): ExistingTable {
  return {
    ...parts,
    forms: new Map([
      ...fields.map((each) => [each.name, form.field(each)] as const),
      ...keys.map((each) => [each.name, form.key(each)] as const),
    ]),
    key: keys,
    splitId: keys.length === 1 ? (id) => [id] : (id) => splitId(id, keys.length),
  };
}

/** Writes the query that shows a table as an own table. @param from the qualified name of the table */
export function writeRowsQuery<C extends NamedColumn>(
  from: string,
  { keys, fields }: ShownColumns<C>,
  rules: RowsQueryRules<C>,
): string {
  const { quote, show } = rules;
  const times = ['created_at', 'updated_at'].filter((time) => !fields.some(({ name }) => name === time));
  const selected = [
    ...(keys.length === 1 ? [] : [`${writeId(keys, rules)} as "id"`]),
    ...[...keys, ...fields].map((each) => `${show(each, qualifyShown(each.column))} as ${quote(each.name)}`),
    ...times.map((time) => `null as ${quoteName(time)}`),
    `${writeRevision({ keys, fields }, rules)} as "revision"`,
  ];
  return `select ${selected.join(', ')} from ${from} as shown`;
}

/** The qualified name of a column of the table that a query shows. */
export function qualifyShown({ name }: NamedColumn): string {
  return `shown.${quoteName(name)}`;
}

/** The expression of the id of a row. */
export function writeId<C extends NamedColumn>(
  keys: ShownColumns<C>['keys'],
  { idText }: Pick<RowsQueryRules<C>, 'idText'>,
): string {
  const parts = keys.map((each) => idText(each, qualifyShown(each.column)));
  return parts.length === 1 ? parts.join('') : parts.map(escapeSeparator).join(` || ',' || `);
}

/** The expression of the revision of a row. */
export function writeRevision<C extends NamedColumn>(
  { keys, fields }: ShownColumns<C>,
  { revision }: Pick<RowsQueryRules<C>, 'revision'>,
): string {
  const read = [...new Set([...keys, ...fields].map(({ column }) => column))];
  return revision(read.map(qualifyShown));
}

/** An expression: a part of an id, with the separator escaped. */
function escapeSeparator(text: string): string {
  return `replace(replace(${text}, '\\', '\\\\'), ',', '\\,')`;
}

/** Splits an id into its parts; null for a text that is no id of so many. */
export function splitId(id: string, width: number): readonly string[] | null {
  if (!/^(?:[^\\]|\\[\\,])*$/s.test(id)) return null;
  const parts = id.match(/(?:^|,)(?:[^\\,]|\\.)*/gs) ?? [];
  const values = parts.map((part, at) => (at === 0 ? part : part.slice(1)).replaceAll(/\\(.)/gs, '$1'));
  return values.length === width ? values : null;
}
