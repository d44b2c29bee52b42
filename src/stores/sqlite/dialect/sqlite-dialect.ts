import { memoize } from '../../../cache/memoize.ts';
import type { ValueType } from '../../../model/model.ts';
import { storedUuid } from '../../../model/values/formats.ts';
import { keyMembers } from '../../../model/row-key.ts';
import { isList } from '../../sql/compact-list.ts';
import { writeHyphens } from '../../sql/compact-uuids.ts';
import { decimalKey, keyedDecimal, scaledDecimal, scaledInteger } from '../../sql/decimal.ts';
import {
  type BindParameters,
  comparableExpression,
  type ComparableExpression,
  type Decode,
  type Dialect,
  type Encode,
  type KeyRows,
  type KeyRowsOptions,
  type SqlValue,
} from '../../sql/dialect.ts';
import { decoder, int64, integerText, MIN_INT64, scaledPlace, text } from '../../sql/encodings.ts';
import { isCompact, storageType } from '../../sql/schema/schema.ts';
import {
  type DecimalType,
  extendStandard,
  quoteName,
  quoteText,
  storeUuids,
  type TypeDifferences,
} from '../../sql/standard-dialect.ts';
import { lowerUuids } from '../../sql/stored-uuids.ts';
import { rowValue } from '../../sql/operand.ts';
import { HAS_WORDS_FUNCTION, matchingKeys, matchQuery, searchedTexts, searchNames } from './search-tables.ts';

/** The SQL function that converts a decimal to a text in the order of its value. */
export const DECIMAL_KEY_FUNCTION = 'restwright_decimal_key';

/**
 * The SQL function that makes JSON of a stored value: of the value as `selection` reads it, and of its type as JSON.
 */
export const JSON_FUNCTION = 'restwright_json';

/** The SQL function that writes the UUIDs of a stored value in lower case: of the value, and of its type as JSON. */
export const LOWER_UUIDS_FUNCTION = 'restwright_lower_uuids';

/** The SQL function that writes JSON of the usual form of a type in the compact one: of the value, and of its type. */
export const COMPACT_FUNCTION = 'restwright_compact';

/** The SQL function that fails a statement after its deadline. */
export const DEADLINE_FUNCTION = 'restwright_deadline';

/** The SQL function that fails a statement at a large row, unless its rows are read one by one. */
export const LARGE_ROW_FUNCTION = 'restwright_large_row';

const boolean: Encode = (value) => {
  if (typeof value !== 'boolean') return undefined;
  return value ? 1 : 0;
};

/** The scale of a decimal that is stored as an integer; null for one that is stored as text. */
function storedScale(type: DecimalType): number | null {
  return storageType(type) === 'decimal' ? null : type.scale;
}

function decodeDecimal(type: DecimalType): Decode {
  const scale = storedScale(type);
  return scale === null
    ? (value) => keyedDecimal(String(value), type.scale ?? 0)
    : (value) => scaledDecimal(String(value), scale);
}

/** Reads a 64-bit integer as text: a JavaScript number would lose digits. */
const asText = (column: string): string => `cast(${column} as text)`;

/** Quotes values that SQLite's function writes as JavaScript does: text and numbers. */
function quoteJson(select: (column: string) => string): (column: string) => string {
  return (column) => `case when ${column} is not null then json_quote(${select(column)}) end`;
}

const quotesJson = { json: quoteJson((column) => column) };

/** Computes the result of {@link JSON_FUNCTION}. */
export function storedJson(value: SqlValue, type: SqlValue): string | null {
  if (value === null) return null;
  const decoded = decodeTyped(String(type))?.(value) ?? value;
  return JSON.stringify(decoded);
}

/** Computes the result of {@link LOWER_UUIDS_FUNCTION}. */
export function storedLower(value: SqlValue, type: SqlValue): SqlValue {
  if (typeof value !== 'string') return value;
  const parsed = parseType(String(type));
  return parsed.kind === 'text' ? (storedUuid(value) ?? value) : JSON.stringify(lowerUuids(JSON.parse(value), parsed));
}

const parseType = memoize((type: string): ValueType => JSON.parse(type));

const decodeTyped = memoize((type: string): Decode | null => decoder(JSON.parse(type), { decodeDecimal, decodeUuid }));

/** Computes the result of {@link COMPACT_FUNCTION}. */
export function compactJson(value: SqlValue, type: SqlValue): SqlValue {
  return value === null ? null : (encodeTyped(String(type))(JSON.parse(String(value))) ?? null);
}

const encodeTyped = memoize((type: string): Encode => sqlite.encode(JSON.parse(type)));

function decodeUuid(value: SqlValue): string {
  return writeHyphens(value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value));
}

/** Writes the bytes of a UUID as SQL does in a text. */
function uuidText(column: string): string {
  const digits = `lower(hex(${column}))`;
  const parts = [`1, 8`, `9, 4`, `13, 4`, `17, 4`, `21`].map((part) => `substr(${digits}, ${part})`);
  return `(${parts.join(` || '-' || `)})`;
}

/** The bytes of a column of UUIDs as texts. */
function uuidBytes(column: string): string {
  return `unhex(replace(${column}, '-', ''))`;
}

/** A number as SQLite's JSON functions read it: integers by their digits, as 64-bit integers where they fit. */
const writtenNumber: Encode = (value) => {
  if (typeof value !== 'number') return undefined;
  const isWide = Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 2 ** 63;
  return isWide ? BigInt(String(value)) : value;
};

const comparesNumber = { nested: (expression: string) => comparableExpression(expression, writtenNumber) };

/** Timestamps and bytes inside JSON have a single form. */
const comparesText = {
  nested: (expression: string) =>
    comparableExpression(
      expression,
      text((value) => value),
    ),
};

function compareInt64(expression: string): ComparableExpression {
  return { expression: `cast(${expression} as integer)`, encode: integerText, locate: scaledPlace(0) };
}

function storeDecimal(type: DecimalType): ReturnType<TypeDifferences['decimal']> {
  const scale = storedScale(type);
  const nested = (expression: string): ComparableExpression =>
    comparableExpression(`${DECIMAL_KEY_FUNCTION}(${expression})`, text(decimalKey));
  if (scale === null) return { column: 'text', encode: text(decimalKey), nested };
  const encode = text((value) => int64(scaledInteger(value, scale)));
  return { column: 'integer', encode, locate: scaledPlace(scale), select: asText, nested };
}

const TYPES: TypeDifferences = {
  kinds: {
    text: quotesJson,
    integer: { column: 'integer', ...quotesJson, ...comparesNumber },
    number: { column: 'real', ...quotesJson, ...comparesNumber },
    boolean: { column: 'integer', encode: boolean },
    'date-time': { column: 'integer', ...comparesText },
    int64: { column: 'integer', select: asText, json: quoteJson(asText), nested: compareInt64 },
    binary: comparesText,
    uuid: { column: 'blob', ...storeUuids((uuid) => Buffer.from(uuid.replaceAll('-', ''), 'hex')), text: uuidText },
  },
  decimal: storeDecimal,
  decodeDecimal,
  decodeUuid,
  json: (read, type) => `${JSON_FUNCTION}(${read}, ${quoteText(JSON.stringify(type))})`,
  extract: (column, path) => `json_extract(${column}, ${jsonPath(path)})`,
  extractTyped: (column, path, kind) => {
    const type = `json_type(${column}, ${jsonPath(path)})`;
    if (kind === 'json') return `nullif(${type}, 'null')`;
    return `case when ${type} in (${JSON_TYPES[kind]}) then json_extract(${column}, ${jsonPath(path)}) end`;
  },
};

/** The types of SQLite's JSON functions. */
const JSON_TYPES = { text: `'text'`, number: `'integer', 'real'`, boolean: `'true', 'false'` } as const;

/** A path of SQLite's JSON functions as a literal. No name has a quotation mark. */
function jsonPath(path: readonly string[]): string {
  return quoteText(`$${path.map((name) => `.${quoteName(name)}`).join('')}`);
}

/**
 * A value as JSON that SQLite reads as the value itself. An integer beyond 2^53 is written with an exponent: its digits
 * would be read as another integer. A lone surrogate becomes U+FFFD. Bytes are written as hexadecimal digits.
 */
function writeValue(value: SqlValue): string {
  if (value instanceof Uint8Array) return `"${Buffer.from(value).toString('hex')}"`;
  if (typeof value === 'string') return JSON.stringify(value.toWellFormed());
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return value.toExponential();
  return String(value);
}

/** A query of values of one type that are bound as one parameter. */
function valueList(values: readonly SqlValue[], parameters: BindParameters): string {
  const value = values[0] instanceof Uint8Array ? 'unhex(value)' : 'value';
  return `select ${value} from json_each(${parameters.add(`[${values.map(writeValue).join(',')}]`)})`;
}

/** Keys that are bound as one parameter: their members, or arrays of these. */
function keyRows(
  keys: readonly (readonly SqlValue[])[],
  { alias, types }: KeyRowsOptions,
  parameters: BindParameters,
): KeyRows {
  const of = quoteName(alias);
  const isSingle = types.length === 1;
  const items = isSingle ? keys.flat().map(writeValue) : keys.map((key) => `[${key.map(writeValue).join(',')}]`);
  const ids = types.map((type, at) => {
    const member = isSingle ? `${of}.value` : `json_extract(${of}.value, '$[${at}]')`;
    return isCompact(type) ? `unhex(${member})` : member;
  });
  return { source: `json_each(${parameters.add(`[${items.join(',')}]`)}) as ${of}`, position: `${of}.key`, ids };
}

/**
 * Calls the function. In a thread that is terminated the call returns NULL: the absolute value of the smallest integer
 * overflows then, which fails the statement too.
 */
const CHECK_DEADLINE = `abs(ifnull(${DEADLINE_FUNCTION}(), ${MIN_INT64}))`;

/**
 * Calls the function at one row in 64: a call costs twice as much as skipping a row. The sample is chosen by a
 * multiplicative hash of the rowid with the golden ratio (2^26 / 1.618 = 41475559). Unlike a remainder it samples every
 * evenly spaced sequence of rowids. `_rowid_` is SQLite's name; no field can have it.
 */
const CHECK_DEADLINE_SAMPLED = `(_rowid_ * 41475559 >> 20 & 63 or ${CHECK_DEADLINE})`;

/** SQLite: strict tables, text compared by UTF-8 bytes (the collation BINARY), NULLs smaller than all values. */
export const sqlite: Dialect = extendStandard(TYPES, {
  // A bare parameter may influence the plan, as a limit or an operand of `=`. SQLite would plan again each time it is
  // bound, which takes longer than reading a page.
  placeholder: () => '+?',
  tableOptions: { rows: 'strict', clustered: 'strict, without rowid' },
  cast: (placeholder, type) => `cast(${placeholder} as ${sqlite.columnType(type)})`,
  compact: (column, type) =>
    isList(type) ? `${COMPACT_FUNCTION}(${column}, ${quoteText(JSON.stringify(type))})` : uuidBytes(column),
  lowerUuids: (column, type) => `${LOWER_UUIDS_FUNCTION}(${column}, ${quoteText(JSON.stringify(type))})`,
  hasSubstring: (expression, placeholder) => `instr(${expression}, ${placeholder}) > 0`,
  inList: (expression, values, parameters) => `${expression} in (${valueList(values, parameters)})`,
  search: (resource, words, parameters, deadlineCheck) => {
    const key = keyMembers(resource).map((name) => `${quoteName(resource.name)}.${quoteName(name)}`);
    return `${rowValue(key)} in (${matchingKeys(resource, parameters.add(matchQuery(words)), deadlineCheck)})`;
  },
  wordTest: {
    holds: (resource, words, parameters) => {
      const texts = searchedTexts(sqlite, resource, quoteName(resource.name));
      return `${HAS_WORDS_FUNCTION}(${[parameters.add(words.join(' ')), ...texts].join(', ')})`;
    },
    matchesMoreThan: (rows, resource, words, parameters) => {
      const found = `${quoteName(searchNames(resource.name).words)}(${parameters.add(matchQuery(words))})`;
      return `exists (select 1 from ${found} limit 1 offset ${rows})`;
    },
  },
  arrayItems: (array, alias) => `json_each(${array}) as ${alias}`,
  textRows: (placeholder) => `json_each(${placeholder})`,
  keyRows,
  // SQLite does not reorder a cross join: for each row of the source the subquery runs, then the rows are read by their
  // ids.
  joinEach: (keys, table, key) => `cross join ${table} on ${rowValue(key)} in (${keys})`,
  // Triggers maintain the words of a search: there are no derived columns.
  either: (which, one, other) => `${which === 'least' ? 'min' : 'max'}(${one}, ${other})`,
  largeRow: (columns, placeholder) =>
    `(${columns.map((column) => `ifnull(octet_length(${column}), 0)`).join(' + ')} <= ${placeholder} or ${LARGE_ROW_FUNCTION}())`,
  deadline: { sampled: CHECK_DEADLINE_SAMPLED, always: CHECK_DEADLINE },
});
