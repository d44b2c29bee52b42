import type { Json } from '../src/conventions/json/json.ts';
import type { SortKey } from '../src/model/model.ts';
import type { PathCondition } from '../src/plan/condition.ts';
import type { Condition, ListPlan, Page, Row, Visibility, VisibleRelatedCondition } from '../src/plan/plan.ts';

/**
 * A test oracle: computes the expected pages of a store from plain rows, without indexes, SQL or code of the store.
 * Filters, order and windows follow PAGE-5 and QRY-7.
 */

/** Paths whose strings are compared as numbers. */
type NumericPaths = ReadonlySet<string>;

/** The inputs of the expected rows besides the rows of the resource. */
interface OracleContext {
  readonly numeric: NumericPaths;
  /** All rows of another resource, for conditions on related rows. */
  readonly rowsOf?: (resource: string) => readonly Row[];
}

/** The value at a path; null where a part of it is unset, or where there is no row. */
function valueAt(row: Row | null, path: string): Json {
  let value: Json = row;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    const members: { readonly [name: string]: Json } = Object.fromEntries(Object.entries(value));
    value = members[name] ?? null;
  }
  return value;
}

/** A decimal as an integer with twelve decimal places; the samples have no more. */
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

/** Null first, then by value: text by its UTF-8 bytes, false before true. */
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
    const result = compare(valueAt(one, path), other[index] ?? null, numeric.has(path));
    if (result !== 0) return descending ? -result : result;
  }
  return 0;
}

/** The values of the sort keys in a row, which are the position of a seek. */
export function sortKeyValues(order: readonly SortKey[], row: Row): readonly Json[] {
  return order.map(({ path }) => valueAt(row, path));
}

/**
 * Compares two values; null if either is null, because null is neither less than, greater than nor equal to a value.
 */
function compareSet(value: Json, other: Json, numeric: boolean): number | null {
  return value === null || other === null ? null : compare(value, other, numeric);
}

function isSet(value: Json): boolean {
  return value !== null && (!Array.isArray(value) || value.length > 0);
}

function contains(value: Json, wanted: Json): boolean {
  if (Array.isArray(value)) return value.includes(wanted);
  return typeof value === 'string' && typeof wanted === 'string' && value.includes(wanted);
}

/** @param row null for a row without set fields */
function matches(condition: Condition, context: OracleContext, row: Row | null): boolean {
  if ('path' in condition) return compares(condition, context.numeric, row);
  switch (condition.operator) {
    case 'search':
      throw new Error('The oracle does not support text search.');
    case 'not':
      return !compares(condition.condition, context.numeric, row);
    case 'any':
      return condition.alternatives.some((each) => each.every((member) => matches(member, context, row)));
    case 'related':
      return relatedRows(condition, context, row).some((related) =>
        condition.conditions.every((each) => matches(each, context, related)),
      );
  }
}

function isVisible(visible: Visibility, context: OracleContext, row: Row): boolean {
  if (visible.kind !== 'conditions') return visible.kind === 'everything';
  return visible.conditions.every((condition) => matches(condition, context, row));
}

/** The rows that a visibility shows. */
export function visibleRows(rows: readonly Row[], visible: Visibility, context: OracleContext): readonly Row[] {
  return rows.filter((row) => isVisible(visible, context, row));
}

/** The visible related rows of a row; null for a reference that leads to none. */
function relatedRows(
  { relation: { resource, field, inverse }, visible }: VisibleRelatedCondition,
  context: OracleContext,
  row: Row | null,
): readonly (Row | null)[] {
  if (row === null) return inverse ? [] : [null];
  const rows = visibleRows(context.rowsOf?.(resource) ?? [], visible, context);
  const refers = (value: Json, id: string): boolean => (Array.isArray(value) ? value.includes(id) : value === id);
  if (inverse) return rows.filter((each) => refers(each[field] ?? null, row.id));
  const found = rows.filter(({ id }) => refers(row[field] ?? null, id));
  return found.length > 0 || Array.isArray(row[field]) ? found : [null];
}

function compares(condition: PathCondition, numeric: NumericPaths, row: Row | null): boolean {
  const value = valueAt(row, condition.path);
  const compareTo = (other: Json): number | null => compareSet(value, other, numeric.has(condition.path));
  switch (condition.operator) {
    case 'in':
      return condition.values.some((wanted) => compareTo(wanted) === 0);
    case 'nin':
      return condition.values.every((wanted) => compareTo(wanted) !== 0);
    case 'gt':
      return (compareTo(condition.value) ?? -1) > 0;
    case 'gte':
      return (compareTo(condition.value) ?? -1) >= 0;
    case 'lt':
      return (compareTo(condition.value) ?? 1) < 0;
    case 'lte':
      return (compareTo(condition.value) ?? 1) <= 0;
    case 'contains':
      return contains(value, condition.value);
    case 'starts_with':
      return typeof value === 'string' && value.startsWith(condition.value);
    case 'exists':
      return isSet(value) === condition.value;
  }
}

/** A row with the selected columns of a plan and the system fields. */
function projected({ columns }: ListPlan, row: Row): Row {
  if (columns === undefined) return row;
  const { id, created_at, updated_at, revision } = row;
  const fields = Object.entries(row).filter(([name]) => columns.includes(name));
  return { id, ...Object.fromEntries(fields), created_at, updated_at, revision };
}

/** A page as the oracle expects it. */
type ExpectedPage = Omit<Page, 'size'>;

/** The expected page of a plan without ancestors and without a size, given all rows of its resource. */
export function expectedPage(rows: readonly Row[], plan: ListPlan, context: OracleContext): ExpectedPage {
  const page = unprojectedPage(rows, plan, context);
  return { ...page, rows: page.rows.map((row) => projected(plan, row)) };
}

function unprojectedPage(rows: readonly Row[], plan: ListPlan, context: OracleContext): ExpectedPage {
  const { numeric } = context;
  const { order, window, count } = plan;
  const matching = visibleRows(rows, plan.visible, context)
    .filter((row) => plan.filter.every((condition) => matches(condition, context, row)))
    .sort((one, other) => compareBy(order, numeric, one, sortKeyValues(order, other)));
  const size = matching.length;
  const cap =
    count.kind === 'capped' && (plan.filter.length > 0 || plan.visible.kind !== 'everything') ? count.cap : size;
  const total = count.kind === 'none' ? null : { count: Math.min(size, cap), exact: size <= cap };
  if (window.kind === 'offset') {
    const end = window.offset + window.limit;
    return { rows: matching.slice(window.offset, end), more: size > end, total };
  }
  const { after, limit } = window;
  const distance = (row: Row): number => (after === null ? 0 : compareBy(order, numeric, row, after));
  if (!window.backward) {
    const rest = matching.filter((row) => after === null || distance(row) > 0);
    return { rows: rest.slice(0, limit), more: rest.length > limit, total };
  }
  const before = matching.filter((row) => after === null || distance(row) < 0);
  return { rows: before.slice(Math.max(0, before.length - limit)), more: before.length > limit, total };
}
