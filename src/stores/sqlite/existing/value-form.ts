import { isJsonObject, type Json } from '../../../conventions/json/json.ts';
import type { ValueType } from '../../../model/model.ts';
import type { ColumnForm } from '../../sql/column-form.ts';
import { decimalKey, keyedDecimal } from '../../sql/decimal.ts';
import { type Encode, exactLocate, type Locate, type SqlValue } from '../../sql/dialect.ts';
import { int64, integerText, number, scaledPlace } from '../../sql/encodings.ts';
import type { Affinity } from './read-tables.ts';
import { decodeTime, encodeTime, findTimeForm } from './time-form.ts';

/** A column of another program, as far as its values are known. */
export interface KnownColumn {
  readonly affinity: Affinity;
  readonly required: boolean;
  /** One of its values; null where none is known. */
  readonly sample: SqlValue;
}

/** The form of the values of one type in a column. */
interface StoredValueForm {
  readonly select: (column: string) => string;
  /** null for a value that does not fit the type. */
  readonly decode: (value: SqlValue) => Json;
  readonly encode: Encode;
  readonly locate?: Locate;
}

const plain = (column: string): string => column;

/** Reads integers as their digits, which a number would lose; other values as they are. */
function selectDigits(column: string): string {
  return `case when typeof(${column}) = 'integer' then cast(${column} as text) else ${column} end`;
}

/** Reads integers that a number holds as they are, and larger ones as their digits. */
function selectSafely(column: string): string {
  const most = Number.MAX_SAFE_INTEGER;
  return `case when typeof(${column}) = 'integer' and ${column} not between -${most} and ${most} then cast(${column} as text) else ${column} end`;
}

const INTEGER_TEXT = /^(?:0|-?[1-9]\d*)$/;

/** A number as SQLite stores the text of one; undefined for a text that SQLite would convert to another number. */
function encodeNumber(text: string): SqlValue | undefined {
  if (INTEGER_TEXT.test(text)) return int64(BigInt(text));
  const value = Number(text);
  if (text.trim() === '' || Number.isNaN(value)) return text;
  return String(value) === text ? value : undefined;
}

const HEXADECIMAL = /^(?:[0-9a-f]{2})+$/;

const bytes: StoredValueForm = {
  select: plain,
  decode: (value) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : null),
  encode: (value) => (typeof value === 'string' && HEXADECIMAL.test(value) ? Buffer.from(value, 'hex') : undefined),
};

function holdsText(affinity: Affinity, sample: SqlValue): boolean {
  return affinity === 'TEXT' || (affinity === 'BLOB' && typeof sample !== 'number');
}

function textForm({ affinity, sample }: KnownColumn): StoredValueForm {
  if (sample instanceof Uint8Array) return bytes;
  const decode = (value: SqlValue): Json => (value instanceof Uint8Array ? null : String(value));
  if (holdsText(affinity, sample))
    return { select: plain, decode, encode: (value) => (typeof value === 'string' ? value : undefined) };
  return {
    select: selectDigits,
    decode,
    encode: (value) => (typeof value === 'string' ? encodeNumber(value) : undefined),
  };
}

const DECIMAL = /^-?\d+(?:\.\d+)?$/;

function decimalForm({ scale }: ValueType & { kind: 'decimal' }, { affinity, sample }: KnownColumn): StoredValueForm {
  const digits = (value: number): string => (scale === null ? String(value) : value.toFixed(scale));
  return {
    select: selectDigits,
    decode: (value) => {
      const text = typeof value === 'number' ? digits(value) : String(value);
      return DECIMAL.test(text) ? keyedDecimal(decimalKey(text) ?? '1', scale ?? 0) : null;
    },
    encode: (value) => {
      if (typeof value !== 'string' || holdsText(affinity, sample))
        return typeof value === 'string' ? value : undefined;
      const short = value.replace(/\.0+$/, '');
      return INTEGER_TEXT.test(short) ? int64(BigInt(short)) : Number(value);
    },
  };
}

function jsonForm(accepts: (value: Json) => boolean): StoredValueForm {
  const parse = (value: SqlValue): Json => {
    try {
      const parsed: Json = JSON.parse(String(value));
      return accepts(parsed) ? parsed : null;
    } catch {
      return null;
    }
  };
  return {
    select: plain,
    decode: (value) => (value instanceof Uint8Array ? null : parse(value)),
    encode: (value) => JSON.stringify(value),
  };
}

const isJsonMap = (value: Json): boolean => isJsonObject(value);

const FORMS = {
  integer: {
    select: selectSafely,
    decode: (value) => (Number.isSafeInteger(value) ? Number(value) : null),
    encode: number,
  },
  number: { select: selectSafely, decode: (value) => (Number.isFinite(value) ? Number(value) : null), encode: number },
  boolean: {
    select: plain,
    decode: (value) => (value === 0 || value === 1 ? value === 1 : null),
    encode: (value) => (typeof value === 'boolean' ? Number(value) : undefined),
  },
  int64: {
    select: selectDigits,
    decode: (value) => (typeof value === 'string' && INTEGER_TEXT.test(value) ? value : null),
    encode: integerText,
    locate: scaledPlace(0),
  },
  binary: {
    select: plain,
    decode: (value) => (value instanceof Uint8Array ? Buffer.from(value).toString('base64') : null),
    encode: (value) => (typeof value === 'string' ? Buffer.from(value, 'base64') : undefined),
  },
  json: jsonForm(() => true),
  object: jsonForm(isJsonMap),
  map: jsonForm(isJsonMap),
  array: jsonForm((value) => Array.isArray(value)),
} satisfies Readonly<Record<Exclude<ValueType['kind'], 'text' | 'decimal' | 'date-time'>, StoredValueForm>>;

/** Finds the form of the values of a type in a column. */
function findStoredForm(type: ValueType, column: KnownColumn): StoredValueForm {
  switch (type.kind) {
    case 'text':
      return textForm(column);
    case 'decimal':
      return decimalForm(type, column);
    case 'date-time': {
      const form = findTimeForm(column.sample, column.affinity);
      const encode: Encode = (value) => (typeof value === 'string' ? encodeTime(value, form) : undefined);
      return { select: plain, decode: decodeTime, encode };
    }
    case 'integer':
    case 'number':
    case 'boolean':
    case 'int64':
    case 'binary':
    case 'json':
    case 'object':
    case 'map':
    case 'array':
      return FORMS[type.kind];
  }
}

/** The member of a position that is a stored value: a value that does not follow from the shown one. */
const STORED = 'stored';

/** The bytes of a stored value are written in base64. */
const BYTES = 'bytes';

function writePosition(stored: SqlValue): Json {
  if (stored instanceof Uint8Array) return { [BYTES]: Buffer.from(stored).toString('base64') };
  return { [STORED]: typeof stored === 'bigint' ? String(stored) : stored };
}

/** Reads a position that {@link writePosition} wrote; undefined for any other JSON. */
function readPosition(value: Json): SqlValue | undefined {
  if (!isJsonObject(value)) return undefined;
  const held = value[STORED];
  if (typeof held === 'string' || typeof held === 'number') return held;
  const encoded = value[BYTES];
  return typeof encoded === 'string' ? Buffer.from(encoded, 'base64') : undefined;
}

function isSameValue(encoded: SqlValue | undefined, stored: SqlValue): boolean {
  if (encoded instanceof Uint8Array) return stored instanceof Uint8Array && Buffer.compare(encoded, stored) === 0;
  return encoded === stored || (typeof encoded === 'bigint' && String(encoded) === stored);
}

/**
 * The form of a column of another program. Values are compared as they are stored, so that the column's own index and
 * collation serve order and equality.
 *
 * @param onMisfit called for a value that does not fit the type
 */
export function existingForm(type: ValueType, column: KnownColumn, onMisfit: () => void): ColumnForm {
  const form = findStoredForm(type, column);
  return {
    nullable: !column.required,
    select: form.select,
    decode: (value) => {
      const decoded = form.decode(value);
      if (decoded === null && !isJsonNull(type, value)) onMisfit();
      return decoded;
    },
    encode: (value) => readPosition(value) ?? form.encode(value),
    locate: form.locate ?? exactLocate(form.encode),
    json: (name) => `case when json_valid(${name}) then ${name} end`,
    ...(isSorted(type) ? { position: (stored, decoded) => findPosition(form, stored, decoded) } : {}),
  };
}

function findPosition(form: StoredValueForm, stored: SqlValue, decoded: Json): Json {
  return decoded !== null && isSameValue(form.encode(decoded), stored) ? null : writePosition(stored);
}

/** The literal null of JSON, which fits a field of any JSON. */
function isJsonNull({ kind }: ValueType, value: SqlValue): boolean {
  return kind === 'json' && value === 'null';
}

function isSorted({ kind }: ValueType): boolean {
  return !['binary', 'json', 'object', 'map', 'array'].includes(kind);
}
