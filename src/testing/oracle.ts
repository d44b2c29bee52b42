import type { Json } from '../conventions/json.ts';
import type { SortKey } from '../model/model.ts';
import type { Condition, ListPlan, Page, Row } from '../plan/plan.ts';

/**
 * The answers that a store must give, worked out over plain rows with no index, no SQL and nothing of what it judges: filters, order
 * and windows as PAGE-5 and QRY-7 have them.
 */

/** Paths whose texts are compared as numbers. */
export type NumericPaths = ReadonlySet<string>;

function at(row: Row, path: string): Json {
  let value: Json = row;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    const members: { readonly [name: string]: Json } = Object.fromEntries(Object.entries(value));
    value = members[name] ?? null;
  }
  return value;
}

/** A decimal as an integer of a fixed scale: the samples have no more than twelve places. */
function scaled(text: string): bigint {
  const negative = text.startsWith('-');
  const [whole = '', places = ''] = text.replace('-', '').split('.');
  const magnitude = BigInt(`${whole}${places.padEnd(12, '0')}`);
  return negative ? -magnitude : magnitude;
}

function sign(less: boolean, equal: boolean): number {
  if (equal) return 0;
  return less ? -1 : 1;
}

/** NULL least, then by value: text by its UTF-8 bytes, false before true. */
function compare(one: Json, other: Json, numeric: boolean): number {
  if (one === null || other === null) return sign(one === null, one === other);
  if (typeof one === 'string' && typeof other === 'string') {
    if (numeric) return sign(scaled(one) < scaled(other), scaled(one) === scaled(other));
    return Buffer.compare(Buffer.from(one), Buffer.from(other));
  }
  return sign(Number(one) < Number(other), one === other);
}

function compareBy(order: readonly SortKey[], numeric: NumericPaths, one: Row, other: readonly Json[]): number {
  for (const [index, { path, descending }] of order.entries()) {
    const result = compare(at(one, path), other[index] ?? null, numeric.has(path));
    if (result !== 0) return descending ? -result : result;
  }
  return 0;
}

/** The values of an order's keys in a row: the position that a seek goes on from. */
export function positionOf(order: readonly SortKey[], row: Row): readonly Json[] {
  return order.map(({ path }) => at(row, path));
}

function satisfies(condition: Condition, numeric: NumericPaths, row: Row): boolean {
  const value = at(row, condition.path);
  switch (condition.operator) {
    case 'in':
      return condition.values.some((wanted) => compare(value, wanted, numeric.has(condition.path)) === 0);
    case 'contains':
      return Array.isArray(value) && value.includes(condition.value);
    default:
      throw new Error('The oracle does not know the operator');
  }
}

/** The page of a plan without ancestors over all rows of its resource. */
export function expectedPage(rows: readonly Row[], plan: ListPlan, numeric: NumericPaths): Page {
  const { order, window, count } = plan;
  const selected = rows
    .filter((row) => plan.filter.every((condition) => satisfies(condition, numeric, row)))
    .sort((one, other) => compareBy(order, numeric, one, positionOf(order, other)));
  const whole = selected.length;
  const cap = count.kind === 'capped' && plan.filter.length > 0 ? count.cap : whole;
  const total = count.kind === 'none' ? null : { count: Math.min(whole, cap), exact: whole <= cap };
  if (window.kind === 'offset') {
    const end = window.offset + window.limit;
    return { rows: selected.slice(window.offset, end), more: whole > end, total };
  }
  const { after, limit } = window;
  const place = (row: Row): number => (after === null ? 0 : compareBy(order, numeric, row, after));
  if (!window.backward) {
    const rest = selected.filter((row) => after === null || place(row) > 0);
    return { rows: rest.slice(0, limit), more: rest.length > limit, total };
  }
  const before = selected.filter((row) => after === null || place(row) < 0);
  return { rows: before.slice(Math.max(0, before.length - limit)), more: before.length > limit, total };
}
