import { compareValues, type FieldKind, type Value } from './values.ts';
import { matchesSearch } from './text-search.ts';

/** A resource as JSON shows it. */
export interface Item {
  readonly id: string;
  readonly [field: string]: unknown;
}

/** One comparison with one value, or with any or none of several (QRY-1). */
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

/** What is asked of a collection: every clause holds, every word is found, in this order. */
export interface CollectionQuery {
  readonly comparisons: readonly Comparison[];
  readonly search: string | null;
  readonly order: readonly SortKey[];
}

/** What an order compares: an item, or a place where none need be. */
export type SortPosition = Readonly<Record<string, unknown>>;

/**
 * The answers that a collection must give, worked out over a plain array, from the specification alone: filters and search (QRY-1, QRY-6,
 * QRY-7), the total order and what lies before and after a place in it (PAGE-5).
 */
export class OracleCollection {
  readonly items = new Map<string, Item>();
  readonly #kinds: Readonly<Record<string, FieldKind>>;
  readonly #searchFields: readonly string[];

  /** @param kinds of every path that is filtered or sorted by */
  constructor(kinds: Readonly<Record<string, FieldKind>>, searched: readonly string[] = []) {
    this.#kinds = kinds;
    this.#searchFields = searched;
  }

  /** All that the question finds, in its order. */
  select(question: CollectionQuery): readonly Item[] {
    return [...this.items.values()]
      .filter((item) => this.matches(question, item))
      .sort((one, other) => this.compare(question.order, one, other));
  }

  /** Strictly behind a place. */
  after(question: CollectionQuery, place: SortPosition): readonly Item[] {
    return this.select(question).filter((item) => this.compare(question.order, item, place) > 0);
  }

  /** Strictly ahead of a place. */
  before(question: CollectionQuery, place: SortPosition): readonly Item[] {
    return this.select(question).filter((item) => this.compare(question.order, item, place) < 0);
  }

  matches({ comparisons, search }: CollectionQuery, item: Item): boolean {
    const texts = this.#searchFields.map((path) => valueAt(item, path)).filter((value) => typeof value === 'string');
    return (
      comparisons.every((clause) => this.#satisfies(clause, item)) && (search === null || matchesSearch(search, texts))
    );
  }

  /** By each key in turn up to the id, which comes last in the direction of the last key where it is none of them: no two items tie. */
  compare(order: readonly SortKey[], one: SortPosition, other: SortPosition): number {
    const last: SortKey = { path: 'id', descending: order.at(-1)?.descending ?? false };
    const keys = [...order, last];
    for (const { path, descending } of keys.slice(0, keys.findIndex((key) => key.path === 'id') + 1)) {
      const difference = compareValues(this.#kind(path), valueAt(one, path), valueAt(other, path));
      if (difference !== 0) return descending ? -difference : difference;
    }
    return 0;
  }

  /** Whether two items show the same, whatever the spelling of their values. */
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
    if (kind === undefined) throw new Error(`no kind is told for ${path}`);
    return kind;
  }
}

/** The value at a dotted path; null where a part of it is unset. */
export function valueAt(place: SortPosition, path: string): Value {
  let value: unknown = place;
  for (const name of path.split('.')) {
    value =
      typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : null;
  }
  return (value ?? null) as Value;
}
