import type { DescribedColumn, DescribedTable } from '../../../introspect/database.ts';
import { isNullLiteral } from '../../../introspect/sql-tokens.ts';
import type { SqlRow } from '../../sql/dialect.ts';
import { quoteName } from '../../sql/standard-dialect.ts';
import type { DriverConnection } from '../driver/driver.ts';
import { type ChoicesByColumn, findChoices } from './check-choices.ts';
import { type ColumnSample, sampleColumns } from './column-sample.ts';
import { type DeclaredColumn, inferColumnType, readDefault, selectSampledText } from './column-type.ts';

/** The rows of a catalogue about one table. */
export interface TableRows extends Pick<DescribedTable, 'name' | 'uniqueKeys' | 'indexes' | 'foreignKeys' | 'view'> {
  /** The statement that created the table. */
  readonly sql: string;
  /** False for a view, and a table `without rowid`. */
  readonly hasRowId: boolean;
  /** Rows of `pragma_table_xinfo`. */
  readonly columns: readonly SqlRow[];
  /** The rows at each end of the table that are sampled; 0 for none. */
  readonly endRows: number;
}

/** A column of the catalogue. */
interface CatalogueColumn extends DeclaredColumn {
  readonly notNull: boolean;
  readonly isComputed: boolean;
  /** SQL; null for none. */
  readonly default: string | null;
  /** The position in the primary key, from 1; 0 for other columns. */
  readonly keyPosition: number;
}

/** Names of the number of a row, where no column has the name. */
const ROW_NUMBERS = ['rowid', '_rowid_', 'oid'];
/** The values of `hidden` for generated columns. */
const GENERATED: ReadonlySet<number> = new Set([2, 3]);
const UNREAD: ColumnSample = { forms: new Set(), texts: [], error: null };

/** Describes a table by its rows in the catalogue and by a sample of its own rows. */
export function describeTable(connection: DriverConnection, rows: TableRows): DescribedTable {
  const { name, sql, hasRowId, endRows, uniqueKeys, indexes, foreignKeys, view } = rows;
  const columns = readColumns(rows);
  const primaryKey = columns
    .filter(({ isKey }) => isKey)
    .toSorted((one, other) => one.keyPosition - other.keyPosition)
    .map((column) => column.name);
  const rowNumber = hasRowId ? findRowNumber(columns) : null;
  const sampled = {
    name,
    columns: columns.map((column) => ({ name: column.name, text: selectSampledText(column) })),
    endRows,
    order: rowNumber === null ? (hasRowId ? [] : primaryKey) : [rowNumber],
  };
  const samples = endRows === 0 || columns.length === 0 ? [] : sampleColumns(connection, sampled);
  const choices = findChoices(sql);
  return {
    name,
    schema: null,
    columns: columns.map((column, index) => describeColumn(column, samples[index] ?? UNREAD, choices)),
    primaryKey,
    hasNullKeys: columns.some(({ isKey }, index) => isKey && samples[index]?.forms.has('null') === true),
    uniqueKeys,
    indexes,
    rowCount: rowNumber === null ? null : estimateRows(connection, name, rowNumber),
    foreignKeys,
    isWritable: view === null,
    rowNumber,
    hasDigests: false,
    comment: null,
    view,
  };
}

/** Estimates the number of rows by the last of their numbers, which an index finds. */
function estimateRows(connection: DriverConnection, name: string, rowNumber: string): number {
  const row = connection.prepare(`select max(${rowNumber}) as last from main.${quoteName(name)}`).get();
  return Number(row?.['last'] ?? 0);
}

/** A key is never null in a table `without rowid`, nor where it is the number of the row. */
function readColumns({ columns, hasRowId }: TableRows): readonly CatalogueColumn[] {
  const isSingle = columns.filter(({ pk }) => Number(pk) > 0).length === 1;
  return columns.map(({ name, type, required, hidden, dflt_value: expression = null, pk }) => {
    const [declared, keyPosition] = [String(type).replace(/^any$/i, ''), Number(pk)];
    const isKey = keyPosition > 0;
    const isRowNumber = hasRowId && isSingle && /^integer$/i.test(declared);
    return {
      name: String(name),
      declared,
      isKey,
      keyPosition,
      notNull: required === 1 || (isKey && (isRowNumber || !hasRowId)),
      isComputed: GENERATED.has(Number(hidden)),
      default: expression === null ? null : String(expression),
    };
  });
}

function findRowNumber(columns: readonly CatalogueColumn[]): string | null {
  const taken = new Set(columns.map((column) => column.name.toLowerCase()));
  return ROW_NUMBERS.find((name) => !taken.has(name)) ?? null;
}

function describeColumn(column: CatalogueColumn, sample: ColumnSample, choices: ChoicesByColumn): DescribedColumn {
  const { name, notNull, isComputed } = column;
  const type = inferColumnType(column, sample);
  const listed = choices.get(name.toLowerCase()) ?? null;
  const value = readDefault(column.default, type);
  const hasDefault = column.default !== null && !isNullLiteral(column.default);
  return { name, type, notNull, isComputed, default: value, hasDefault, choices: listed, comment: null };
}
