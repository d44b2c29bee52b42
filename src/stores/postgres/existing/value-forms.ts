import { isJsonObject, type Json } from '../../../conventions/json/json.ts';
import type { ValueType } from '../../../model/model.ts';
import type { ColumnForm } from '../../sql/column-form.ts';
import type { Decode, Encode, SqlValue } from '../../sql/dialect.ts';
import { existingForm, type ExistingForm } from '../../sql/existing/existing-form.ts';
import type { PostgresKind, PostgresType } from './column-type.ts';
import { numberForm } from './number-forms.ts';
import { encodeText } from './text-values.ts';
import { timeForm } from './time-values.ts';

/** The type of a column that is compared as its text. */
const AS_TEXT: PostgresType = { kind: 'text', name: 'text', sql: 'text', labels: [], item: null };

/** Kinds without an order, or without an equality, of their own. */
const COMPARED_AS_TEXT: ReadonlySet<PostgresKind> = new Set(['json', 'hstore', 'array', 'other']);

/** True if a column is compared as its text by a field of a type. */
export function isComparedAsText(field: ValueType, { kind }: PostgresType): boolean {
  return field.kind === 'text' && COMPARED_AS_TEXT.has(kind);
}

/** The type as which a column is compared by a field of a type. */
function comparedType(field: ValueType, type: PostgresType): PostgresType {
  return isComparedAsText(field, type) ? AS_TEXT : type;
}

/** Kinds with values such as infinity, which no format of texts has. */
const ENDLESS: ReadonlySet<PostgresKind> = new Set(['date', 'timestamp', 'timestamptz']);

/** Decodes a text; null for one that is no date of the years 1 to 9999 in a column of dates. */
function decodeText(type: PostgresType): (value: SqlValue) => string | null {
  if (type.kind === 'bytes') return (value) => readStoredBytes(value).toString('hex');
  if (!ENDLESS.has(type.kind)) return String;
  return (value) => (encodeText(String(value), type) === undefined ? null : String(value));
}

function textForm(type: PostgresType): ExistingForm {
  return {
    select: (column) => (type.kind === 'bytes' ? column : `${column}::text`),
    decode: decodeText(type),
    encode: (value) => (typeof value === 'string' ? encodeText(value, type) : undefined),
  };
}

const BOOLEANS: ExistingForm = {
  select: (column) => `${column}::text`,
  decode: (value) => value === 'true',
  encode: (value) => (typeof value === 'boolean' ? String(value) : undefined),
};

/** Reads bytes. Those in an array are a text with a prefix. */
function readStoredBytes(value: SqlValue): Buffer {
  return value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value).slice(2), 'hex');
}

const BINARY: ExistingForm = {
  select: (column) => column,
  decode: (value) => readStoredBytes(value).toString('base64'),
  encode: (value) => (typeof value === 'string' ? Buffer.from(value, 'base64') : undefined),
};

const writeJson: Encode = (value) => JSON.stringify(value);

function parseStored(value: SqlValue): Json {
  return JSON.parse(String(value));
}

function jsonForm(accepts: (value: Json) => boolean): ExistingForm {
  return {
    select: (column) => `to_json(${column})::text`,
    decode: (value) => {
      const parsed = parseStored(value);
      return accepts(parsed) ? parsed : null;
    },
    encode: writeJson,
    json: (column) => `to_json(${column})`,
  };
}

const isMap = (value: Json): boolean => isJsonObject(value);

/** JSON with an array. Another value would fail the functions that list its items. */
const JSON_ARRAYS: ExistingForm = {
  ...jsonForm((value) => Array.isArray(value)),
  json: (column) => `(case when json_typeof(${column}::json) = 'array' then ${column}::json end)::text`,
};

/** The form of an array, whose items are read as their texts. An item that does not fit makes the array not fit. */
function arrayForm(item: ValueType, stored: PostgresType): ExistingForm {
  const { encode, decode } = storedForm(item, stored);
  const { sql } = comparedType(item, stored);
  return {
    select: (column) => `to_json(${column}::text[])::text`,
    decode: (value) => decodeItems(parseStored(value), decode),
    encode: writeJson,
    json: (column) => `to_json(${column})::text`,
    // An index of arrays serves this operator alone.
    membership: (column) => ({
      encode,
      condition: (placeholder) => `${column}::${sql}[] @> array[cast(${placeholder} as ${sql})]`,
    }),
  };
}

/** Decodes the items of an array, of which some may be NULL; null for one with an item that does not fit. */
function decodeItems(items: Json, decode: Decode): Json {
  if (!Array.isArray(items)) return null;
  // An array of several dimensions has no texts as its items.
  const decoded = items.map((item) => (typeof item === 'string' ? decode(item) : null));
  return decoded.every((item, at) => item !== null || items[at] === null) ? decoded : null;
}

/** Finds the form of the values of a type in a column. The start has checked that the column can have some. */
function storedForm(field: ValueType, type: PostgresType): ExistingForm {
  switch (field.kind) {
    case 'text':
      return textForm(comparedType(field, type));
    case 'integer':
    case 'number':
    case 'decimal':
    case 'int64':
      return numberForm(field, type);
    case 'boolean':
      return BOOLEANS;
    case 'date-time':
      return timeForm(type);
    case 'binary':
      return BINARY;
    case 'json':
      return jsonForm(() => true);
    case 'object':
    case 'map':
      return jsonForm(isMap);
    case 'array':
      return type.item === null ? JSON_ARRAYS : arrayForm(field.item.type, type.item);
  }
}

/** A column, as far as its form depends on it. */
interface FormedColumn {
  readonly type: PostgresType;
  readonly required: boolean;
}

/** The form of the values of a field in a column. @param onMisfit called for a value that does not fit the type */
export function columnForm(field: ValueType, { type, required }: FormedColumn, onMisfit: () => void): ColumnForm {
  const { sql } = comparedType(field, type);
  return existingForm(field, storedForm(field, type), {
    nullable: !required,
    typed: (expression) => `cast(${expression} as ${sql})`,
    onMisfit,
  });
}
