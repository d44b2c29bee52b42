import { isSameName, type DescribedTable, type DescribedColumn } from '../../../introspect/database.ts';
import type { SqlRow } from '../../sql/dialect.ts';
import type { DriverConnection } from '../driver/driver.ts';
import { type ChoicesByColumn, findChoices } from './check-choices.ts';
import { type ColumnSample, sampleColumns } from './column-sample.ts';
import { inferColumnType, readDefault, selectSampledText } from './column-type.ts';

/** The rows of a catalogue about one table. */
export interface TableRows extends Pick<DescribedTable, 'name' | 'uniqueKeys' | 'foreignKeys'> {
  /** The statement that created the table. */
  readonly sql: string;
  /** False for a table `without rowid`. */
  readonly hasRowId: boolean;
  /** Rows of `pragma_table_xinfo`. */
  readonly columns: readonly SqlRow[];
  /** The rows at each end of the table that are sampled. */
  readonly endRows: number;
}

/** Names of the number of a row, where no column has the name. */
const ROW_NUMBERS = ['rowid', '_rowid_', 'oid'];
/** The values of `hidden` for generated columns. */
const GENERATED: ReadonlySet<number> = new Set([2, 3]);

/** Describes a table by its rows in the catalogue and by a sample of its own rows. */
export function describeTable(connection: DriverConnection, rows: TableRows): DescribedTable {
  const { name, sql, hasRowId, columns, uniqueKeys, foreignKeys } = rows;
  const names = columns.map((column) => String(column['name']));
  const declaredKey = readPrimaryKey(columns);
  const rowNumber = hasRowId
    ? (ROW_NUMBERS.find((each) => !names.some((column) => isSameName(column, each))) ?? null)
    : null;
  const declared = columns.map((column) => ({
    name: String(column['name']),
    declared: String(column['type']),
    isKey: Number(column['pk']) > 0,
  }));
  const samples = sampleColumns(connection, {
    name,
    columns: declared.map((column) => ({ name: column.name, text: selectSampledText(column) })),
    endRows: rows.endRows,
    order: rowNumber === null ? (hasRowId ? [] : declaredKey) : [rowNumber],
  });
  const choices = findChoices(sql);
  const isNumbered = hasRowId && declaredKey.length === 1;
  const described = declared.map((column, index): DescribedColumn => {
    const [row = {}, sample = UNREAD] = [columns[index], samples[index]];
    const type = inferColumnType(column, sample);
    const isRowNumber = isNumbered && column.isKey && /^integer$/i.test(column.declared);
    return {
      name: column.name,
      type,
      notNull: row['required'] === 1 || isRowNumber || (!hasRowId && column.isKey),
      isComputed: GENERATED.has(Number(row['hidden'])),
      default: readDefault(row['dflt_value'] ?? null, type),
      choices: readChoices(column.name, choices),
    };
  });
  const hasNullKey = declared.some(({ isKey }, index) => isKey && samples[index]?.forms.has('null') === true);
  return { name, columns: described, primaryKey: hasNullKey ? [] : declaredKey, uniqueKeys, foreignKeys, rowNumber };
}

const UNREAD: ColumnSample = { forms: new Set(), texts: [], error: null };

function readChoices(column: string, choices: ChoicesByColumn): DescribedColumn['choices'] {
  const listed = choices.get(column.toLowerCase()) ?? null;
  return listed?.some((choice) => String(choice).includes('${')) === true ? null : listed;
}

function readPrimaryKey(columns: readonly SqlRow[]): readonly string[] {
  return columns
    .filter((column) => Number(column['pk']) > 0)
    .toSorted((one, other) => Number(one['pk']) - Number(other['pk']))
    .map((column) => String(column['name']));
}
