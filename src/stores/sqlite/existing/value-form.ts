import { isJsonObject, type Json } from '../../../conventions/json/json.ts';
import type { ValueType } from '../../../model/model.ts';
import type { ColumnForm } from '../../sql/column-form.ts';
import { decimalKey, keyedDecimal } from '../../sql/decimal.ts';
import type { Encode, SqlValue } from '../../sql/dialect.ts';
import { int64, integerText, number, scaledPlace } from '../../sql/encodings.ts';
import { existingForm, type ExistingForm } from '../../sql/existing/existing-form.ts';
import type { Affinity } from './read-tables.ts';
import { decodeTime, encodeTime, findTimeForm, locateTime } from './time-form.ts';

/** A column of another program, as far as its values are known. */
export interface KnownColumn {
  readonly affinity: Affinity;
  readonly required: boolean;
  /** One of its values; null where none is known. */
  readonly sample: SqlValue;
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

const bytes: ExistingForm = {
  select: plain,
  decode: (value) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : null),
  encode: (value) => (typeof value === 'string' && HEXADECIMAL.test(value) ? Buffer.from(value, 'hex') : undefined),
};

function holdsText(affinity: Affinity, sample: SqlValue): boolean {
  return affinity === 'TEXT' || (affinity === 'BLOB' && typeof sample !== 'number');
}

function textForm({ affinity, sample }: KnownColumn): ExistingForm {
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

function decimalForm({ scale }: ValueType & { kind: 'decimal' }, { affinity, sample }: KnownColumn): ExistingForm {
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

function jsonForm(accepts: (value: Json) => boolean): ExistingForm {
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
} satisfies Readonly<Record<Exclude<ValueType['kind'], 'text' | 'decimal' | 'date-time'>, ExistingForm>>;

/** Finds the form of the values of a type in a column. */
function findExistingForm(type: ValueType, column: KnownColumn): ExistingForm {
  switch (type.kind) {
    case 'text':
      return textForm(column);
    case 'decimal':
      return decimalForm(type, column);
    case 'date-time': {
      const form = findTimeForm(column.sample, column.affinity);
      const encode: Encode = (value) => (typeof value === 'string' ? encodeTime(value, form) : undefined);
      return { select: plain, decode: decodeTime, encode, locate: locateTime(form) };
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

/** The form of a column of another program. @param onMisfit called for a value that does not fit the type */
export function valueForm(type: ValueType, column: KnownColumn, onMisfit: () => void): ColumnForm {
  const json = (name: string): string => `case when json_valid(${name}) then ${name} end`;
  return existingForm(type, { json, ...findExistingForm(type, column) }, { nullable: !column.required, onMisfit });
}
