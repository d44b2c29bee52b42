import { memoize } from '../../cache/memoize.ts';
import type { Json } from '../../conventions/json/json.ts';
import type { ValueType } from '../../model/model.ts';
import { keyMembers } from '../../model/row-key.ts';
import { decimalKey, keyedDecimal, scaledDecimal, scaledInteger } from '../sql/decimal.ts';
import {
  comparable,
  type ComparableExpression,
  type Decode,
  type Dialect,
  type Encode,
  exactLocate,
  type Locate,
  type SqlValue,
} from '../sql/dialect.ts';
import { decoder, int64, integerText, MIN_INT64, milliseconds, number, scaledPlace, text } from '../sql/encodings.ts';
import { storageType } from '../sql/schema/schema.ts';
import { rowValue } from '../sql/tables.ts';
import { keyRows, literal, quote, quoteText, valueList } from './literals.ts';
import { matchingKeys, matchQuery } from './schema/search-tables.ts';

/** The SQL function that converts a decimal to a text in the order of its value. */
export const DECIMAL_KEY_FUNCTION = 'restwright_decimal_key';

/** The SQL function that makes JSON of a stored value: of the value as `selection` reads it, and of its type as JSON. */
export const JSON_FUNCTION = 'restwright_json';

/** The SQL function that fails a statement after its deadline. */
export const DEADLINE_FUNCTION = 'restwright_deadline';

/** The SQL function that fails a statement at a large row, unless its rows are read one by one. */
export const LARGE_ROW_FUNCTION = 'restwright_large_row';

function boolean(value: Json): SqlValue | undefined {
  if (typeof value !== 'boolean') return undefined;
  return value ? 1 : 0;
}

/** The scale of a decimal that is stored as an integer; null for one that is stored as text. */
function scaleOf(type: ValueType & { kind: 'decimal' }): number | null {
  return storageType(type) === 'decimal' ? null : type.scale;
}

function encode(type: ValueType): Encode {
  switch (type.kind) {
    case 'text':
      return text((value) => value);
    case 'integer':
    case 'number':
      return number;
    case 'boolean':
      return boolean;
    case 'date-time':
      return text(milliseconds);
    case 'decimal': {
      const scale = scaleOf(type);
      return text(scale === null ? decimalKey : (value) => int64(scaledInteger(value, scale)));
    }
    case 'int64':
      return integerText;
    case 'binary':
      return text((value) => Buffer.from(value, 'base64'));
    case 'object':
    case 'map':
    case 'array':
      return (value) => JSON.stringify(value);
  }
}

function locate(type: ValueType): Locate {
  switch (type.kind) {
    case 'int64':
      return scaledPlace(0);
    case 'decimal': {
      const scale = scaleOf(type);
      return scale === null ? exactLocate(encode(type)) : scaledPlace(scale);
    }
    case 'text':
    case 'integer':
    case 'number':
    case 'boolean':
    case 'date-time':
    case 'binary':
    case 'object':
    case 'map':
    case 'array':
      return exactLocate(encode(type));
  }
}

function decodeDecimal(type: ValueType & { kind: 'decimal' }): Decode {
  const scale = scaleOf(type);
  return scale === null
    ? (value) => keyedDecimal(String(value), type.scale ?? 0)
    : (value) => scaledDecimal(String(value), scale);
}

function columnType(type: ValueType): string {
  switch (type.kind) {
    case 'integer':
    case 'boolean':
    case 'date-time':
    case 'int64':
      return 'integer';
    case 'decimal':
      return scaleOf(type) === null ? 'text' : 'integer';
    case 'number':
      return 'real';
    case 'binary':
      return 'blob';
    case 'text':
    case 'object':
    case 'map':
    case 'array':
      return 'text';
  }
}

/** A number as SQLite's JSON functions read it: integers by their digits, as 64-bit integers where they fit. */
const writtenNumber: Encode = (value) => {
  if (typeof value !== 'number') return undefined;
  const isWide = Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 2 ** 63;
  return isWide ? BigInt(String(value)) : value;
};

/** A value that JSON functions return, in a form that compares by value. Timestamps inside JSON have a single form. */
function nested(expression: string, type: ValueType): ComparableExpression {
  switch (type.kind) {
    case 'int64':
      return { expression: `cast(${expression} as integer)`, encode: encode(type), locate: locate(type) };
    case 'decimal':
      return comparable(`${DECIMAL_KEY_FUNCTION}(${expression})`, text(decimalKey));
    case 'date-time':
    case 'binary':
      return comparable(
        expression,
        text((value) => value),
      );
    case 'integer':
    case 'number':
      return comparable(expression, writtenNumber);
    case 'text':
    case 'boolean':
    case 'object':
    case 'map':
    case 'array':
      return comparable(expression, encode(type));
  }
}

/** The table name of the items of an array. No resource name has a space. */
const ITEM = '"array item"';

/** A 64-bit integer is read as text: a JavaScript number would lose digits. */
function selection(column: string, type: ValueType): string {
  const wide = type.kind === 'int64' || (type.kind === 'decimal' && scaleOf(type) !== null);
  return wide ? `cast(${column} as text)` : column;
}

/** What {@link JSON_FUNCTION} computes. */
export function storedJson(value: SqlValue, type: SqlValue): string | null {
  if (value === null) return null;
  const decoded = decodeTyped(String(type))?.(value) ?? value;
  return JSON.stringify(decoded);
}

const decodeTyped = memoize((type: string): Decode | null => decoder(JSON.parse(type), decodeDecimal));

/** JSON columns hold JSON, and SQLite's function writes text and numbers as JavaScript does. */
function json(column: string, type: ValueType): string {
  const read = selection(column, type);
  switch (type.kind) {
    case 'object':
    case 'map':
    case 'array':
      return column;
    case 'text':
    case 'integer':
    case 'number':
    case 'int64':
      return `case when ${column} is not null then json_quote(${read}) end`;
    case 'boolean':
    case 'date-time':
    case 'decimal':
    case 'binary':
      return `${JSON_FUNCTION}(${read}, ${quoteText(JSON.stringify(type))})`;
  }
}

/**
 * Calls the function. In a thread that is terminated the call returns NULL: the absolute value of the smallest integer overflows then, which fails
 * the statement too.
 */
const CHECK_DEADLINE = `abs(ifnull(${DEADLINE_FUNCTION}(), ${MIN_INT64}))`;

/**
 * Calls the function at one row in 64: a call costs twice as much as skipping a row. The sample is chosen by a multiplicative hash of the rowid with
 * the golden ratio (2^26 / 1.618 = 41475559). Unlike a remainder it samples every evenly spaced sequence of rowids. `_rowid_` is SQLite's name; no
 * field can have it.
 */
const CHECK_DEADLINE_SAMPLED = `(_rowid_ * 41475559 >> 20 & 63 or ${CHECK_DEADLINE})`;

/** SQLite: strict tables, text compared by UTF-8 bytes (the collation BINARY), NULLs smaller than all values. */
export const sqlite: Dialect = {
  // A bare parameter may influence the plan, as a limit or an operand of `=`: SQLite would plan again each time it is bound, which takes longer
  // than reading a page.
  placeholder: () => '+?',
  quote,
  literal,
  columnType,
  tableOptions: { rows: 'strict', clustered: 'strict, without rowid' },
  encode,
  locate,
  selection,
  decode: (type) => decoder(type, decodeDecimal),
  json,
  member: (column, path, type) =>
    nested(`json_extract(${column}, ${quoteText(`$${path.map((name) => `.${quote(name)}`).join('')}`)})`, type),
  contains: (array, type) => {
    const item = nested(`${ITEM}.value`, type);
    return {
      encode: item.encode,
      condition: (placeholder) =>
        `exists (select 1 from json_each(${array}) as ${ITEM} where ${item.expression} = ${placeholder})`,
    };
  },
  hasSubstring: (expression, placeholder) => `instr(${expression}, ${placeholder}) > 0`,
  inList: (expression, values, parameters) => `${expression} in (${valueList(values, parameters)})`,
  search: (resource, words, parameters, deadlineCheck) =>
    `${rowValue(keyMembers(resource).map((name) => `${quote(resource.name)}.${quote(name)}`))} in (${matchingKeys(resource, parameters.add(matchQuery(words)), deadlineCheck)})`,
  textRows: (placeholder) => `json_each(${placeholder})`,
  keyRows,
  // SQLite does not reorder a cross join: for each row of the source the subquery runs, then the rows are read by their ids.
  joinEach: (keys, table, key) => `cross join ${table} on ${rowValue(key)} in (${keys})`,
  rowArrays: null,
  either: (which, one, other) => `${which === 'least' ? 'min' : 'max'}(${one}, ${other})`,
  // Triggers maintain the words of a search.
  derivedColumns: () => [],
  order: (_path, expression, descending) => (descending ? `${expression} desc` : expression),
  largeRow: (columns, placeholder) =>
    `(${columns.map((column) => `ifnull(octet_length(${column}), 0)`).join(' + ')} <= ${placeholder} or ${LARGE_ROW_FUNCTION}())`,
  deadline: { sampled: CHECK_DEADLINE_SAMPLED, always: CHECK_DEADLINE },
};
