import type { ValueType } from '../../model/model.ts';
import { decimalKey, keyedDecimal } from '../sql/decimal.ts';
import {
  comparable,
  type ComparableExpression,
  type Decode,
  type Dialect,
  type Encode,
  exactLocate,
  type Locate,
} from '../sql/dialect.ts';
import { decoder, integerText, milliseconds, number, placeOf, scaledPlace, text } from '../sql/encodings.ts';
import { arrayOf, keyRows, literal, quote, quoteText } from './literals.ts';
import { searchColumns, wordsExpression, wordsQuery } from './search-columns.ts';

const boolean: Encode = (value) => (typeof value === 'boolean' ? value : undefined);

/** Decimals are stored with as many digits as they have. */
const decimal = text((value) => (decimalKey(value) === undefined ? undefined : value));

const integer: Encode = (value) => (typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined);

/** PostgreSQL has no texts with U+0000, which no request can contain. */
const storable = text((value) => (value.includes('\0') ? undefined : value));

function encode(type: ValueType): Encode {
  switch (type.kind) {
    case 'text':
      return storable;
    case 'integer':
      return integer;
    case 'number':
      return number;
    case 'boolean':
      return boolean;
    case 'date-time':
      return text(milliseconds);
    case 'decimal':
      return decimal;
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

/** The placement of a number of JSON among integers. */
const integerPlace: Locate = (value) => {
  if (typeof value !== 'number') return undefined;
  const floor = Math.floor(value);
  return placeOf({ floor: BigInt(floor), exact: floor === value });
};

function locate(type: ValueType): Locate {
  if (type.kind === 'int64') return scaledPlace(0);
  return type.kind === 'integer' ? integerPlace : exactLocate(encode(type));
}

function decode(type: ValueType): Decode | null {
  return decoder(
    type,
    ({ scale }) =>
      (value) =>
        keyedDecimal(decimalKey(String(value)) ?? '', scale ?? 0),
  );
}

/** Texts are compared by their UTF-8 bytes. */
function columnType(type: ValueType): string {
  const stored = storedType(type);
  return stored === 'text' ? 'text collate "C"' : stored;
}

/** JSON is stored as the text that it was written as: members keep their order, numbers their digits. */
function storedType(type: ValueType): string {
  switch (type.kind) {
    case 'integer':
    case 'date-time':
    case 'int64':
      return 'bigint';
    case 'boolean':
      return 'boolean';
    case 'decimal':
      return 'numeric';
    case 'number':
      return 'double precision';
    case 'binary':
      return 'bytea';
    case 'text':
    case 'object':
    case 'map':
    case 'array':
      return 'text';
  }
}

/** JSON columns hold JSON. Decimals and 64-bit integers are strings. */
function json(column: string, type: ValueType): string {
  switch (type.kind) {
    case 'object':
    case 'map':
    case 'array':
      return column;
    case 'text':
    case 'integer':
    case 'number':
    case 'boolean':
      return `to_json(${column})::text`;
    case 'int64':
    case 'decimal':
      return `to_json(${column}::text)::text`;
    case 'binary':
      return `to_json(translate(encode(${column}, 'base64'), E'\\n', ''))::text`;
    case 'date-time':
      return `to_json(${timestampText(column)})::text`;
  }
}

/** Milliseconds since the epoch as a timestamp. What is first multiplied is whole seconds: the product is exact. The year before 1 is 0 here. */
function timestampText(column: string): string {
  const millisecond = `(${column} % 1000 + 1000) % 1000`;
  const seconds = `timestamp 'epoch' + (${column} - ${millisecond}) / 1000 * interval '1 second'`;
  const year = `case when ${column} < ${YEAR_1} then '0000' else to_char(${seconds}, 'YYYY') end`;
  return `${year} || to_char(${seconds}, '-MM-DD"T"HH24:MI:SS') || '.' || lpad((${millisecond})::text, 3, '0') || 'Z'`;
}

/** In milliseconds since the epoch. */
const YEAR_1 = Date.parse('0001-01-01T00:00:00.000Z');

const NUMBER = String.raw`^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`;

/** A value inside JSON, given as text, in a form that compares by value. What is no number, as in older rows, is NULL among numbers. */
function nested(expression: string, type: ValueType): ComparableExpression {
  switch (type.kind) {
    case 'int64':
    case 'decimal':
      return comparable(asNumber(expression), decimal);
    case 'integer':
    case 'number':
      return comparable(asNumber(expression), number);
    case 'boolean':
      return comparable(`(${expression} = 'true')`, boolean);
    case 'date-time':
    case 'binary':
    case 'text':
      return comparable(`(${expression} collate "C")`, storable);
    case 'object':
    case 'map':
    case 'array':
      return comparable(`(${expression} collate "C")`, encode(type));
  }
}

function asNumber(expression: string): string {
  return `(case when ${expression} ~ ${quoteText(NUMBER)} then ${expression}::numeric end)`;
}

/** The table name of the items of an array. No resource name has a space. */
const ITEM = '"array item"';

/** An alias of the keys of a lateral join. */
const EACH = '"each key"';

/** PostgreSQL, with the types and the text comparison of the contract. */
export const postgres: Dialect = {
  placeholder: (position) => `$${position}`,
  quote,
  literal,
  columnType,
  tableOptions: { rows: '', clustered: '' },
  encode,
  locate,
  selection: (column, { kind }) => (kind === 'int64' ? `${column}::text` : column),
  decode,
  json,
  member: (column, path, type) => nested(`(${column}::json #>> ${quoteText(arrayOf(path))})`, type),
  contains: (array, type) => {
    const item = nested(`${ITEM}.value`, type);
    return {
      encode: item.encode,
      condition: (placeholder) =>
        `exists (select 1 from json_array_elements_text(${array}::json) as ${ITEM}(value) where ${item.expression} = ${placeholder})`,
    };
  },
  hasSubstring: (expression, placeholder) => `strpos(${expression}, ${placeholder}) > 0`,
  inList: (expression, values, parameters) => `${expression} = any(${parameters.add(arrayOf(values))})`,
  search: (resource, words, parameters) =>
    `${wordsExpression(resource, `${quote(resource.name)}.`)} @@ ${parameters.add(wordsQuery(words))}::tsquery`,
  textRows: (placeholder) => `json_array_elements_text(${placeholder}::json) as listed(value)`,
  keyRows,
  joinEach: (keys, table, key) => {
    const names = key.map((_, at) => quote(`key ${at}`));
    const same = key.map((column, at) => `${column} = ${EACH}.${names[at] ?? ''}`).join(' and ');
    return `cross join lateral (${keys}) as ${EACH}(${names.join(', ')}) join ${table} on ${same}`;
  },
  rowArrays: {
    source: (types) => {
      const arrays = types.map((type, index) => `$${index + 1}::${storedType(type)}[]`);
      return `unnest(${arrays.join(', ')}) as given(${types.map((_, index) => `v${index + 1}`).join(', ')})`;
    },
    value: (position) => `given.v${position}`,
  },
  either: (which, one, other) => `${which}(${one}, ${other})`,
  derivedColumns: searchColumns,
  order: (path, expression, descending) => {
    // Its order of NULLs decides whether an index serves an order, also for a column that has none.
    if (path === 'id') return descending ? `${expression} desc` : expression;
    return `${expression} ${descending ? 'desc nulls last' : 'asc nulls first'}`;
  },
  // Both are bound by the session: `statement_timeout`, and pages of at most `limits.page_size` rows.
  largeRow: null,
  deadline: null,
};
