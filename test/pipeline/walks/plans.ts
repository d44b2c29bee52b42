import * as fc from 'fast-check';
import type { Comparison, Operator, SortPosition, CollectionQuery } from '../../oracle/oracle-collection.ts';
import { encode, type FilterPick, type Pair, pick, readFilters, readSort, readWindow, spellTime } from './asking.ts';
import { FIELDS, PAGE, RELATED_FIELDS, TARGETS } from './model.ts';
import type { Body, World, Write } from './world.ts';

export const TECHNIQUES = ['cursor', 'page', 'offset', 'keyset', 'time', 'seek'] as const;
export type Technique = (typeof TECHNIQUES)[number];

export const OPERATORS: readonly Operator[] = [
  'eq',
  'ne',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'nin',
  'contains',
  'starts_with',
  'exists',
];

/**
 * A way to request the next page: with the link, with the cursor alone, or with own parameters and filters.
 */
export type Step = 'link' | 'token' | 'own';

/** A series of reads as plain data, so that failures can be shrunk and printed. */
export interface Plan {
  readonly target: number;
  readonly rows: readonly Write[];
  /** True if filters compare fields of related rows too. */
  readonly related: boolean;
  /** The operators that filters select from. */
  readonly operators: readonly Operator[];
  readonly filters: readonly FilterPick[];
  readonly search: string | null;
  readonly sort: readonly string[];
  readonly window: { readonly start: number | null; readonly before: number | null } | null;
  /** Start: a number of items or pages, an instant and an item. */
  readonly from: number;
  readonly form: number;
  readonly limits: readonly (number | null)[];
  readonly total: boolean | null;
  readonly steps: readonly Step[];
  /** Writes after each page, forward and back. */
  readonly writes: readonly (readonly Write[])[];
  readonly batched: boolean;
}

const SORTABLE = [...FIELDS.map(({ path }) => path), 'id', 'created_at', 'updated_at', 'revision'].filter(
  (path) => path !== 'tags' && path !== 'seller_ids',
);

const at = fc.nat({ max: 999 });
const member = (path: string) => fc.constantFrom(...(FIELDS.find((field) => field.path === path)?.values ?? [null]));

const members: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  ...Object.fromEntries(FIELDS.filter(({ path }) => !path.includes('.')).map(({ path }) => [path, member(path)])),
  place: fc.option(fc.record({ city: member('place.city'), floor: member('place.floor') })),
};
/** A subset of the members, which shrinks by halves. */
const body: fc.Arbitrary<Body> = fc
  .uniqueArray(fc.oneof(...Object.entries(members).map(([name, value]) => fc.tuple(fc.constant(name), value))), {
    selector: ([name]) => name,
    maxLength: 12,
    size: 'max',
  })
  .map((some) => Object.fromEntries(some));

const insert: fc.Arbitrary<Write> = fc.record({
  kind: fc.constant('insert' as const),
  prefix: fc.constantFrom('a', 'A', 'b', '1', '~', 'é', 'a/+', 'a b', '\u{1f600}', '\uFFFD'),
  values: body,
});
const tick: fc.Arbitrary<Write> = fc.record({
  kind: fc.constant('tick' as const),
  milliseconds: fc.constantFrom(1, 2, 1000),
});
const anyWrite: fc.Arbitrary<Write> = fc.oneof(
  insert,
  fc.record({ kind: fc.constant('patch' as const), at, values: body }),
  fc.record({ kind: fc.constant('delete' as const), at }),
  fc.record({ kind: fc.constant('touch' as const), at }),
  fc.record({ kind: fc.constant('replace' as const), at, values: body }),
  fc.record({ kind: fc.constant('renew' as const), at, values: body }),
  tick,
);

const WORDS = [
  'blue wi',
  'rose blue',
  'caf wine',
  'caf',
  'CAFÉ',
  'wine',
  'w',
  'blue wi',
  'rose 42',
  'мир',
  'eclair',
  'x1',
  'afe',
  'a',
  '7',
  'bar-wine',
];

/** @param within the features that the plan uses, so that a bug in one feature does not hide another */
export function plans(within: {
  quiet: boolean;
  operators?: readonly Operator[];
  search?: boolean;
  windowed?: boolean;
  related?: boolean;
}): fc.Arbitrary<Plan> {
  const { quiet, operators = ['eq', 'in'], search = false, windowed = false, related = false } = within;
  const filter = fc.record({
    field: at,
    operator: at,
    values: fc.array(at, { minLength: 1, maxLength: 3 }),
    form: fc.nat({ max: 7 }),
    group: related ? fc.constantFrom(null, 1, 1, 10, 10) : fc.constant(null),
  });
  return fc.record({
    target: fc.nat({ max: TARGETS.length - 1 }),
    rows: fc.array(fc.oneof({ weight: 4, arbitrary: insert }, { weight: 1, arbitrary: tick }), {
      maxLength: 18,
      size: 'max',
    }),
    operators: fc.constant(operators),
    related: fc.constant(related),
    filters: fc.array(filter, { minLength: operators.length === 1 ? 1 : 0, maxLength: related ? 5 : 2 }),
    search: search ? fc.constantFrom(...WORDS) : fc.constant(null),
    sort: fc.uniqueArray(fc.constantFrom(...SORTABLE.flatMap((path) => [path, `-${path}`])), {
      maxLength: 3,
      selector: (key) => key.replace('-', ''),
    }),
    window: windowed ? fc.record({ start: fc.option(at), before: fc.option(at) }) : fc.constant(null),
    from: fc.nat({ max: 40 }),
    form: fc.nat({ max: 30 }),
    limits: fc.array(fc.constantFrom(null, 1, 2, 3, 5, PAGE.max, 100), { minLength: 1, maxLength: 4 }),
    total: fc.option(fc.boolean()),
    steps: fc.array(fc.constantFrom<Step[]>('link', 'token', 'own'), { minLength: 1, maxLength: 5 }),
    writes: quiet ? fc.constant([]) : fc.array(fc.array(anyWrite, { maxLength: 3 }), { maxLength: 8, size: 'max' }),
    batched: fc.boolean(),
  });
}

/** A plan for a world: the first request and the query. */
export interface Reading {
  readonly technique: Technique;
  /** Filters, search, window and sort. */
  readonly selection: readonly Pair[];
  readonly position: readonly Pair[];
  readonly question: CollectionQuery;
  /** Starts strictly after this position, or after a number of items. */
  readonly start: { readonly place: SortPosition } | { readonly skip: number };
  /** True if a whole top-level collection is counted (PAGE-9). */
  readonly unfiltered: boolean;
}

/** @param limit page size for page numbers */
export function deriveReading(world: World, plan: Plan, technique: Technique, limit: number): Reading {
  const { target } = world;
  // Few own fields, so that several filters of a plan go through one relation.
  const compared = plan.related ? [...RELATED_FIELDS, ...FIELDS.slice(0, 3)] : FIELDS;
  const filters = readFilters(plan.filters, compared, new Set(plan.operators));
  const window = chooseWindow(world, plan, technique);
  const sort = chooseSort(world, plan, technique);
  const byGroup = Map.groupBy(filters, ({ group }) => group);
  const clausesOf = (group: number | null) => (byGroup.get(group) ?? []).map(({ clause }) => clause);
  const clauses: readonly Comparison[] = [...clausesOf(null), ...window.map(([clause]) => clause)];
  const alternatives = [...byGroup.keys()].flatMap((group) => (group === null ? [] : [clausesOf(group)]));
  const selection: readonly Pair[] = [
    ...filters.flatMap(({ pairs }) => pairs),
    ...window.flatMap(([, pairs]) => pairs),
    ...(plan.search === null ? [] : [['q', encode(plan.search)] as const]),
    ...(sort.sent === null ? [] : [['sort', sort.sent] as const]),
  ];
  const question = { comparisons: clauses, alternatives, search: plan.search, order: readSort(sort.meant) };
  const unfiltered =
    clauses.length === 0 && alternatives.length === 0 && plan.search === null && target.decoys.length === 0;
  return { technique, selection, question, unfiltered, ...beginning(world, plan, technique, limit, question) };
}

function chooseSort({ target }: World, plan: Plan, technique: Technique): { sent: string | null; meant: string } {
  const natural = { cursor: target.defaultSort, page: target.defaultSort, offset: target.defaultSort };
  const own = { ...natural, keyset: 'id', time: target.timeField, seek: target.timeField }[technique];
  if (technique === 'time' || (technique in natural && plan.sort.length === 0)) return { sent: null, meant: own };
  const sent = technique in natural ? plan.sort.join() : pick([null, own, `-${own}`], plan.form);
  return { sent, meant: sent ?? own };
}

/**
 * Chooses one end, both or none. By time there is one at least; by cursor there is none without a sort: alone it would
 * make the technique time (PAGE-4).
 */
function chooseWindow(world: World, plan: Plan, technique: Technique): ReturnType<typeof readWindow> {
  if (technique === 'cursor' && plan.sort.length === 0) return [];
  const times = world.times().flatMap((time) => [time, time + 1]);
  const start = chooseEnd(plan.window?.start, times);
  const before = chooseEnd(plan.window?.before, times);
  if (start === null && before === null && technique === 'time') return readWindow(world.target, 0, null, plan.form);
  const turned = start !== null && before !== null && start >= before;
  return readWindow(world.target, start, turned ? null : before, plan.form);
}

function chooseEnd(end: number | null | undefined, times: readonly number[]): number | null {
  return typeof end === 'number' ? pick(times, end) : null;
}

type Beginning = Pick<Reading, 'position' | 'start'>;

function beginning(
  world: World,
  plan: Plan,
  technique: Technique,
  limit: number,
  question: CollectionQuery,
): Beginning {
  switch (technique) {
    case 'cursor':
    case 'time':
      return { position: [], start: { skip: 0 } };
    case 'page':
      return { position: [['page', String((plan.from % 5) + 1)]], start: { skip: (plan.from % 5) * limit } };
    case 'offset':
      return { position: [['offset', String(plan.from)]], start: { skip: plan.from } };
    case 'keyset':
    case 'seek':
      return behind(world, technique, placeToBegin(world, plan, question));
  }
}

/** An existing id or one below or above all, with an instant. */
function placeToBegin(world: World, plan: Plan, { order }: CollectionQuery): SortPosition {
  const descending = order[0]?.descending === true;
  const ids = world.target.clientIds
    ? ['!', '\u{1f6ff}']
    : ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];
  const extremes = descending ? ids.toReversed() : ids;
  const id = pick([extremes[0], ...world.collection.items.keys(), extremes[1]], plan.from % 3 === 0 ? 0 : plan.from);
  const times = [0, ...world.times(), Date.UTC(2100)];
  const time = pick(descending ? times.toReversed() : times, plan.from % 3 === 0 ? 0 : plan.form);
  return { id, [world.target.timeField]: new Date(time).toISOString() };
}

/** The parameters of a keyset or seek position. */
export function behind(world: World, technique: 'keyset' | 'seek', place: SortPosition, form = 0): Beginning {
  const id: Pair = [technique === 'keyset' ? 'last_id' : 'after_id', encode(String(place['id']))];
  const time = spellTime(Date.parse(String(place[world.target.timeField])), form);
  return { position: technique === 'keyset' ? [id] : [['after_timestamp', encode(time)], id], start: { place } };
}
