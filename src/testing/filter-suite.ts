import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json } from '../conventions/json.ts';
import type { Condition } from '../plan/plan.ts';
import type { Store } from '../stores/store.ts';
import { seedThings, IDS, SCALARS, type ScalarSamples, PREFIXES, createThing, thingsModel } from './filter-samples.ts';
import type { OpenStore } from './open-store.ts';
import { sortKeyValues } from './oracle.ts';
import { commit, listIds, listPlan } from './sample-writes.ts';

/** A test body that works on a store of things, which is closed after it. */
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

/** The ids of the rows whose value a comparison holds for, told by their places: those of a list are at even places, the gaps between at odd ones. */
function expectedByOperator(place: number): Readonly<Record<'gt' | 'gte' | 'lt' | 'lte', readonly string[]>> {
  const where = (holds: (own: number) => boolean): readonly string[] => IDS.filter((_, index) => holds(2 * index + 1));
  return {
    gt: where((own) => own > place),
    gte: where((own) => own >= place),
    lt: where((own) => own < place),
    lte: where((own) => own <= place),
  };
}

async function checkComparisons(store: Store, path: string, kind: ScalarSamples): Promise<void> {
  const line = kind.between.flatMap((gap, index) => (index < 3 ? [gap, kind.values[index] ?? null] : [gap]));
  for (const [place, value] of line.entries()) {
    if (value === null) continue;
    const { gt, gte, lt, lte } = expectedByOperator(place);
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

/** Values that a list could lose or confuse with another one, each beside one that is not held. */
const LOOKALIKES: readonly { readonly kind: string; readonly value: Json; readonly other: Json }[] = [
  { kind: 'text', value: 'a\u0000b', other: 'a' },
  { kind: 'text', value: '"\\\u2028', other: '"' },
  { kind: 'text', value: '[1]', other: '1' },
  { kind: 'text', value: '', other: 'null' },
  // 548819256574344960, of which JavaScript writes the fewest digits that tell it from other numbers.
  { kind: 'number', value: 548_819_256_574_345_000, other: 548_819_256_574_346_000 },
  { kind: 'number', value: 0.1, other: 0.100_000_000_000_000_02 },
  { kind: 'int64', value: '9007199254740993', other: '9007199254740992' },
  { kind: 'money', value: '90071992547409.93', other: '90071992547409.92' },
  { kind: 'decimal', value: '0.000000000000000000001', other: '0.000000000000000000002' },
  { kind: 'date_time', value: '2026-01-01T00:00:00.001Z', other: '2026-01-01T00:00:00.000Z' },
  { kind: 'boolean', value: true, other: false },
];

/** Texts, and the parts and beginnings by which they are found. */
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
const SUBSTRINGS: readonly (readonly [value: string, contained: readonly string[], begun: readonly string[]])[] = [
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

/** Items of lists, and whether they are found in the one list that has any. */
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
  describe(`${name}: filters on every kind of value, in fields and inside objects`, () => {
    it(
      '[QRY-7] compare by value, with values that no column can hold too, and never match what is unset',
      withThings(open, async (store) => {
        await seedThings(store);
        for (const kind of SCALARS.filter(({ name: each }) => each !== 'boolean')) {
          for (const place of PREFIXES) await checkComparisons(store, `${place}${kind.name}`, kind);
        }
      }),
    );

    it(
      '[QRY-7] put false before true',
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
      '[QRY-1] [QRY-7] find values in a list or outside of it; what is unset is outside of every one',
      withThings(open, async (store) => {
        await seedThings(store);
        for (const kind of SCALARS.filter(({ name: each }) => each !== 'boolean')) {
          for (const place of PREFIXES) await checkLists(store, `${place}${kind.name}`, kind);
        }
      }),
    );

    it(
      '[QRY-1] [QRY-7] find a value in a list as they find it alone, whatever it is made of',
      withThings(open, async (store) => {
        const held = LOOKALIKES.map(({ kind, value }) => ({ [kind]: value }));
        await commit(
          store,
          ...held.map((values, index) => createThing(`s${index}`, values, { ...values, deep: values })),
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
      '[QRY-1] [PAGE-5] take ten thousand values, on every page and in any order',
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
      '[QRY-1] [QRY-7] tell what is set from what is not',
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
      '[QRY-7] take a part and a beginning of a text literally, byte by byte',
      withThings(open, async (store) => {
        const rows = Object.entries(TEXTS).map(([id, text]) => createThing(id, { text }, { text, deep: { text } }));
        await commit(store, ...rows, createThing('unset', {}, null));
        for (const place of PREFIXES) {
          const path = `${place}text`;
          for (const [value, contained, begun] of SUBSTRINGS) {
            await checkSelection(store, [{ path, operator: 'contains', value }], contained);
            await checkSelection(store, [{ path, operator: 'starts_with', value }], begun);
          }
        }
      }),
    );

    it(
      '[QRY-7] find an item of a list by its value, and tell a list that has any from one that has none',
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
      '[QRY-1] hold together: the tightest bounds of one path, and bounds of several',
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
