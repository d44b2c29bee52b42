import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../../../src/conventions/json/json.ts';
import type { ValueType } from '../../../src/model/model.ts';
import { holds } from '../../../src/plan/policy/holds.ts';
import type { PathCondition } from '../../../src/plan/condition.ts';
import { type Condition, EVERYTHING } from '../../../src/plan/plan.ts';
import { field, model, resource } from '../../../store-suite/sample-model.ts';
import { commit, create } from '../../../store-suite/sample-writes.ts';
import { openSample } from '../../stores/sqlite/open-sample.ts';

const TYPES: Readonly<Record<string, ValueType>> = {
  text: { kind: 'text', format: null },
  count: { kind: 'integer' },
  ratio: { kind: 'number' },
  done: { kind: 'boolean' },
  price: { kind: 'decimal', precision: 10, scale: 2 },
  big: { kind: 'int64' },
  due: { kind: 'date-time' },
  tags: { kind: 'array', item: { type: { kind: 'text', format: null }, nullable: false } },
};

const VALUES: Readonly<Record<string, readonly Json[]>> = {
  text: ['', 'a', 'B', 'é', 'ab', '😀'],
  count: [-10, -9, 0, 9, 10],
  ratio: [-1.5, 0, 0.25, 9],
  done: [true, false],
  price: ['-10.00', '-9.99', '0.00', '9.00', '10.00'],
  big: ['-9223372036854775808', '-9', '10', '9223372036854775807'],
  due: ['1969-12-31T23:59:59.999Z', '2026-01-01T00:00:00.000Z'],
};

const items = resource({ name: 'items', fields: Object.entries(TYPES).map(([name, type]) => field(name, type)) });

const value = (name: string): fc.Arbitrary<Json> => fc.constantFrom(...(VALUES[name] ?? []));
const row = fc.record(
  Object.fromEntries(
    Object.keys(TYPES).map((name) => [
      name,
      name === 'tags' ? fc.subarray<Json>(['a', 'B', 'é']) : fc.option(value(name)),
    ]),
  ),
);
const scalar = fc.constantFrom(...Object.keys(VALUES));
const condition: fc.Arbitrary<PathCondition> = fc.oneof(
  scalar.chain((path) =>
    fc.record({
      path: fc.constant(path),
      operator: fc.constantFrom('in', 'nin'),
      values: fc.array(value(path), { minLength: 1, maxLength: 3 }),
    }),
  ),
  scalar.chain((path) =>
    fc.record({ path: fc.constant(path), operator: fc.constantFrom('gt', 'gte', 'lt', 'lte'), value: value(path) }),
  ),
  fc.record({
    path: fc.constantFrom(...Object.keys(TYPES)),
    operator: fc.constant('exists' as const),
    value: fc.boolean(),
  }),
  fc.record({
    path: fc.constantFrom('text', 'tags'),
    operator: fc.constant('contains' as const),
    value: fc.constantFrom('a', 'B', 'é', ''),
  }),
  fc.record({
    path: fc.constant('text'),
    operator: fc.constant('starts_with' as const),
    value: fc.constantFrom('a', 'é', ''),
  }),
);

describe('whether a row fulfils a condition', () => {
  it('[law] [QRY-7] is decided as the store does', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 8 }),
        fc.array(condition, { maxLength: 12 }),
        async (rows, conditions) => {
          const store = await openSample({}, model([items]));
          try {
            await commit(store, ...rows.map((values, index) => create('items', String(index), values)));
            const list = async (filter: readonly Condition[]) =>
              (
                await store.rows.list({
                  kind: 'list',
                  resource: 'items',
                  within: [],
                  visible: EVERYTHING,
                  filter,
                  order: [{ path: 'id', descending: false }],
                  window: { kind: 'seek', after: null, backward: false, limit: 100 },
                  count: { kind: 'none' },
                  effort: 'light',
                })
              ).rows;
            const all = await list([]);
            for (const one of conditions) {
              const found = (await list([one])).map(({ id }) => id);
              const held = all.filter((each) => holds(items, each, one)).map(({ id }) => id);
              assert.deepEqual(held, found, JSON.stringify(one));
            }
          } finally {
            await store.close();
          }
        },
      ),
      { numRuns: 30, seed: 7 },
    );
  });
});
