import type { Json } from '../src/conventions/json/json.ts';
import type { Alternative, PartCondition, PathCondition, RelationKey } from '../src/plan/condition.ts';
import {
  type Condition,
  type CreatePlan,
  EVERYTHING,
  type ListPlan,
  NOTHING,
  type Row,
  type Visibility,
} from '../src/plan/plan.ts';
import { visibilityWhere } from '../src/plan/visibility.ts';
import type { Store } from '../src/stores/store.ts';
import { sortKeyValues } from './oracle.ts';
import { commit, create, createProduct, createSupplier, listPlan } from './sample-writes.ts';
import type { SeededRandom } from './seeded-random.ts';

const PRODUCTS = 30;

/** The rows that related rows are filtered by, and the values that they have, few enough for ties. */
export const RELATED_VALUES: Readonly<Record<string, Readonly<Record<string, readonly Json[]>>>> = {
  suppliers: { name: ['s0', 's1', 's2'], id: ['s0', 's1', 'none'] },
  products: {
    category: [null, 'a', 'b'],
    stock: [null, 0, 1],
    price: [null, '1.00', '2.00', '1.005'],
    'address.city': [null, 'Oslo'],
    supplier_id: [null, 's0', 's1'],
  },
  reviews: { stars: [1, 2, 3], product_id: ['p0', 'p1'] },
};
const RELATIONS: Readonly<Record<string, readonly RelationKey[]>> = {
  suppliers: [{ resource: 'products', field: 'supplier_id', inverse: true }],
  products: [
    { resource: 'suppliers', field: 'supplier_id', inverse: false },
    { resource: 'products', field: 'related_ids', inverse: false },
    { resource: 'products', field: 'related_ids', inverse: true },
    { resource: 'reviews', field: 'product_id', inverse: true },
  ],
  reviews: [{ resource: 'products', field: 'product_id', inverse: false }],
};
/** Paths whose strings are compared as numbers. */
export const RELATED_NUMERIC: ReadonlySet<string> = new Set(['price']);

function randomProduct(random: SeededRandom, index: number): CreatePlan {
  const some = (path: string): Json => random.pick(RELATED_VALUES['products']?.[path] ?? [null]);
  const city = random.oneIn(3)
    ? null
    : { city: some('address.city'), floor: null, fee: null, since: null, number: null };
  const before = Array.from({ length: index }, (_, at) => `p${at}`);
  return createProduct(`p${index}`, {
    category: some('category'),
    stock: some('stock'),
    price: random.pick([null, '1.00', '2.00']),
    address: city,
    supplier_id: some('supplier_id'),
    related_ids: before.filter(() => random.oneIn(8)),
  });
}

/** Suppliers, products that refer to them and to each other, and reviews of products. */
export async function seedRelated(store: Store, random: SeededRandom): Promise<void> {
  await commit(store, ...['s0', 's1', 's2'].map((id) => createSupplier(id)));
  await commit(store, ...Array.from({ length: PRODUCTS }, (_, index) => randomProduct(random, index)));
  const reviews = Array.from({ length: PRODUCTS }, (_, index) => {
    const product = `p${random.integer(PRODUCTS)}`;
    const values = { product_id: product, stars: 1 + random.integer(3) };
    return create('reviews', `r${index}`, values, { within: [{ resource: 'products', id: product }] });
  });
  await commit(store, ...reviews);
}

function randomComparison(random: SeededRandom, of: string): PathCondition {
  const [path, some] = random.pick(Object.entries(RELATED_VALUES[of] ?? {}));
  switch (random.integer(4)) {
    case 0:
      return { path, operator: 'exists', value: random.oneIn(2) };
    case 1:
      return { path, operator: random.pick(['gt', 'gte', 'lt', 'lte']), value: random.pick(some) };
    default: {
      const values = Array.from({ length: random.pick([1, 1, 2]) }, () => random.pick(some));
      return { path, operator: random.oneIn(3) ? 'nin' : 'in', values };
    }
  }
}

function randomMember(random: SeededRandom, of: string): Alternative<{ readonly visible: Visibility }>[number] {
  if (random.oneIn(3)) return randomComparison(random, of);
  const relation = random.pick(RELATIONS[of] ?? []);
  const conditions = Array.from({ length: 1 + random.integer(2) }, () => randomComparison(random, relation.resource));
  const visible = random.oneIn(2) ? EVERYTHING : randomVisibility(random, relation.resource);
  return { operator: 'related', relation, visible, conditions };
}

/** The references of a resource to one row. */
function toOne(of: string): readonly RelationKey[] {
  return (RELATIONS[of] ?? []).filter(({ field, inverse }) => !inverse && field !== 'related_ids');
}

type Rule = PartCondition<{ readonly visible: Visibility }>;

/**
 * A condition as policies come to: comparisons, their complements, alternatives, and references to one row. @param
 * depth of the tree
 */
function randomRule(random: SeededRandom, of: string, depth: number): Rule {
  const relations = toOne(of);
  const rules = (resource: string): readonly Rule[] =>
    Array.from({ length: 1 + random.integer(2) }, () => randomRule(random, resource, depth - 1));
  switch (depth === 0 ? 0 : random.integer(4)) {
    case 1:
      return { operator: 'not', condition: randomComparison(random, of) };
    case 2:
      return { operator: 'any', alternatives: Array.from({ length: 1 + random.integer(3) }, () => rules(of)) };
    case 3: {
      if (relations.length === 0) return randomRule(random, of, depth - 1);
      const relation = random.pick(relations);
      return { operator: 'related', relation, visible: EVERYTHING, conditions: rules(relation.resource) };
    }
    default:
      return randomComparison(random, of);
  }
}

/** Everything, nothing or conditions, through up to two references. */
export function randomVisibility(random: SeededRandom, of: string): Visibility {
  if (random.oneIn(8)) return random.oneIn(3) ? NOTHING : EVERYTHING;
  return visibilityWhere(Array.from({ length: 1 + random.integer(2) }, () => randomRule(random, of, 2)));
}

/** A condition on a resource, often on related rows, or alternatives of such. */
export function randomRelatedCondition(random: SeededRandom, of: string): Condition {
  if (random.oneIn(2)) return randomMember(random, of);
  const alternatives = Array.from({ length: 1 + random.integer(3) }, () =>
    Array.from({ length: 1 + random.integer(2) }, () => randomMember(random, of)),
  );
  return { operator: 'any', alternatives };
}

/** The plan of a page. @param rows of the resource, from which positions are taken */
export function randomRelatedPlan(random: SeededRandom, of: string, rows: readonly Row[]): ListPlan {
  const path = random.pick(Object.keys(RELATED_VALUES[of] ?? {}));
  const order = [...new Set([path, 'id'])].map((each) => ({ path: each, descending: random.oneIn(2) }));
  const limit = 1 + random.integer(12);
  return listPlan({
    resource: of,
    order,
    filter: Array.from({ length: random.integer(3) }, () => randomRelatedCondition(random, of)),
    visible: random.oneIn(2) ? EVERYTHING : randomVisibility(random, of),
    window: random.oneIn(3)
      ? { kind: 'offset', offset: random.integer(10), limit }
      : {
          kind: 'seek',
          after: random.oneIn(2) ? null : sortKeyValues(order, random.pick(rows)),
          backward: random.oneIn(2),
          limit,
        },
    count: random.pick([{ kind: 'none' }, { kind: 'exact' }, { kind: 'capped', cap: 5 }] as const),
    effort: random.oneIn(3) ? 'light' : 'unbounded',
  });
}
