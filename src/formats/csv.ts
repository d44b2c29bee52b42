import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { apiError } from '../conventions/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../conventions/json.ts';
import type { Member, ValueType } from '../model/model.ts';
import { readJson, writeJson } from './json.ts';
import type { StructureLimits } from './json-scan.ts';
import { type ObjectType, typedText } from './typed-reader.ts';

/** Writes values of one type as CSV (RFC 4180). */
export interface CsvWriter {
  /** The line with the names of the columns. */
  readonly header: string;
  /** One line for each value. */
  rows(values: readonly JsonObject[]): string;
}

/** Reads one record of a file whose columns are known. @throws {ApiError} REQUEST_BODY_MALFORMED */
export type CsvReader = (record: string) => JsonObject;

/** What a cell says: null for an empty one, `''` for one with an empty text in quotes. */
type Cell = string | null;

interface Column {
  readonly path: readonly string[];
  readonly type: ValueType;
  /** It says that an object is there all of whose members are unset: their own cells cannot. */
  readonly presence: boolean;
}

const OPTIONS = {
  record_delimiter: 'windows',
  // Some readers trim what is not in quotes, and end a record at a lone CR.
  quoted_match: /[\r\n]|^\s|\s$/,
  cast: { string: (value: string) => (value === '' ? { value, quoted_empty: true } : value) },
} as const;

/** What a spreadsheet takes for the beginning of a formula, full-width forms too (OWASP, CSV injection), behind any apostrophes. */
const FORMULA = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const GUARDED = /^'+[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/**
 * Compiles the CSV of a type (NEG-1): a column for each value, names of nested ones dotted, lists and maps as JSON in one cell, null an empty
 * cell and an empty text a quoted one. A text that a spreadsheet would take for a formula has an apostrophe in front.
 */
export function compileCsv(type: ObjectType): CsvWriter {
  const columns = columnsOf(type.members, []);
  return {
    header: stringify([columns.map(nameOf)], OPTIONS),
    rows: (values) =>
      stringify(
        values.map((value) => columns.map((column) => cellOf(column, value))),
        OPTIONS,
      ),
  };
}

/**
 * Compiles the reading of what {@link compileCsv} writes. Columns may be left out and stand in any order.
 *
 * @param header the first record of the file
 * @param limits of the JSON in a cell
 * @throws {ApiError} REQUEST_BODY_MALFORMED: a column that the type does not have, or twice the same
 */
export function compileCsvReader(type: ObjectType, header: string, limits: StructureLimits): CsvReader {
  const known = new Map(columnsOf(type.members, []).map((column) => [nameOf(column), column]));
  const columns = parseRecord(header).map((name): Column => {
    const column = known.get(name ?? '');
    if (column === undefined)
      throw fault(`the column ${JSON.stringify(name ?? '')} is not known; there are ${[...known.keys()].join(', ')}`);
    return column;
  });
  const twice = columns.find((column, index) => columns.indexOf(column) !== index);
  if (twice !== undefined) throw fault(`the column ${nameOf(twice)} stands twice`);
  return (record) => {
    const cells = parseRecord(record);
    if (cells.length !== columns.length)
      throw fault(`it has ${cells.length} cells, and there are ${columns.length} columns`);
    const said = columns.map(
      (column, index): Said => ({ column, value: valueIn(column, cells[index] ?? null, limits) }),
    );
    return gather(type.members, [], said);
  };
}

/** A cell as a value; null where it is empty. */
interface Said {
  readonly column: Column;
  readonly value: Json;
}

function columnsOf(members: readonly Member[], above: readonly string[]): readonly Column[] {
  return members.flatMap(({ name, type, nullable }): readonly Column[] => {
    const path = [...above, name];
    if (type.kind !== 'object') return [{ path, type, presence: false }];
    const own = nullable && !type.members.some(isAlwaysSaid) ? [{ path, type, presence: true }] : [];
    return [...own, ...columnsOf(type.members, path)];
  });
}

/** Whether a member has a cell that is never empty. */
function isAlwaysSaid({ type, nullable }: Member): boolean {
  if (nullable) return false;
  return type.kind !== 'object' || type.members.some(isAlwaysSaid);
}

function nameOf({ path }: Column): string {
  return path.join('.');
}

function cellOf({ path, type, presence }: Column, item: JsonObject): Cell {
  let value: Json = item;
  for (const name of path) value = isJsonObject(value) ? (value[name] ?? null) : null;
  if (presence) return isJsonObject(value) && isUnset(value) ? '{}' : null;
  if (value === null) return null;
  if (typeof value === 'string') return isGuarded(type) && FORMULA.test(value) ? `'${value}` : value;
  return writeJson(value);
}

/** Whether nothing in an object would be said by a cell of its own. */
function isUnset(value: JsonObject): boolean {
  return Object.values(value).every((member) => member === null || (isJsonObject(member) && isUnset(member)));
}

/** Numbers and times begin no formula, even with a sign; any other text may. */
function isGuarded({ kind }: ValueType): boolean {
  return kind === 'text' || kind === 'binary';
}

function valueIn(column: Column, cell: Cell, limits: StructureLimits): Json {
  const { type } = column;
  if (cell === null) return null;
  switch (type.kind) {
    case 'text':
    case 'binary':
      return GUARDED.test(cell) ? cell.slice(1) : cell;
    case 'integer':
    case 'number':
    case 'boolean':
    case 'date-time':
    case 'decimal':
    case 'int64':
      return typedText(type, cell);
    case 'object':
    case 'map':
    case 'array':
      return readJson(new TextEncoder().encode(cell), limits);
  }
}

/** The members of an object from their cells; those without a column are absent. */
function gather(members: readonly Member[], above: readonly string[], said: readonly Said[]): JsonObject {
  const found: [string, Json][] = [];
  for (const { name, type, nullable } of members) {
    const path = [...above, name];
    const own = said.filter(({ column }) => path.every((step, index) => column.path[index] === step));
    if (own.length === 0) continue;
    if (type.kind !== 'object') found.push([name, own[0]?.value ?? null]);
    else if (nullable && own.every(({ value }) => value === null)) found.push([name, null]);
    else
      found.push([
        name,
        gather(
          type.members,
          path,
          own.filter(({ column }) => !column.presence || column.path.length > path.length),
        ),
      ]);
  }
  return Object.fromEntries(found);
}

function parseRecord(record: string): readonly Cell[] {
  try {
    const [cells = [], another] = parse(record, {
      bom: true,
      cast: (cell, { quoting }) => (cell === '' && !quoting ? null : cell),
      relax_column_count: true,
    });
    if (another !== undefined) throw fault('a line break stands outside of quotes');
    return cells;
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).includes('QUOTE')) {
      throw fault('a quote stands where none may; a cell with quotes is quoted whole, and has them doubled');
    }
    throw error;
  }
}

function fault(message: string): Error {
  return apiError('REQUEST_BODY_MALFORMED', `The record cannot be read: ${message}.`);
}
