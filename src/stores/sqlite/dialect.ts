import type { Json } from '../../conventions/json.ts';
import type { ValueType } from '../../model/model.ts';
import { decimalKey, keyedDecimal, scaledDecimal, scaledInteger } from '../sql/decimal.ts';
import type { Comparable, Decode, Dialect, Encode, SqlValue } from '../sql/dialect.ts';
import { storageOf } from '../sql/schema.ts';
import { timestamp } from '../sql/timestamp.ts';

/** The SQL function that gives a decimal's text the order of its value. */
export const DECIMAL_KEY = 'restwright_decimal_key';

/** The SQL function that fails a statement whose deadline has passed. */
export const DEADLINE = 'restwright_deadline';

const GREATEST = 9_223_372_036_854_775_807n;
const LEAST = -9_223_372_036_854_775_808n;

function int64(value: bigint | undefined): bigint | undefined {
  return value !== undefined && value >= LEAST && value <= GREATEST ? value : undefined;
}

const text =
  (convert: (value: string) => SqlValue | undefined): Encode =>
  (value: Json) =>
    typeof value === 'string' ? convert(value) : undefined;

const number: Encode = (value) => (typeof value === 'number' ? value : undefined);

function boolean(value: Json): SqlValue | undefined {
  if (typeof value !== 'boolean') return undefined;
  return value ? 1 : 0;
}

const integerText = text((value) => (/^-?\d+$/.test(value) ? int64(BigInt(value)) : undefined));

function milliseconds(value: string): number | undefined {
  const parsed = Date.parse(value);
  return Number.isNaN(parsed) ? undefined : parsed;
}

/** The places of a decimal that is stored as a scaled integer; null for one that is stored as text. */
function scaleOf(type: ValueType & { kind: 'decimal' }): number | null {
  return storageOf(type) === 'decimal' ? null : type.scale;
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

function decode(type: ValueType): Decode | null {
  switch (type.kind) {
    case 'text':
    case 'integer':
    case 'number':
    case 'int64':
      return null;
    case 'boolean':
      return (value) => value === 1;
    case 'date-time':
      return (value) => timestamp(Number(value));
    case 'decimal': {
      const scale = scaleOf(type);
      return scale === null
        ? (value) => keyedDecimal(String(value), type.scale ?? 0)
        : (value) => scaledDecimal(String(value), scale);
    }
    case 'binary':
      return (value) => (value instanceof Uint8Array ? Buffer.from(value).toString('base64') : String(value));
    case 'object':
    case 'map':
    case 'array':
      return (value): Json => JSON.parse(String(value));
  }
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

/** What JSON functions give for a value of a type, in the form that compares by value. Timestamps inside JSON stand in their one form. */
function nested(expression: string, type: ValueType): Comparable {
  switch (type.kind) {
    case 'int64':
      return { expression: `cast(${expression} as integer)`, encode: encode(type) };
    case 'decimal':
      return { expression: `${DECIMAL_KEY}(${expression})`, encode: text(decimalKey) };
    case 'date-time':
    case 'binary':
      return { expression, encode: text((value) => value) };
    case 'text':
    case 'integer':
    case 'number':
    case 'boolean':
    case 'object':
    case 'map':
    case 'array':
      return { expression, encode: encode(type) };
  }
}

/** What the items of an array are called beside a table; no resource can bear the name. */
const ITEM = '"array item"';

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

function quoteText(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

function literal(value: SqlValue): string {
  if (value === null) return 'null';
  if (value instanceof Uint8Array) return `x'${Buffer.from(value).toString('hex')}'`;
  return typeof value === 'string' ? quoteText(value) : String(value);
}

/** An integer of 64 bits passes through a JavaScript number only as text. */
function selection(column: string, type: ValueType): string {
  const wide = type.kind === 'int64' || (type.kind === 'decimal' && scaleOf(type) !== null);
  return wide ? `cast(${column} as text)` : column;
}

/** SQLite: strict tables, text compared by its UTF-8 bytes (the collation BINARY), NULLs least of all. */
export const sqlite: Dialect = {
  placeholder: () => '?',
  quote,
  literal,
  columnType,
  encode,
  selection,
  decode,
  member: (column, path, type) =>
    nested(`json_extract(${column}, ${quoteText(`$${path.map((name) => `.${quote(name)}`).join('')}`)})`, type),
  contains: (column, type) => {
    const item = nested(`${ITEM}.value`, type);
    return {
      encode: item.encode,
      condition: (placeholder) =>
        `exists (select 1 from json_each(${column}) as ${ITEM} where ${item.expression} = ${placeholder})`,
    };
  },
  order: (expression, descending) => (descending ? `${expression} desc` : expression),
  deadline: `${DEADLINE}()`,
};
