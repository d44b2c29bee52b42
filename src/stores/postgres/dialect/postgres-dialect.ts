import type { ValueType } from '../../../model/model.ts';
import { decimalKey, keyedDecimal } from '../../sql/decimal.ts';
import {
  comparableExpression,
  type ComparableExpression,
  type Dialect,
  type Encode,
  type Locate,
} from '../../sql/dialect.ts';
import { isList } from '../../sql/compact-list.ts';
import { number, placeAmongIntegers, text } from '../../sql/encodings.ts';
import { completeType, extendStandard, quoteText, type TypeDifferences } from '../../sql/standard-dialect.ts';
import { compactList } from './compact-list.ts';
import { arrayLiteral, keyRows, postgresLiteral, quote } from './literals.ts';
import { lowerUuids } from './lower-uuids.ts';
import { searchColumns, wordsExpression, wordsQuery } from './search-columns.ts';

const boolean: Encode = (value) => (typeof value === 'boolean' ? value : undefined);

/** Decimals are stored with as many digits as they have. */
const decimal = text((value) => (decimalKey(value) === undefined ? undefined : value));

const integer: Encode = (value) => (typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined);

/** PostgreSQL has no texts with U+0000, which no request can contain. */
const storable = text((value) => (value.includes('\0') ? undefined : value));

/** The placement of a number of JSON among integers. */
const integerPlace: Locate = (value) => {
  if (typeof value !== 'number') return undefined;
  const floor = Math.floor(value);
  return placeAmongIntegers({ floor: BigInt(floor), exact: floor === value });
};

const asText = (column: string): string => `${column}::text`;

/**
 * Milliseconds since the epoch as a timestamp. What is first multiplied is whole seconds: the product is exact. The
 * year before 1 is 0 here.
 */
function timestampText(column: string): string {
  const millisecond = `(${column} % 1000 + 1000) % 1000`;
  const seconds = `timestamp 'epoch' + (${column} - ${millisecond}) / 1000 * interval '1 second'`;
  const year = `case when ${column} < ${YEAR_1} then '0000' else to_char(${seconds}, 'YYYY') end`;
  return `${year} || to_char(${seconds}, '-MM-DD"T"HH24:MI:SS') || '.' || lpad((${millisecond})::text, 3, '0') || 'Z'`;
}

/** In milliseconds since the epoch. */
const YEAR_1 = Date.parse('0001-01-01T00:00:00.000Z');

const NUMBER = String.raw`^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`;

/** Compares a value inside JSON, given as text, as a number. Values of older rows that are not numbers are NULL. */
function asNumber(encode: Encode): (expression: string) => ComparableExpression {
  return (expression) =>
    comparableExpression(`(case when ${expression} ~ ${quoteText(NUMBER)} then ${expression}::numeric end)`, encode);
}

/** Texts are compared by their UTF-8 bytes. */
const COLLATION = ' collate "C"';

function asBytes(encode: Encode): (expression: string) => ComparableExpression {
  return (expression) => comparableExpression(`(${expression}${COLLATION})`, encode);
}

const comparesText = { nested: asBytes(storable) };

/** JSON is stored as the text that it was written as: members keep their order, numbers their digits. */
const comparesJson = { nested: asBytes((value) => JSON.stringify(value)) };

const TYPES: TypeDifferences = {
  kinds: {
    text: { encode: storable, ...comparesText },
    integer: { encode: integer, locate: integerPlace, nested: asNumber(number) },
    number: { nested: asNumber(number) },
    boolean: { nested: (expression) => comparableExpression(`(${expression} = 'true')`, boolean) },
    'date-time': { json: (column) => `to_json(${timestampText(column)})::text`, ...comparesText },
    int64: { select: asText, nested: asNumber(decimal) },
    binary: {
      column: 'bytea',
      json: (column) => `to_json(translate(encode(${column}, 'base64'), E'\\n', ''))::text`,
      ...comparesText,
    },
    object: comparesJson,
    map: comparesJson,
    array: comparesJson,
    json: comparesJson,
    uuid: { text: asText },
  },
  decimal: () => ({
    column: 'numeric',
    encode: decimal,
    json: (column) => `to_json(${asText(column)})::text`,
    nested: asNumber(decimal),
  }),
  decodeDecimal:
    ({ scale }) =>
    (value) =>
      keyedDecimal(decimalKey(String(value)) ?? '', scale ?? 0),
  decodeUuid: null,
  json: (read) => `to_json(${read})::text`,
  extract: (column, path) => `(${column}::json #>> ${quoteText(arrayLiteral(path))})`,
  extractTyped: (column, path, kind) => {
    // A text as the operand makes `->` read members of objects only; `#>` also reads items of arrays.
    const value = `(${[`${column}::json`, ...path.map((name) => `${quoteText(name)}::text`)].join(' -> ')})`;
    if (kind === 'json') return `nullif(json_typeof(${value}), 'null')`;
    return `(case when json_typeof(${value}) = '${JSON_TYPES[kind]}' then ${value} #>> '{}' end)`;
  },
};

/** The types of PostgreSQL's JSON functions. */
const JSON_TYPES = { text: 'string', number: 'number', boolean: 'boolean' } as const;

/** The type that a value is cast to: that of its column, without a collation. */
export function castType(type: ValueType): string {
  return completeType(type, TYPES).column;
}

/** An alias of the keys of a lateral join. */
const EACH = '"each key"';

/** PostgreSQL, with the types and the text comparison of the contract. */
export const postgres: Dialect = extendStandard(TYPES, {
  placeholder: (position) => `$${position}`,
  quote,
  literal: postgresLiteral,
  columnType: (type) => {
    const stored = castType(type);
    return stored === 'text' ? `${stored}${COLLATION}` : stored;
  },
  arrayItems: (array, alias) => `json_array_elements_text(${array}::json) as ${alias}(value)`,
  textRows: (placeholder) => `json_array_elements_text(${placeholder}::json) as listed(value)`,
  cast: (placeholder, type) => `cast(${placeholder} as ${castType(type)})`,
  compact: (column, type) => (isList(type) ? compactList(column, type) : `${column}::uuid`),
  lowerUuids,
  hasSubstring: (expression, placeholder) => `strpos(${expression}, ${placeholder}) > 0`,
  inList: (expression, values, parameters) => `${expression} = any(${parameters.add(arrayLiteral(values))})`,
  search: (resource, words, parameters) =>
    `${wordsExpression(resource, `${quote(resource.name)}.`)} @@ ${parameters.add(wordsQuery(words))}::tsquery`,
  keyRows: (keys, { alias, types }, parameters) => keyRows(keys, { alias, types: types.map(castType) }, parameters),
  joinEach: (keys, table, key) => {
    const names = key.map((_, at) => quote(`key ${at}`));
    const same = key.map((column, at) => `${column} = ${EACH}.${names[at] ?? ''}`).join(' and ');
    return `cross join lateral (${keys}) as ${EACH}(${names.join(', ')}) join ${table} on ${same}`;
  },
  numbers: 'allocated',
  rowArrays: {
    source: (types) => {
      const arrays = types.map((type, index) => `$${index + 1}::${castType(type)}[]`);
      return `unnest(${arrays.join(', ')}) as given(${types.map((_, index) => `v${index + 1}`).join(', ')})`;
    },
    value: (position) => `given.v${position}`,
  },
  derivedColumns: searchColumns,
  order: (path, expression, descending) => {
    // Its order of NULLs decides whether an index serves an order, also for a column that has none.
    if (path === 'id') return descending ? `${expression} desc` : expression;
    return `${expression} ${descending ? 'desc nulls last' : 'asc nulls first'}`;
  },
  // Large rows and deadlines need no conditions: the session binds them by `statement_timeout`, and by pages of at most
  // `limits.page_size` rows.
});
