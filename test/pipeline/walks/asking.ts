import type { Comparison, Operator, CollectionQuery, SortKey } from '../../oracle/oracle-collection.ts';
import type { Value } from '../../oracle/values.ts';
import { type Field, FIELDS, RELATED_FIELDS, type Spelt, type Target } from './model.ts';

/** A parameter with an encoded value. */
export type Pair = readonly [name: string, raw: string];

/** A filter as numbers, each of which selects by its remainder. */
export interface FilterPick {
  readonly field: number;
  readonly operator: number;
  readonly values: readonly number[];
  /** Selects a notation of its name. */
  readonly form: number;
  /** The number of its group; null outside of groups. */
  readonly group: number | null;
}

/** A filter with its parameters. */
export interface AskedFilter {
  readonly group: number | null;
  readonly clause: Comparison;
  readonly pairs: readonly Pair[];
}

/** The parameters of a query and their meaning. */
export interface Asked {
  readonly pairs: readonly Pair[];
  readonly question: CollectionQuery;
}

export function pick<T>(values: readonly T[], at: number): T {
  const value = values[at % values.length];
  if (value === undefined) throw new Error('no value to pick');
  return value;
}

/** Percent-encodes all but unreserved characters (S 4.4). */
export function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** An instant in one of its notations: UTC, an offset, microseconds. */
export function spellTime(milliseconds: number, form: number): string {
  const utc = new Date(milliseconds).toISOString();
  const east = new Date(milliseconds + 5_400_000).toISOString().replace('Z', '+01:30');
  return pick([utc, east, utc.replace('Z', '999Z')], form);
}

/** Filters, at most one per name, with values of the fields. */
export function readFilters(
  picks: readonly FilterPick[],
  compared: readonly Field[],
  operators: ReadonlySet<Operator>,
): readonly AskedFilter[] {
  const named = new Map<string, AskedFilter>();
  for (const each of picks) {
    const fields = compared.filter((one) => one.operators.some((operator) => operators.has(operator)));
    if (fields.length === 0) continue;
    const field = pick(fields, each.field);
    const served = field.operators.filter((one) => operators.has(one));
    const operator = pick(served, each.operator);
    const spelt = each.values.map((at) => pick(listSpellings(field.path, operator), at));
    const several = operator === 'in' || operator === 'nin' || (operator === 'eq' && each.form % 2 === 0);
    const values = several ? spelt : spelt.slice(0, 1);
    const clause = { path: field.path, operator, values: values.map(([value]) => value) };
    const { group } = each;
    const pairs = spellFilter(clause, values, each.form, group);
    named.getOrInsert(`${String(group)} ${field.path} ${operator}`, { group, clause, pairs });
  }
  return [...named.values()];
}

function listSpellings(path: string, operator: Operator): readonly Spelt[] {
  if (operator === 'exists') return [true, false].map((value): Spelt => [value, String(value)]);
  const { values = [], spelt = [] } = [...FIELDS, ...RELATED_FIELDS].find((field) => field.path === path) ?? {};
  const plain = values.flatMap((value): readonly Value[] => (Array.isArray(value) ? value : [value]));
  return [...plain.filter((value) => value !== null).map((value): Spelt => [value, String(value)]), ...spelt];
}

function spellFilter(
  { path, operator }: Comparison,
  spelt: readonly Spelt[],
  form: number,
  group: number | null,
): readonly Pair[] {
  const plain = path === 'limit' || form >= 4 ? `filter[${path}]` : path;
  const whole = group === null ? plain : `any[${group}][${path}]`;
  const texts = spelt.map(([, text]) => encode(text));
  if (operator === 'eq' && form % 2 === 0) return texts.map((text) => [whole, text]);
  const name = form % 4 < 2 ? `${whole}[${operator}]` : `${whole}%5B${operator}%5D`;
  return [[name, texts.join(',')]];
}

/** Parses `-count,text` into sort keys, without the id. */
export function readSort(sort: string): readonly SortKey[] {
  return sort.split(',').map((key) => ({ path: key.replace(/^-/, ''), descending: key.startsWith('-') }));
}

/** A time window as parameters and as a filter (PAGE-4, PAGE-7). */
export function readWindow(
  target: Target,
  start: number | null,
  before: number | null,
  form: number,
): readonly [Comparison, readonly Pair[]][] {
  const ends = [
    ['start_time', 'gte', start],
    ['before', 'lt', before],
  ] as const;
  return ends.flatMap(([name, operator, at]): readonly [Comparison, readonly Pair[]][] => {
    if (at === null) return [];
    const clause: Comparison = { path: target.timeField, operator, values: [new Date(at).toISOString()] };
    return [[clause, [[name, encode(spellTime(at, form))]]]];
  });
}

/** The URL of a collection with parameters. */
export function address(target: Target, pairs: readonly Pair[]): string {
  const query = pairs.map(([name, raw]) => `${name}=${raw}`).join('&');
  return `/api/v1${target.path}${query === '' ? '' : `?${query}`}`;
}
