import type { ColumnKind, ColumnLimits, ColumnType, DescribedColumn } from '../../../introspect/database.ts';
import type { SqlRow } from '../../sql/dialect.ts';
import { type ColumnCondition, findConditions } from './check-conditions.ts';

/** The types of a database, by id. */
export type DatabaseTypes = ReadonlyMap<string, SqlRow>;

/** A type, and what a domain says about its values. */
export interface DescribedType extends Pick<DescribedColumn, 'type' | 'notNull' | 'choices'> {
  /** SQL; null for none. */
  readonly default: string | null;
}

const KINDS: Readonly<Record<string, ColumnKind>> = {
  bool: 'boolean',
  int2: 'integer',
  int4: 'integer',
  int8: 'int64',
  float4: 'number',
  float8: 'number',
  numeric: 'decimal',
  date: 'date',
  timestamp: 'date-time',
  timestamptz: 'date-time',
  interval: 'duration',
  uuid: 'uuid',
  bytea: 'binary',
  json: 'json',
  jsonb: 'json',
  hstore: 'map',
};
/** Types whose values a model has as texts. A time of a model has a zone of hours and minutes. */
const AS_TEXT: ReadonlySet<string> = new Set('time timetz inet cidr macaddr macaddr8 money bit varbit'.split(' '));
/** Kinds of types in `pg_type`: composite, range and multirange. */
const COMPOUND: ReadonlySet<string> = new Set(['c', 'r', 'm']);
const NUMBERS: ReadonlySet<ColumnKind> = new Set(['integer', 'int64', 'number', 'decimal']);
/** Kinds that an array of a model does not have. */
const NO_ITEMS: ReadonlySet<ColumnKind> = new Set(['array', 'json', 'map', 'unreadable']);
/** The modifier of a length or a precision is larger by this. */
const MODIFIER_OFFSET = 4;

/** Describes a type by its id. @param modifier the `atttypmod` of a column, or that of a domain */
export function describeType(id: string, modifier: number, types: DatabaseTypes): DescribedType {
  const row = types.get(id) ?? {};
  const item = String(row['item'] ?? '0');
  if (row['kind'] === 'd') return describeDomain(row, types);
  if (item !== '0') return describeArray(row, describeType(item, modifier, types));
  const choices = parseList(row['labels']);
  const type = row['kind'] === 'e' ? { kind: 'text' as const, note: null } : describeBase(row, modifier);
  return { type, notNull: false, choices: choices.length === 0 ? null : choices, default: null };
}

/** A domain has the type under it, with its own constraints. */
function describeDomain(row: SqlRow, types: DatabaseTypes): DescribedType {
  const base = describeType(String(row['base']), Number(row['modifier']), types);
  const conditions = parseList(row['checks']).flatMap(findConditions);
  const expression = row['default'] ?? null;
  return {
    ...addConditions(base, conditions),
    notNull: base.notNull || row['required'] === 1,
    default: expression === null ? base.default : String(expression),
  };
}

function describeArray(row: SqlRow, { type, choices }: DescribedType): DescribedType {
  const described = NO_ITEMS.has(type.kind)
    ? describeUnreadable(row)
    : { kind: 'array' as const, note: type.note, items: { ...type, note: null } };
  return { type: described, notNull: false, choices, default: null };
}

function describeBase(row: SqlRow, modifier: number): ColumnType {
  const name = String(row['name']);
  const shown = String(row['shown']);
  const kind = KINDS[name];
  if (row['category'] === 'S') return { kind: 'text', note: null, ...limitLength(name, modifier) };
  if (AS_TEXT.has(name) || COMPOUND.has(String(row['kind']))) return { kind: 'text', note: `${shown}, as text` };
  if (kind === undefined || row['kind'] !== 'b') return describeUnreadable(row);
  const note = name === 'timestamp' ? 'no zone: read as UTC' : null;
  return { kind, note, ...(kind === 'decimal' ? limitDigits(modifier) : {}) };
}

function describeUnreadable({ shown }: SqlRow): ColumnType {
  return { kind: 'unreadable', note: `a model has no type for ${String(shown)}` };
}

/** The length of `varchar(n)` and `char(n)`. */
function limitLength(name: string, modifier: number): Pick<ColumnType, 'limits'> {
  if (modifier < MODIFIER_OFFSET || (name !== 'varchar' && name !== 'bpchar')) return {};
  return { limits: { maxLength: modifier - MODIFIER_OFFSET } };
}

/** The precision and the scale of `numeric(p,s)`. The scale has 11 bits with a sign, and may exceed the precision. */
function limitDigits(modifier: number): Pick<ColumnType, 'limits'> {
  if (modifier < MODIFIER_OFFSET) return {};
  const packed = modifier - MODIFIER_OFFSET;
  const scale = ((packed & 0x7ff) ^ 0x400) - 0x400;
  const precision = packed >> 16;
  return {
    limits: { 'x-precision': Math.max(precision - Math.min(scale, 0), scale), 'x-scale': Math.max(scale, 0) },
  };
}

/** Adds the conditions of constraints on the values of one column or domain. */
export function addConditions<T extends Pick<DescribedColumn, 'type' | 'choices'>>(
  described: T,
  conditions: readonly ColumnCondition[],
): T {
  const values = conditions.find((each) => each.values !== null)?.values ?? null;
  const bounds: ColumnLimits = Object.assign({}, ...conditions.map(({ limits }) => limits));
  const { type } = described;
  const hasBounds = NUMBERS.has(type.kind) && values === null && Object.keys(bounds).length > 0;
  return {
    ...described,
    type: hasBounds ? { ...type, limits: { ...type.limits, ...bounds } } : type,
    choices: values ?? described.choices,
  };
}

/** Reads a list of texts that the server wrote as JSON; empty for null. */
export function parseList(json: SqlRow[string] | undefined): readonly string[] {
  const list: readonly string[] = JSON.parse(String(json ?? '[]'));
  return list;
}
