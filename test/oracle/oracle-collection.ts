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

/** A way to the related rows of an item. */
export interface OracleRelation {
  /** The field with one id, or an array of ids. */
  readonly field: string;
  /** All rows that it can refer to. */
  readonly rows: readonly Item[];
}

/** A query: all comparisons hold, and all of one of the alternatives, every search word matches, in this order. */
export interface CollectionQuery {
  /** The path of one that begins with the name of a relation is compared on related rows. */
  readonly comparisons: readonly Comparison[];
  /** Default: none, which excludes nothing. */
  readonly alternatives?: readonly (readonly Comparison[])[];
  readonly search: string | null;
  readonly order: readonly SortKey[];
}

/** A position in an order: an item, or sort key values without an item. */
export type SortPosition = Readonly<Record<string, unknown>>;

/**
 * A test oracle for collections, which computes expected items from a plain array by the specification only. It knows
 * filters and search (QRY-1, QRY-6, QRY-7), the total order, and the items around a position (PAGE-5).
 */
export class OracleCollection {
  readonly items = new Map<string, Item>();
  readonly #kinds: Readonly<Record<string, FieldKind>>;
  readonly #searchFields: readonly string[];
  readonly #relations: Readonly<Record<string, OracleRelation>>;

  /** @param kinds the kinds of all paths in filters and sorts @param relations by name */
  constructor(
    kinds: Readonly<Record<string, FieldKind>>,
    searchFields: readonly string[] = [],
    relations: Readonly<Record<string, OracleRelation>> = {},
  ) {
    this.#kinds = kinds;
    this.#searchFields = searchFields;
    this.#relations = relations;
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

  matches({ comparisons, alternatives = [], search }: CollectionQuery, item: Item): boolean {
    const texts = this.#searchFields.map((path) => valueAt(item, path)).filter((value) => typeof value === 'string');
    return (
      this.#allHold(comparisons, item) &&
      (alternatives.length === 0 || alternatives.some((each) => this.#allHold(each, item))) &&
      (search === null || matchesSearch(search, texts))
    );
  }

  /** Comparisons through one relation hold for one related row (QRY-1). */
  #allHold(comparisons: readonly Comparison[], item: Item): boolean {
    const byRelation = Map.groupBy(comparisons, ({ path }) => this.#relationOf(path));
    return [...byRelation].every(([name, those]) => {
      const relation = this.#relations[name ?? ''];
      const rows = relation === undefined ? [item] : relatedTo(item, relation);
      return rows.some((row) => those.every((comparison) => this.#satisfies(comparison, row, name)));
    });
  }

  /** The relation that a path begins with; null for a path of the item itself. */
  #relationOf(path: string): string | null {
    const [first = ''] = path.split('.');
    return first in this.#relations ? first : null;
  }

  /**
   * Compares by each sort key up to `id`. If `id` is not a key, it is added with the direction of the last one, so that
   * no items tie.
   */
  compare(order: readonly SortKey[], one: SortPosition, other: SortPosition): number {
    const last: SortKey = { path: 'id', descending: order.at(-1)?.descending ?? false };
    const keys = [...order, last];
    for (const { path, descending } of keys.slice(0, keys.findIndex((key) => key.path === 'id') + 1)) {
      const difference = compareValues(this.#kind(path), valueAt(one, path), valueAt(other, path));
      if (difference !== 0) return descending ? -difference : difference;
    }
    return 0;
  }

  /** Compares the values of two items at a path, in any notation. */
  areEqual(one: SortPosition, other: SortPosition, path: string): boolean {
    return compareValues(this.#kind(path), valueAt(one, path), valueAt(other, path)) === 0;
  }

  /** @param relation the relation whose row the item is */
  #satisfies({ path, operator, values }: Comparison, item: SortPosition, relation: string | null): boolean {
    const value = valueAt(item, relation === null ? path : path.slice(relation.length + 1));
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

/** The related rows of an item; for a reference that is null an item without set fields (QRY-7). */
function relatedTo(item: Item, { field, rows }: OracleRelation): readonly SortPosition[] {
  const held = item[field] ?? null;
  if (held === null) return [{}];
  return rows.filter(({ id }) => (Array.isArray(held) ? held.includes(id) : held === id));
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
