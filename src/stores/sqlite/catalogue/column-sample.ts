import { quoteName } from '../../sql/standard-dialect.ts';
import type { DriverConnection } from '../driver/driver.ts';
import { sqliteCode } from '../driver/sqlite-errors.ts';

/**
 * The forms of the values of a column in a sample of rows. `flag` is 0 or 1, `int64` an integer beyond 2^53, and `json`
 * a text that is JSON.
 */
export type SampledForm = 'null' | 'flag' | 'integer' | 'int64' | 'real' | 'blob' | 'text' | 'json';

/** The part of a text that decides on its form: none, its JSON, an object or array in it, or its first characters. */
export type SampledText = 'none' | 'json' | 'object' | 'format';

/** The values of a column in a sample of rows. */
export interface ColumnSample {
  readonly forms: ReadonlySet<SampledForm>;
  /** Different texts, where their first characters decide; else empty. */
  readonly texts: readonly string[];
  /** The error of a column that cannot be selected; null for all others. */
  readonly error: string | null;
}

/** A column, as far as a sample matters. */
export interface SampledColumn {
  readonly name: string;
  readonly text: SampledText;
}

/** A table, as far as a sample matters. @see DescribedTable */
export interface SampledTable {
  readonly name: string;
  readonly columns: readonly SampledColumn[];
  /** The columns of an index that has all rows in order; empty where none is known. */
  readonly order: readonly string[];
  /** The rows at each end that are read. */
  readonly endRows: number;
}

/** The values that all samples of a database have: they take less than a second. */
const MAX_VALUES = 500_000;
/** The rows at each end of a table that are read. */
const END_ROWS = { min: 20, max: 500 };
/** Marks a text, so that it differs from a form. */
const TEXT = '=';
/** More characters than a date-time has. */
const MAX_TEXT = 64;
const MAX_SAFE = Number.MAX_SAFE_INTEGER;

/** The rows at each end of a table that are read. @param columns of all tables that are sampled */
export function countEndRows(columns: number): number {
  return Math.max(END_ROWS.min, Math.min(END_ROWS.max, Math.floor(MAX_VALUES / 2 / columns)));
}

/**
 * Reads the forms of the values in the first and the last rows of a table. A column that cannot be selected, such as
 * one computed by an unknown function, has the error.
 *
 * @returns in the order of the columns
 * @throws the error of SQLite for a database that cannot be read
 */
export function sampleColumns(connection: DriverConnection, table: SampledTable): readonly ColumnSample[] {
  try {
    return readSample(connection, table);
  } catch (error) {
    if (!sqliteCode(error).startsWith('SQLITE_ERROR')) throw error;
    const message = error instanceof Error ? error.message : String(error);
    if (table.columns.length === 1) return [{ forms: new Set(), texts: [], error: message }];
  }
  return table.columns.flatMap((column) => sampleColumns(connection, { ...table, columns: [column] }));
}

function readSample(connection: DriverConnection, table: SampledTable): readonly ColumnSample[] {
  const { columns, order, endRows } = table;
  const forms = columns.map(
    ({ text }, index) => `json_group_array(distinct ${writeForm(`c${index}`, text)}) as c${index}`,
  );
  const selected = columns.map(({ name }, index) => `${quoteName(name)} as c${index}`).join(', ');
  const rows = `select ${selected} from main.${quoteName(table.name)}`;
  const ends = order.length === 0 ? [''] : ['', ' desc'];
  const parts = ends.map((direction) => {
    const sorted = order.map((name) => `${quoteName(name)}${direction}`).join(', ');
    return `select * from (${rows}${sorted === '' ? '' : ` order by ${sorted}`} limit ${endRows})`;
  });
  const [found = {}] = connection.prepare(`select ${forms.join(', ')} from (${parts.join(' union all ')})`).all();
  return columns.map((_, index) => toSample(JSON.parse(String(found[`c${index}`] ?? '[]'))));
}

/** The SQL of the form of a value. */
function writeForm(column: string, text: SampledText): string {
  const json = `json_valid(${column})`;
  const texts: Readonly<Record<SampledText, string>> = {
    none: `'text'`,
    json: `case when ${json} then 'json' else 'text' end`,
    object: `case when ${json} and substr(trim(${column}), 1, 1) in ('{', '[') then 'json' else 'text' end`,
    format: `'${TEXT}' || substr(${column}, 1, ${MAX_TEXT})`,
  };
  const integer = `case when ${column} in (0, 1) then 'flag' when ${column} between -${MAX_SAFE} and ${MAX_SAFE} then 'integer' else 'int64' end`;
  return `case typeof(${column}) when 'integer' then ${integer} when 'text' then ${texts[text]} else typeof(${column}) end`;
}

function toSample(found: readonly string[]): ColumnSample {
  const texts = found.filter((each) => each.startsWith(TEXT)).map((each) => each.slice(TEXT.length));
  const forms = found.filter((each) => !each.startsWith(TEXT)).filter(isForm);
  return {
    forms: new Set<SampledForm>([...forms, ...(texts.length === 0 ? [] : (['text'] as const))]),
    texts,
    error: null,
  };
}

const FORMS: ReadonlySet<string> = new Set('null flag integer int64 real blob text json'.split(' '));

function isForm(form: string): form is SampledForm {
  return FORMS.has(form);
}
