import { compareValues, type FieldKind, type Value } from './values.ts';
import { matchesSearch } from './text-search.ts';

/** A resource in its JSON form. */
export interface Item {
  readonly id: string;
  readonly [field: string]: unknown;
}

/** A comparison with one value, or with any or none of several (QRY-1). */
export interface Comparison {
  readonly path: string;
  readonly operator: Operator;
  readonly values: readonly Value[];
}

export type Operator = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'nin' | 'contains' | 'starts_with' | 'exists';

export interface SortKey {
  readonly path: string;
  readonly descending: boolean;
}

/** A query: all comparisons hold, every search word matches, in this order. */
export interface CollectionQuery {
  readonly comparisons: readonly Comparison[];
  readonly search: string | null;
  readonly order: readonly SortKey[];
}

/** A position in an order: an item, or sort key values without an item. */
export type SortPosition = Readonly<Record<string, unknown>>;

/**
 * A test oracle for collections: computes expected items from a plain array, by the specification only: filters and search (QRY-1, QRY-6,
 * QRY-7), the total order, and the items before and after a position (PAGE-5).
 */
export class OracleCollection {
  readonly items = new Map<string, Item>();
  readonly #kinds: Readonly<Record<string, FieldKind>>;
  readonly #searchFields: readonly string[];

  /** @param kinds the kinds of all paths in filters and sorts */
  constructor(kinds: Readonly<Record<string, FieldKind>>, searchFields: readonly string[] = []) {
    this.#kinds = kinds;
    this.#searchFields = searchFields;
  }

  /** All items that match the query, in its order. */
  select(query: CollectionQuery): readonly Item[] {
    return [...this.items.values()]
      .filter((item) => this.matches(query, item))
      .sort((one, other) => this.compare(query.order, one, other));
  }

  /** The matching items strictly after a position. */
  after(query: CollectionQuery, position: SortPosition): readonly Item[] {
    return this.select(query).filter((item) => this.compare(query.order, item, position) > 0);
  }

  /** The matching items strictly before a position. */
  before(query: CollectionQuery, position: SortPosition): readonly Item[] {
    return this.select(query).filter((item) => this.compare(query.order, item, position) < 0);
  }

  matches({ comparisons, search }: CollectionQuery, item: Item): boolean {
    const texts = this.#searchFields.map((path) => valueAt(item, path)).filter((value) => typeof value === 'string');
    return (
      comparisons.every((comparison) => this.#satisfies(comparison, item)) &&
      (search === null || matchesSearch(search, texts))
    );
  }

  /** Compares by each sort key up to `id`. If `id` is not a key, it is added with the direction of the last one, so that no items tie. */
  compare(order: readonly SortKey[], one: SortPosition, other: SortPosition): number {
    const last: SortKey = { path: 'id', descending: order.at(-1)?.descending ?? false };
    const keys = [...order, last];
    for (const { path, descending } of keys.slice(0, keys.findIndex((key) => key.path === 'id') + 1)) {
      const difference = compareValues(this.#kind(path), valueAt(one, path), valueAt(other, path));
      if (difference !== 0) return descending ? -difference : difference;
    }
    return 0;
  }

  /** Whether two items have equal values at a path, in any notation. */
  areEqual(one: SortPosition, other: SortPosition, path: string): boolean {
    return compareValues(this.#kind(path), valueAt(one, path), valueAt(other, path)) === 0;
  }

  #satisfies({ path, operator, values }: Comparison, item: Item): boolean {
    const value = valueAt(item, path);
    const set = Array.isArray(value) ? value.length > 0 : value !== null;
    if (operator === 'exists') return values.includes(set);
    if (operator === 'ne' || operator === 'nin')
      return !set || values.every((each) => this.#compare(path, value, each) !== 0);
    return set && values.some((each) => this.#relationHolds(path, operator, value, each));
  }

  #relationHolds(
    path: string,
    operator: Exclude<Operator, 'exists' | 'ne' | 'nin'>,
    value: Value,
    wanted: Value,
  ): boolean {
    switch (operator) {
      case 'eq':
      case 'in':
        return this.#compare(path, value, wanted) === 0;
      case 'gt':
        return this.#compare(path, value, wanted) > 0;
      case 'gte':
        return this.#compare(path, value, wanted) >= 0;
      case 'lt':
        return this.#compare(path, value, wanted) < 0;
      case 'lte':
        return this.#compare(path, value, wanted) <= 0;
      case 'contains':
        return Array.isArray(value) ? value.includes(wanted) : String(value).includes(String(wanted));
      case 'starts_with':
        return String(value).startsWith(String(wanted));
    }
  }

  #compare(path: string, one: Value, other: Value): number {
    return compareValues(this.#kind(path), one, other);
  }

  #kind(path: string): FieldKind {
    const kind = path === 'id' ? 'text' : this.#kinds[path];
    if (kind === undefined) throw new Error(`no kind for ${path}`);
    return kind;
  }
}

/** The value at a dotted path; null if a part of it is unset. */
export function valueAt(position: SortPosition, path: string): Value {
  let value: unknown = position;
  for (const name of path.split('.')) {
    value =
      typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : null;
  }
  return (value ?? null) as Value;
}
