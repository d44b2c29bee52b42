import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json } from '../src/conventions/json/json.ts';
import type { Condition } from '../src/plan/plan.ts';
import type { Store } from '../src/stores/store.ts';
import { seedThings, IDS, SCALARS, type ScalarSamples, PREFIXES, createThing, thingsModel } from './filter-samples.ts';
import type { OpenStore } from './open-store.ts';
import { sortKeyValues } from './oracle.ts';
import { commit, listIds, listPlan } from './sample-writes.ts';

/** Wraps a test body: opens a store of {@link thingsModel} before it and closes the store after it. */
function withThings(open: OpenStore, body: (store: Store) => Promise<void>): () => Promise<void> {
  return async () => {
    const store = await open(thingsModel());
    try {
      await body(store);
    } finally {
      await store.close();
    }
  };
}

async function checkSelection(store: Store, filter: readonly Condition[], ids: readonly string[]): Promise<void> {
  const found = await listIds(store, { resource: 'things', filter });
  assert.deepEqual([...found].sort(), [...ids].sort(), JSON.stringify(filter));
}

/** Expected ids per operator for a value on the scale: rows are at 1, 3 and 5, other values at even positions. */
function expectedByOperator(position: number): Readonly<Record<'gt' | 'gte' | 'lt' | 'lte', readonly string[]>> {
  const where = (holds: (own: number) => boolean): readonly string[] => IDS.filter((_, index) => holds(2 * index + 1));
  return {
    gt: where((own) => own > position),
    gte: where((own) => own >= position),
    lt: where((own) => own < position),
    lte: where((own) => own <= position),
  };
}

async function checkComparisons(store: Store, path: string, kind: ScalarSamples): Promise<void> {
  const scale = kind.between.flatMap((gap, index) => (index < 3 ? [gap, kind.values[index] ?? null] : [gap]));
  for (const [position, value] of scale.entries()) {
    if (value === null) continue;
    const { gt, gte, lt, lte } = expectedByOperator(position);
    await checkSelection(store, [{ path, operator: 'gt', value }], gt);
    await checkSelection(store, [{ path, operator: 'gte', value }], gte);
    await checkSelection(store, [{ path, operator: 'lt', value }], lt);
    await checkSelection(store, [{ path, operator: 'lte', value }], lte);
  }
}

async function checkLists(store: Store, path: string, { values, between, equivalent }: ScalarSamples): Promise<void> {
  const [first, second, third] = values;
  const unset = ['hollow', 'unset'];
  const outside = between.filter((gap) => gap !== null);
  await checkSelection(store, [{ path, operator: 'in', values: [first, third, ...outside] }], ['first', 'third']);
  await checkSelection(store, [{ path, operator: 'nin', values: [first, third, ...outside] }], ['second', ...unset]);
  await checkSelection(store, [{ path, operator: 'in', values: [second] }], ['second']);
  await checkSelection(store, [{ path, operator: 'in', values: [equivalent ?? second, null] }], ['second']);
  await checkSelection(
    store,
    [{ path, operator: 'nin', values: [equivalent ?? second] }],
    ['first', 'third', ...unset],
  );
  for (const none of [[], [null], ...outside.map((gap) => [gap]), outside]) {
    await checkSelection(store, [{ path, operator: 'in', values: none }], []);
    await checkSelection(store, [{ path, operator: 'nin', values: none }], [...IDS, ...unset]);
  }
}

/** Values that could be lost or confused in a list, each with a similar value that no row has. */
const LOOKALIKES: readonly { readonly kind: string; readonly value: Json; readonly other: Json }[] = [
  { kind: 'text', value: 'a\u0001b', other: 'a' },
  { kind: 'text', value: '"\\\u2028', other: '"' },
  { kind: 'text', value: '[1]', other: '1' },
  { kind: 'text', value: '', other: 'null' },
  // 548819256574344960, which JavaScript prints with its shortest unique digits.
  { kind: 'number', value: 548_819_256_574_345_000, other: 548_819_256_574_346_000 },
  { kind: 'number', value: 0.1, other: 0.100_000_000_000_000_02 },
  { kind: 'int64', value: '9007199254740993', other: '9007199254740992' },
  { kind: 'money', value: '90071992547409.93', other: '90071992547409.92' },
  { kind: 'decimal', value: '0.000000000000000000001', other: '0.000000000000000000002' },
  { kind: 'date_time', value: '2026-01-01T00:00:00.001Z', other: '2026-01-01T00:00:00.000Z' },
  { kind: 'boolean', value: true, other: false },
];

/** Strings, and the substrings and prefixes that match them. */
const TEXTS: Readonly<Record<string, string>> = {
  plain: 'a_b%c',
  other: 'aXbYc',
  upper: 'A_B%C',
  emoji: '\u{1f600}\u{1f601}',
  last: '\u{10ffff}x',
  gap: '\u{d7ff}',
  after: '\u{e000}',
  empty: '',
  escape: '\\"\'',
};
const SUBSTRINGS: readonly (readonly [value: string, contained: readonly string[], prefixed: readonly string[]])[] = [
  ['', Object.keys(TEXTS), Object.keys(TEXTS)],
  ['a', ['plain', 'other'], ['plain', 'other']],
  ['_', ['plain', 'upper'], []],
  ['a_', ['plain'], ['plain']],
  ['b%', ['plain'], []],
  ['%', ['plain', 'upper'], []],
  ['\u{1f600}', ['emoji'], ['emoji']],
  ['\u{1f601}', ['emoji'], []],
  ['\u{10ffff}', ['last'], ['last']],
  ['\u{10ffff}\u{10ffff}', [], []],
  ['\u{d7ff}', ['gap'], ['gap']],
  ['\\', ['escape'], ['escape']],
  ['"\'', ['escape'], []],
  ['a_b%c', ['plain'], ['plain']],
  ['a_b%cd', [], []],
];

/** Items, and whether the row with non-empty lists contains them. */
const ITEMS: readonly (readonly [name: string, value: Json, found: boolean])[] = [
  ['texts', 'a', true],
  ['texts', 'A', false],
  ['texts', '', false],
  ['texts', null, false],
  ['decimals', '1.50', true],
  ['decimals', '1.51', false],
  ['int64s', '9223372036854775807', true],
  ['int64s', '9223372036854775808', false],
  ['times', '2026-01-01T00:00:00.000Z', true],
  ['times', '2026-01-01T00:00:00.001Z', false],
];
const FULL_LISTS = {
  texts: ['a', 'b'],
  decimals: ['1.5'],
  int64s: ['1', '9223372036854775807'],
  times: ['2026-01-01T00:00:00.000Z'],
};

export function filterSuite(name: string, open: OpenStore): void {
  describe(`${name}: filters on every type, in fields and objects`, () => {
    it(
      '[QRY-7] compare by value, also with values that the column cannot store, and never match null',
      withThings(open, async (store) => {
        await seedThings(store);
        for (const kind of SCALARS.filter(({ name: each }) => each !== 'boolean')) {
          for (const place of PREFIXES) await checkComparisons(store, `${place}${kind.name}`, kind);
        }
      }),
    );

    it(
      '[QRY-7] order false before true',
      withThings(open, async (store) => {
        await seedThings(store);
        for (const place of PREFIXES) {
          const path = `${place}boolean`;
          await checkSelection(store, [{ path, operator: 'gt', value: false }], ['second', 'third']);
          await checkSelection(store, [{ path, operator: 'lte', value: false }], ['first']);
          await checkSelection(store, [{ path, operator: 'gt', value: true }], []);
          await checkSelection(store, [{ path, operator: 'nin', values: [true] }], ['first', 'hollow', 'unset']);
        }
      }),
    );

    it(
      '[QRY-1] [QRY-7] match values in a list or not in it; null is in no list',
      withThings(open, async (store) => {
        await seedThings(store);
        for (const kind of SCALARS.filter(({ name: each }) => each !== 'boolean')) {
          for (const place of PREFIXES) await checkLists(store, `${place}${kind.name}`, kind);
        }
      }),
    );

    it(
      '[QRY-1] [QRY-7] match a value in a list of several as they match it alone',
      withThings(open, async (store) => {
        const rows = LOOKALIKES.map(({ kind, value }) => ({ [kind]: value }));
        await commit(
          store,
          ...rows.map((values, index) => createThing(`s${index}`, values, { ...values, deep: values })),
        );
        for (const place of PREFIXES) {
          for (const [index, { kind, value, other }] of LOOKALIKES.entries()) {
            const path = `${place}${kind}`;
            const alone = await listIds(store, {
              resource: 'things',
              filter: [{ path, operator: 'in', values: [value] }],
            });
            assert.deepEqual(alone, [`s${index}`]);
            await checkSelection(store, [{ path, operator: 'in', values: [other, value] }], alone);
          }
        }
      }),
    );

    it(
      '[QRY-1] [PAGE-5] accept ten thousand values, on every page and in any order',
      withThings(open, async (store) => {
        await seedThings(store);
        const values = Array.from({ length: 9_990 }, (_, index) => `v${index}`);
        const filter: readonly Condition[] = [{ path: 'code', operator: 'in', values: [...values, ...IDS] }];
        const paths = ['money', 'inside.text', 'number', 'inside.deep.integer', 'boolean', 'id'];
        const order = paths.map((path, index) => ({ path, descending: index % 2 === 1 }));
        const read = async (after: readonly Json[] | null) => {
          const window = { kind: 'seek', after, backward: false, limit: 1 } as const;
          const { rows } = await store.rows.list(listPlan({ resource: 'things', filter, order, window }));
          return rows[0];
        };
        const first = await read(null);
        assert.equal(first?.id, 'first');
        const second = await read(sortKeyValues(order, first));
        assert.equal(second?.id, 'second');
        await checkSelection(
          store,
          [{ path: 'code', operator: 'nin', values: [...values, 'first'] }],
          [...IDS.slice(1), 'hollow', 'unset'],
        );
      }),
    );

    it(
      '[QRY-1] [QRY-7] match null with exists=false, and anything else with exists=true',
      withThings(open, async (store) => {
        await seedThings(store);
        for (const kind of SCALARS) {
          for (const place of PREFIXES) {
            const path = `${place}${kind.name}`;
            await checkSelection(store, [{ path, operator: 'exists', value: true }], IDS);
            await checkSelection(store, [{ path, operator: 'exists', value: false }], ['hollow', 'unset']);
          }
        }
        const all = [...IDS, 'hollow', 'unset'];
        await checkSelection(store, [{ path: 'code', operator: 'exists', value: true }], all);
        await checkSelection(store, [{ path: 'code', operator: 'exists', value: false }], []);
        await checkSelection(store, [{ path: 'code', operator: 'nin', values: ['unset'] }], [...IDS, 'hollow']);
        await checkSelection(store, [{ path: 'inside', operator: 'exists', value: true }], [...IDS, 'hollow']);
      }),
    );

    it(
      '[QRY-7] match substrings and prefixes literally, byte by byte',
      withThings(open, async (store) => {
        const rows = Object.entries(TEXTS).map(([id, text]) => createThing(id, { text }, { text, deep: { text } }));
        await commit(store, ...rows, createThing('unset', {}, null));
        for (const place of PREFIXES) {
          const path = `${place}text`;
          for (const [value, contained, prefixed] of SUBSTRINGS) {
            await checkSelection(store, [{ path, operator: 'contains', value }], contained);
            await checkSelection(store, [{ path, operator: 'starts_with', value }], prefixed);
          }
        }
      }),
    );

    it(
      '[QRY-7] match an array by the value of an item, and distinguish empty arrays',
      withThings(open, async (store) => {
        await commit(
          store,
          createThing('full', FULL_LISTS, { ...FULL_LISTS, deep: FULL_LISTS }),
          createThing('unset', {}, null),
        );
        const hollow = { texts: [], decimals: [], int64s: [], times: [] };
        await commit(store, createThing('hollow', {}, { ...hollow, deep: hollow }));
        for (const place of PREFIXES) {
          for (const [list, value, found] of ITEMS) {
            await checkSelection(
              store,
              [{ path: `${place}${list}`, operator: 'contains', value }],
              found ? ['full'] : [],
            );
            await checkSelection(store, [{ path: `${place}${list}`, operator: 'exists', value: true }], ['full']);
            await checkSelection(
              store,
              [{ path: `${place}${list}`, operator: 'exists', value: false }],
              ['hollow', 'unset'],
            );
          }
        }
      }),
    );

    it(
      '[QRY-1] are combined: several bounds of one path, and of several paths',
      withThings(open, async (store) => {
        await seedThings(store);
        const path = 'money';
        const over = (value: string): Condition => ({ path, operator: 'gt', value });
        const upTo = (value: string): Condition => ({ path, operator: 'lte', value });
        await checkSelection(store, [over('-5'), over('-1.01'), upTo('10'), upTo('10.005')], ['second', 'third']);
        await checkSelection(store, [over('0.99'), upTo('0.99')], []);
        await checkSelection(store, [over('5'), upTo('1')], []);
        await checkSelection(store, [{ path, operator: 'in', values: ['10.00'] }, over('10')], []);
        await checkSelection(store, [{ path, operator: 'in', values: ['10.00'] }, over('9.995')], ['third']);
        await checkSelection(store, [over('-1'), { path: 'inside.integer', operator: 'lt', value: 1 }], ['second']);
        await checkSelection(store, [over('-1'), { path, operator: 'nin', values: ['0.99'] }], ['third']);
      }),
    );
  });
}
