import { FORBIDDEN_TEXT, isForbiddenText } from '../conventions/text/allowed-text.ts';
import { cut, quoted } from '../conventions/text/quoted.ts';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { ApiError, apiError } from '../conventions/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../conventions/json/json.ts';
import type { Member, ValueType } from '../model/model.ts';
import { escapeFormula, unescapeFormula } from './csv-formula.ts';
import { jsonWriter, readJson } from './json.ts';
import type { StructureLimits } from './json-scan.ts';
import { type NodeContent, type ObjectType, readTree, type TreeNode } from './typed-reader.ts';

/** Writes values of one type as CSV (RFC 4180). */
export interface CsvWriter {
  /** The header line. */
  readonly header: string;
  /** One record per value. */
  rows(values: readonly JsonObject[]): string;
}

/** Reads a record. @throws {ApiError} REQUEST_BODY_MALFORMED */
export type CsvReader = (record: string) => JsonObject;

/** The text of a cell: null for an empty cell, `''` for a quoted empty string. */
type Cell = string | null;

interface CsvColumn {
  readonly path: readonly string[];
  readonly type: ValueType;
  /** True if it is the column of an object, which contains `{}` if the object is set, but none of its members. */
  readonly presence: boolean;
}

/** A member with columns in a file. */
interface MemberColumns {
  readonly member: Member;
  /** Indexes of its columns, with those of its members. */
  readonly indexes: readonly number[];
  /** Its members, if it is an object. */
  readonly members: readonly MemberColumns[];
}

const OPTIONS = {
  record_delimiter: 'windows',
  // Some readers trim unquoted cells, and treat a lone CR as the end of a record.
  quoted_match: /[\r\n]|^\s|\s$/,
  cast: { string: (value: string) => (value === '' ? { value, quoted_empty: true } : value) },
} as const;

/**
 * Compiles the CSV of a type (NEG-1): a column for each value, with dotted names for nested values. Lists, maps and any
 * JSON are JSON in a cell. A null is an empty cell, an empty string a quoted empty cell. Text that a spreadsheet would
 * evaluate as a formula is prefixed with an apostrophe.
 */
export function compileCsv(type: ObjectType): CsvWriter {
  const columns = listColumns(type.members, []);
  return {
    header: stringify([columns.map(nameColumn)], OPTIONS),
    rows: (values) =>
      stringify(
        values.map((value) => columns.map((column) => writeCell(column, value))),
        OPTIONS,
      ),
  };
}

/**
 * Compiles a reader of the CSV that {@link compileCsv} writes. Columns may be in any order, and may be absent.
 *
 * @param header the header record
 * @param limits of the JSON in cells
 * @param rename returns the name that a column of the header means
 * @throws {ApiError} REQUEST_BODY_MALFORMED: unknown or duplicate columns
 */
export function compileCsvReader(
  type: ObjectType,
  header: string,
  limits: StructureLimits,
  rename: (column: string) => string = (column) => column,
): CsvReader {
  const known = new Map(listColumns(type.members, []).map((column) => [nameColumn(column), column]));
  const columns = parseRecord(header).map((cell): CsvColumn => {
    const column = known.get(rename(cell ?? ''));
    if (column !== undefined) return column;
    throw malformedCsv(`unknown column ${quoted(cell ?? '')}; known columns: ${[...known.keys()].join(', ')}`);
  });
  const indexes = new Map(columns.map((column, index) => [nameColumn(column), index]));
  const duplicate = columns.find((column, index) => indexes.get(nameColumn(column)) !== index);
  if (duplicate !== undefined) throw malformedCsv(`duplicate column ${nameColumn(duplicate)}`);
  const members = memberColumns(type.members, '', indexes);
  const format = { limits, listSyntax: 'JSON' };
  return (record) => {
    const cells = parseRecord(record);
    if (cells.length !== columns.length) {
      throw malformedCsv(`the record has ${cells.length} cells for ${columns.length} columns`);
    }
    const contents = columns.map((column, index) =>
      readCell(column.type, checkedCell(cells[index] ?? null, nameColumn(column)), limits),
    );
    return readTree(listNodes(members, contents), type, format);
  };
}

/** The members that have columns, in the order of the type. @param prefix `address.` */
function memberColumns(
  members: readonly Member[],
  prefix: string,
  indexes: ReadonlyMap<string, number>,
): readonly MemberColumns[] {
  return members.flatMap((member) => {
    const { name, type } = member;
    const index = indexes.get(prefix + name);
    const nested = type.kind === 'object' ? memberColumns(type.members, `${prefix}${name}.`, indexes) : [];
    const all = [...(index === undefined ? [] : [index]), ...nested.flatMap((each) => each.indexes)];
    return all.length === 0 ? [] : [{ member, indexes: all, members: nested }];
  });
}

function listColumns(members: readonly Member[], above: readonly string[]): readonly CsvColumn[] {
  return members.flatMap(({ name, type, nullable }): readonly CsvColumn[] => {
    const path = [...above, name];
    if (type.kind !== 'object') return [{ path, type, presence: false }];
    const own = nullable && !type.members.some(isNeverEmpty) ? [{ path, type, presence: true }] : [];
    return [...own, ...listColumns(type.members, path)];
  });
}

/** True if a member has a cell that is never empty. */
function isNeverEmpty({ type, nullable }: Member): boolean {
  if (nullable) return false;
  return type.kind !== 'object' || type.members.some(isNeverEmpty);
}

function nameColumn({ path }: CsvColumn): string {
  return path.join('.');
}

function writeCell({ path, type, presence }: CsvColumn, item: JsonObject): Cell {
  let value: Json = item;
  for (const name of path) value = isJsonObject(value) ? (value[name] ?? null) : null;
  if (presence) return isJsonObject(value) && isUnset(value) ? '{}' : null;
  if (value === null) return null;
  if (type.kind !== 'json' && typeof value === 'string') return isText(type) ? escapeFormula(value) : value;
  return jsonWriter(type)(value);
}

/** True if all values in an object are null. */
function isUnset(value: JsonObject): boolean {
  return Object.values(value).every((member) => member === null || (isJsonObject(member) && isUnset(member)));
}

/** True if values may be formulas. Numbers and times are none, even with a sign. */
function isText({ kind }: ValueType): boolean {
  return kind === 'text' || kind === 'binary';
}

function readCell(type: ValueType, cell: Cell, limits: StructureLimits): NodeContent {
  if (cell === null) return { kind: 'null' };
  if (type.kind === 'object' || type.kind === 'map' || type.kind === 'array') {
    return { kind: 'json', json: readJson(new TextEncoder().encode(cell), limits) };
  }
  const text = unescapeFormula(cell);
  // Spreadsheets write TRUE and FALSE.
  return { kind: 'text', text: type.kind === 'boolean' ? text.toLowerCase() : text, padded: false };
}

/** @throws {ApiError} REQUEST_BODY_MALFORMED for a forbidden character (REP-7) */
function checkedCell(cell: Cell, column: string): Cell {
  if (cell !== null && isForbiddenText(cell)) throw malformedCsv(`the cell of ${cut(column)} ${FORBIDDEN_TEXT}`);
  return cell;
}

/**
 * The cells of a record, of whatever type: null for an empty cell.
 *
 * @throws {ApiError} REQUEST_BODY_MALFORMED
 */
export function readCells(record: string): readonly (string | null)[] {
  return cellTexts(parseRecord(record).map((cell, index) => checkedCell(cell, `column ${index + 1}`)));
}

/**
 * The cells of many records: the parser takes a tenth of the time for a record among others. Null where one is
 * malformed, which {@link readCells} reports.
 */
export function readManyCells(records: readonly string[]): readonly (readonly (string | null)[])[] | null {
  try {
    const text = records.join('\n');
    if (isForbiddenText(text)) return null;
    const parsed = parseRecords(text);
    return parsed.length === records.length ? parsed.map(cellTexts) : null;
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

function cellTexts(cells: readonly Cell[]): readonly (string | null)[] {
  return cells.map((cell) => (cell === null ? null : unescapeFormula(cell)));
}

/** The nodes of a record. @param contents of its cells */
function listNodes(members: readonly MemberColumns[], contents: readonly NodeContent[]): readonly TreeNode[] {
  return members.map(({ member: { name, type, nullable }, indexes, members: nested }) => {
    const [index = -1] = indexes;
    if (type.kind !== 'object') return { name, key: name, place: name, content: contents[index] ?? { kind: 'null' } };
    const isNull = nullable && indexes.every((each) => isNullContent(contents[each]));
    const object = { kind: 'members', children: listNodes(nested, contents) } as const;
    return { name, key: name, place: name, content: isNull ? { kind: 'null' } : object };
  });
}

function isNullContent(content: NodeContent | undefined): boolean {
  return content === undefined || content.kind === 'null' || (content.kind === 'json' && content.json === null);
}

/** The characters that only the parser can read: quotes, line breaks and a byte order mark. */
const SPECIAL = /["\r\n\uFEFF]/;

function parseRecord(record: string): readonly Cell[] {
  if (record !== '' && !SPECIAL.test(record)) return record.split(',').map((cell) => (cell === '' ? null : cell));
  const [cells = [], another] = parseRecords(record);
  if (another !== undefined) throw malformedCsv('a line break is allowed only in quotes');
  return cells;
}

/**
 * Writes a record whose cells another character separates as one of CSV.
 *
 * @throws {ApiError} REQUEST_BODY_MALFORMED
 */
export function joinWithCommas(record: string, delimiter: string): string {
  const [cells = []] = record.includes('"') ? parseRecords(record, delimiter) : [record.split(delimiter)];
  return cells.map((cell) => (cell === '' && record.includes('"') ? '""' : quoteCell(cell ?? ''))).join(',');
}

function quoteCell(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function parseRecords(text: string, delimiter = ','): readonly (readonly Cell[])[] {
  try {
    return parse(text, {
      bom: true,
      delimiter,
      cast: (cell, { quoting }) => (cell === '' && !quoting ? null : cell),
      relax_column_count: true,
    });
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).includes('QUOTE')) {
      throw malformedCsv('invalid quote; a cell that contains quotes must be quoted, with its quotes doubled');
    }
    throw error;
  }
}

function malformedCsv(message: string): Error {
  return apiError('REQUEST_BODY_MALFORMED', `Malformed CSV: ${message}.`);
}
