import { weakMemoize } from '../../cache/memoize.ts';
import type { Json } from '../../conventions/json/json.ts';
import type { ValueType } from '../../model/model.ts';
import type { JsonPlace } from '../../plan/condition.ts';
import {
  comparableExpression,
  type ComparableExpression,
  type Dialect,
  type Encode,
  exactLocate,
  type Locate,
  type SqlValue,
} from './dialect.ts';
import { encodeList, isList } from './compact-list.ts';
import { isUuid, placeAmongUuids } from './compact-uuids.ts';
import { decoder, integerText, milliseconds, number, type OwnDecoders, scaledPlace, text } from './encodings.ts';
import { isCompact } from './schema/schema.ts';

/** Quotes an identifier. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Writes a text as a literal. */
export function quoteText(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

/** Writes a value as a literal. */
export function standardLiteral(value: SqlValue): string {
  if (value === null) return 'null';
  if (value instanceof Uint8Array) return `x'${Buffer.from(value).toString('hex')}'`;
  return typeof value === 'string' ? quoteText(value) : String(value);
}

/** A type as a database stores and compares its values. */
export interface StoredType {
  /** The type of the column. */
  readonly column: string;
  readonly encode: Encode;
  /** Default: the column can hold every value. */
  readonly locate: Locate;
  /** Reads a column without a loss of digits. Default: the column. */
  readonly select: (column: string) => string;
  /** Converts the values of a column to JSON, as text. */
  readonly json: (column: string) => string;
  /** Compares a value inside JSON by value. Default: the value as `encode` has it. */
  readonly nested: (expression: string) => ComparableExpression;
  /** Reads a column of texts as texts. Default: the column. */
  readonly text: (column: string) => string;
}

/** A type of decimals. Its digits decide how a store keeps them. */
export type DecimalType = ValueType & { readonly kind: 'decimal' };
type StandardKind = Exclude<ValueType['kind'], 'decimal'> | 'uuid' | 'list';

/** The kind of a type, or its compact form. */
function standardKind(type: Exclude<ValueType, DecimalType>): StandardKind {
  if (!isCompact(type)) return type.kind;
  return type.kind === 'text' ? 'uuid' : 'list';
}

/** The kinds of types in standard SQL. Decimals have no standard form. */
const STANDARD_TYPES: Readonly<Record<StandardKind, Partial<StoredType> & Pick<StoredType, 'encode'>>> = {
  text: { column: 'text', encode: text((value) => value) },
  integer: { column: 'bigint', encode: number },
  number: { column: 'double precision', encode: number },
  boolean: { column: 'boolean', encode: (value) => (typeof value === 'boolean' ? value : undefined) },
  'date-time': { column: 'bigint', encode: text(milliseconds) },
  int64: { column: 'bigint', encode: integerText, locate: scaledPlace(0) },
  binary: { column: 'blob', encode: text((value) => Buffer.from(value, 'base64')) },
  object: { column: 'text', encode: writeJson, json: (column) => column },
  map: { column: 'text', encode: writeJson, json: (column) => column },
  array: { column: 'text', encode: writeJson, json: (column) => column },
  json: { column: 'text', encode: writeJson, json: (column) => column },
  uuid: { column: 'uuid', ...storeUuids((uuid) => uuid) },
  list: { column: 'text', encode: writeJson },
};

/** Stores UUIDs in a form of their own. @param store encodes one in lower case */
export function storeUuids(store: (uuid: string) => SqlValue): Pick<StoredType, 'encode' | 'locate'> {
  return {
    encode: text((value) => (isUuid(value) ? store(value) : undefined)),
    locate: (value) => placeAmongUuids(value, store),
  };
}

function writeJson(value: Json): SqlValue {
  return JSON.stringify(value);
}

/** The types of a database, as differences from those of standard SQL. */
export interface TypeDifferences {
  readonly kinds: Readonly<Partial<Record<StandardKind, Partial<StoredType>>>>;
  readonly decimal: (type: DecimalType) => Partial<StoredType> & Pick<StoredType, 'column' | 'encode'>;
  readonly decodeDecimal: OwnDecoders['decodeDecimal'];
  readonly decodeUuid: OwnDecoders['decodeUuid'];
  /** Converts values that `select` has read to JSON, as text: for kinds that have no `json` of their own. */
  readonly json: (read: string, type: ValueType) => string;
  /** An expression: the value at a path inside a JSON column. */
  readonly extract: (column: string, path: readonly string[]) => string;
  /** An expression: the value at a path inside any JSON, as {@link extract} has it; NULL for one of another type. */
  readonly extractTyped: (column: string, path: readonly string[], kind: JsonPlace['type']['kind']) => string;
}

/** Completes the stored form of a type. */
export function completeType(type: ValueType, own: TypeDifferences): StoredType {
  const given = type.kind === 'decimal' ? own.decimal(type) : standardType(type, own);
  const { encode } = given;
  const select = given.select ?? ((column: string) => column);
  return {
    column: 'text',
    locate: exactLocate(encode),
    select,
    json: (column) => own.json(select(column), type),
    nested: (expression) => comparableExpression(expression, encode),
    text: (column) => column,
    ...given,
  };
}

function standardType(
  type: Exclude<ValueType, DecimalType>,
  own: TypeDifferences,
): Partial<StoredType> & Pick<StoredType, 'encode'> {
  const kind = standardKind(type);
  const given = { ...STANDARD_TYPES[kind], ...own.kinds[kind] };
  return isList(type) ? { ...given, encode: encodeList(type) } : given;
}

/** The table name of the items of an array. No resource name has a space. */
const ITEM = '"array item"';

type TypeMembers =
  | 'text'
  | 'columnType'
  | 'encode'
  | 'locate'
  | 'selection'
  | 'decode'
  | 'json'
  | 'member'
  | 'inside'
  | 'contains';

/** The members of a dialect that follow from how it stores types. */
function typeMembers(own: TypeDifferences, arrayItems: Dialect['arrayItems']): Pick<Dialect, TypeMembers> {
  const stored = weakMemoize((type: ValueType): StoredType => completeType(type, own));
  return {
    columnType: (type) => stored(type).column,
    encode: (type) => stored(type).encode,
    locate: (type) => stored(type).locate,
    selection: (column, type) => stored(type).select(column),
    decode: (type) => decoder(type, own),
    text: (column, type) => stored(type).text(column),
    json: (column, type) => stored(type).json(column),
    member: (column, path, type) => stored(type).nested(own.extract(column, path)),
    inside: (column, path, type) => stored(type).nested(own.extractTyped(column, path, type.kind)),
    contains: (array, type) => {
      const { expression, encode } = stored(type).nested(`${ITEM}.value`);
      const items = `select 1 from ${arrayItems(array, ITEM)}`;
      return { encode, condition: (placeholder) => `exists (${items} where ${expression} = ${placeholder})` };
    },
  };
}

/** The members of a dialect that are standard SQL, and those that a database may lack. */
const STANDARD = {
  quote: quoteName,
  literal: standardLiteral,
  tableOptions: { rows: '', clustered: '' },
  either: (which: 'least' | 'greatest', one: string, other: string) => `${which}(${one}, ${other})`,
  order: (_path: string, expression: string, descending: boolean) => (descending ? `${expression} desc` : expression),
  derivedColumns: () => [],
  numbers: 'counted',
  rowArrays: null,
  largeRow: null,
  deadline: null,
  wordTest: null,
  hasPrefix: null,
} as const satisfies Partial<Dialect>;

/** The members of a dialect that each database has to give. */
type OwnMembers = Omit<Dialect, keyof typeof STANDARD | TypeMembers>;

/** Completes the differences of a database from standard SQL to its dialect. */
export function extendStandard(types: TypeDifferences, own: OwnMembers & Partial<Dialect>): Dialect {
  return { ...STANDARD, ...typeMembers(types, own.arrayItems), ...own };
}
