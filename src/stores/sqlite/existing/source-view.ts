import type { ValueType } from '../../../model/model.ts';
import type { ColumnForm } from '../../sql/column-form.ts';
import type { ExistingTable } from '../../sql/existing/existing-table.ts';
import { existingTable, listShown, type RowsQueryRules, writeRowsQuery } from '../../sql/existing/source-query.ts';
import { quoteName } from '../../sql/standard-dialect.ts';
import type { FoundSource } from './find-tables.ts';
import { sourceDialect } from './source-dialect.ts';
import { qualifyTable, type SourceColumn } from './read-tables.ts';
import { type KnownColumn, valueForm } from './value-form.ts';

/** The SQL function that computes the revision of a row from the values of its columns. */
export const REVISION_FUNCTION = 'restwright_row_revision';

/** The most values that one call of the function has: SQLite's limit is 127 in older versions. */
const MAX_VALUES = 100;

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

const RULES: RowsQueryRules<SourceColumn> = {
  quote: quoteName,
  show: (_column, name) => name,
  idText: ({ type }, name) => (type === BYTES ? `lower(hex(${name}))` : `cast(${name} as text)`),
  revision,
};

/** Compiles the view of a table. @param onMisfit called for a column with a value that does not fit its type */
export function compileView(found: FoundSource, sample: Sample, onMisfit: (column: string) => void): SourceView {
  const { resource, table } = found;
  const known = ({ name, affinity, required }: SourceColumn): KnownColumn => ({
    affinity,
    required,
    sample: sample(table.name, name),
  });
  const shown = listShown(found, (column) => (known(column).sample instanceof Uint8Array ? BYTES : TEXT));
  const view = quoteName(resource.name);
  return {
    existing: existingTable(
      shown,
      { rows: null, dialect: sourceDialect, target: null, recorded: null },
      {
        key: ({ column }) => keyForm(known({ ...column, required: true })),
        field: ({ type, column }) => valueForm(type, known(column), () => onMisfit(column.name)),
      },
    ),
    sql: `create temp view ${view} as ${writeRowsQuery(qualifyTable(table.name), shown, RULES)}`,
  };
}

/** The form of a column of a key: each of its values is a part of an id. */
function keyForm(column: KnownColumn): ColumnForm {
  const { position: _position, ...form } = valueForm(TEXT, column, () => undefined);
  return { ...form, decode: (value) => form.decode?.(value) ?? Buffer.from(String(value)).toString('hex') };
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
