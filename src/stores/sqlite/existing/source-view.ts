import { weakMemoize } from '../../../cache/memoize.ts';
import type { Resource, ValueType } from '../../../model/model.ts';
import { findColumn, type TableSource } from '../../../model/table-source.ts';
import type { ColumnForm } from '../../sql/column-form.ts';
import { listColumns, type TableColumn } from '../../sql/columns.ts';
import type { ExistingTable } from '../../sql/existing-table.ts';
import { quoteName } from '../../sql/standard-dialect.ts';
import { qualifyTable, type SourceColumn, type SourceTable } from './read-tables.ts';
import { existingForm, type KnownColumn } from './value-form.ts';

/** The SQL function that computes the revision of a row from the values of its columns. */
export const REVISION_FUNCTION = 'restwright_row_revision';

/** The most values that one call of the function has: SQLite's limit is 127 in older versions. */
const MAX_VALUES = 100;

/** A column of a view, and the column of the table that it shows. */
interface ShownColumn extends TableColumn {
  readonly column: SourceColumn;
}

/** A table that a resource shows, with its columns found. */
export interface FoundTable {
  readonly resource: Resource;
  readonly source: TableSource;
  readonly table: SourceTable;
  /** The columns of the key. */
  readonly key: readonly SourceColumn[];
  /** The columns of fields and times, by their names in the view. */
  readonly columns: ReadonlyMap<string, SourceColumn>;
}

/** Reads a value of a column of a table, by which its form is known. */
export type Sample = (table: string, column: string) => KnownColumn['sample'];

/** A view that shows a table of another program as an own table, and how its columns are read and compared. */
export interface SourceView {
  readonly existing: ExistingTable;
  /** The statement that creates it on a connection. */
  readonly sql: string;
}

const TEXT: ValueType = { kind: 'text', format: null };
const BYTES: ValueType = { kind: 'text', format: null, compact: true };

/** The name of a column of the key in the view. A single one is the id. */
function keyName(index: number, width: number): string {
  return width === 1 ? 'id' : `key ${index}`;
}

/** Compiles the view of a table. @param onMisfit called for a column with a value that does not fit its type */
export function compileView(found: FoundTable, sample: Sample, onMisfit: (column: string) => void): SourceView {
  const { resource, table, key, columns } = found;
  const known = ({ name, affinity, required }: SourceColumn): KnownColumn => ({
    affinity,
    required,
    sample: sample(table.name, name),
  });
  const keys = key.map((column, index): ShownColumn => {
    const type = known(column).sample instanceof Uint8Array ? BYTES : TEXT;
    return { name: keyName(index, key.length), type, nullable: false, was: null, default: null, column };
  });
  const shown = listColumns(resource).flatMap((column): readonly ShownColumn[] => {
    const own = columns.get(column.name);
    return own === undefined ? [] : [{ ...column, column: own }];
  });
  const keyForms = keys.map(({ name, column }) => [name, keyForm(known({ ...column, required: true }))] as const);
  const forms = shown.map(({ name, type, column }) => {
    return [name, existingForm(type, known(column), () => onMisfit(column.name))] as const;
  });
  const isBytes = (index: number): boolean => keys[index]?.type === BYTES;
  return {
    existing: {
      forms: new Map<string, ColumnForm>([...forms, ...keyForms]),
      key: keys,
      splitId: key.length === 1 ? (id) => [id] : (id) => splitId(id, key.length),
    },
    sql: viewSql(found, keys, { shown, isBytes }),
  };
}

/** The form of a column of a key: each of its values is a part of an id. */
function keyForm(column: KnownColumn): ColumnForm {
  const { position: _position, ...form } = existingForm(TEXT, column, () => undefined);
  return { ...form, decode: (value) => form.decode?.(value) ?? Buffer.from(String(value)).toString('hex') };
}

function viewSql(
  { resource, table }: FoundTable,
  keys: readonly ShownColumn[],
  { shown, isBytes }: { readonly shown: readonly ShownColumn[]; readonly isBytes: (index: number) => boolean },
): string {
  const name = (column: SourceColumn): string => `shown.${quoteName(column.name)}`;
  const read = [...new Set([...keys, ...shown].map(({ column }) => column))];
  const times = ['created_at', 'updated_at'].filter((time) => !shown.some((column) => column.name === time));
  const selected = [
    ...(keys.length === 1
      ? []
      : [`${joinedId(keys.map(({ column }, at) => idPart(name(column), isBytes(at))))} as "id"`]),
    ...[...keys, ...shown].map((column) => `${name(column.column)} as ${quoteName(column.name)}`),
    ...times.map((time) => `null as ${quoteName(time)}`),
    `${revision(read.map(name))} as "revision"`,
  ];
  return `create temp view ${quoteName(resource.name)} as select ${selected.join(', ')} from ${qualifyTable(table.name)} as shown`;
}

/** A value of a key in an id, with the separator escaped. */
function idPart(column: string, isBytes: boolean): string {
  const text = isBytes ? `lower(hex(${column}))` : `cast(${column} as text)`;
  return `replace(replace(${text}, '\\', '\\\\'), ',', '\\,')`;
}

function joinedId(parts: readonly string[]): string {
  return parts.join(` || ',' || `);
}

/** Splits an id into its parts; null for a text that is no id of so many. */
export function splitId(id: string, width: number): readonly string[] | null {
  if (!/^(?:[^\\]|\\[\\,])*$/s.test(id)) return null;
  const parts = id.match(/(?:^|,)(?:[^\\,]|\\.)*/gs) ?? [];
  const values = parts.map((part, at) => (at === 0 ? part : part.slice(1)).replaceAll(/\\(.)/gs, '$1'));
  return values.length === width ? values : null;
}

/** The digest of the values of a row. Integers are digested by their digits, which a number would lose. */
function revision(columns: readonly string[]): string {
  const values = columns.map(
    (name) => `case when typeof(${name}) = 'integer' then cast(${name} as text) else ${name} end`,
  );
  const call = (parts: readonly string[]): string => `${REVISION_FUNCTION}(${parts.join(', ')})`;
  if (values.length <= MAX_VALUES) return call(values);
  const chunks = Array.from({ length: Math.ceil(values.length / MAX_VALUES) }, (_, at) =>
    call(values.slice(at * MAX_VALUES, (at + 1) * MAX_VALUES)),
  );
  return call(chunks);
}

/** The columns of the fields and times of a resource, by their names in the view. */
export const wantedColumns = weakMemoize((resource: Resource): ReadonlyMap<string, string> => {
  const { table } = resource;
  if (table === null) return new Map();
  const times = [
    ['created_at', table.createdAt],
    ['updated_at', table.updatedAt],
  ] as const;
  return new Map([
    ...resource.fields.map(({ name }) => [name, findColumn(table, name)] as const),
    ...times.flatMap(([name, column]) => (column === null ? [] : [[name, column] as const])),
  ]);
});
