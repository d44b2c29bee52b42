/** The kinds of types whose values have a form of their own. All others are read and compared as text. */
export type PostgresKind =
  | 'text'
  | 'padded'
  | 'enum'
  | 'boolean'
  | 'integer'
  | 'decimal'
  | 'float'
  | 'date'
  | 'time'
  | 'timetz'
  | 'timestamp'
  | 'timestamptz'
  | 'interval'
  | 'uuid'
  | 'bytes'
  | 'json'
  | 'hstore'
  | 'array'
  | 'address'
  | 'mac'
  | 'bits'
  | 'other';

/** The type of a column: that of values of a domain, without the domain. */
export interface PostgresType {
  readonly kind: PostgresKind;
  /** Its name in `pg_type`. */
  readonly name: string;
  /** The type as SQL names it, for casts. */
  readonly sql: string;
  /** The values of an enum type. */
  readonly labels: readonly string[];
  /** The type of the items of an array; null for another type. */
  readonly item: PostgresType | null;
}

/** Types of `pg_catalog`, by their names. */
const KINDS: Readonly<Record<string, PostgresKind>> = {
  text: 'text',
  varchar: 'text',
  bpchar: 'padded',
  bool: 'boolean',
  int2: 'integer',
  int4: 'integer',
  int8: 'integer',
  numeric: 'decimal',
  float4: 'float',
  float8: 'float',
  date: 'date',
  time: 'time',
  timetz: 'timetz',
  timestamp: 'timestamp',
  timestamptz: 'timestamptz',
  interval: 'interval',
  uuid: 'uuid',
  bytea: 'bytes',
  json: 'json',
  jsonb: 'json',
  inet: 'address',
  cidr: 'address',
  macaddr: 'mac',
  macaddr8: 'mac',
  bit: 'bits',
  varbit: 'bits',
};

/** Types of extensions, whose schema can be any. */
const EXTENSION_KINDS: Readonly<Record<string, PostgresKind>> = { citext: 'text', hstore: 'hstore' };

/** A type as `pg_type` has it. */
export interface TypeRow {
  readonly name: string;
  readonly sql: string;
  /** True if it is of `pg_catalog`. */
  readonly isBuiltIn: boolean;
  /** `b`, `c`, `e`, `r` and others. */
  readonly type: string;
  readonly labels: readonly string[];
}

/** Finds the type of a column. @param item the type of the items of an array; null for another type */
export function postgresType({ name, sql, isBuiltIn, type, labels }: TypeRow, item: TypeRow | null): PostgresType {
  const known = isBuiltIn ? KINDS[name] : EXTENSION_KINDS[name];
  const kind = item !== null ? 'array' : type === 'e' ? 'enum' : (known ?? 'other');
  return { kind, name, sql, labels, item: item === null ? null : postgresType(item, null) };
}
