import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SortKey, ValueType } from '../../../../src/model/model.ts';
import type { PathCondition } from '../../../../src/plan/condition.ts';
import { type Condition, EVERYTHING, type ListPlan } from '../../../../src/plan/plan.ts';
import { countStatement, listStatement } from '../../../../src/stores/sql/read/read-statements.ts';
import { Tables } from '../../../../src/stores/sql/tables.ts';
import { sqlite } from '../../../../src/stores/sqlite/dialect/sqlite-dialect.ts';
import { field, model, refersTo, resource } from '../../../../store-suite/sample-model.ts';
import { AT, listPlan } from '../../../../store-suite/sample-writes.ts';
import { queryPlan } from './query-plan.ts';

const TEXT: ValueType = { kind: 'text', format: null };
const IDS: ValueType = { kind: 'array', item: { type: TEXT, nullable: false } };

const shop = model([
  resource({ name: 'shops', fields: [field('country', TEXT), field('owner', TEXT)], indexes: [['country']] }),
  resource({
    name: 'goods',
    fields: [
      field('name', TEXT),
      field('state', TEXT),
      field('sku', TEXT),
      field('shop_id', TEXT, { reference: { ...refersTo('shops'), as: 'shop' } }),
      field('like_ids', IDS, { reference: refersTo('goods') }),
    ],
    uniques: [['sku']],
    indexes: [['name'], ['state']],
  }),
  resource({ name: 'parts', parent: 'goods', fields: [field('code', TEXT), field('size', TEXT)], indexes: [['code']] }),
]);
const tables = new Tables(shop, sqlite);

const is = (path: string, ...values: readonly string[]): PathCondition => ({ path, operator: 'in', values });
const over = (path: string, value: string): PathCondition => ({ path, operator: 'gt', value });
const related = (of: string, by: string, inverse: boolean, ...conditions: readonly PathCondition[]) =>
  ({
    operator: 'related',
    relation: { resource: of, field: by, inverse },
    visible: EVERYTHING,
    conditions,
  }) as const satisfies Condition;

interface Way {
  readonly title: string;
  readonly resource: string;
  readonly filter: readonly Condition[];
  /** The steps that read rows, in any order. */
  readonly steps: readonly RegExp[];
}

const WAYS: readonly Way[] = [
  {
    title: 'a row that is referred to: it is found by its value, and then the rows that refer to it',
    resource: 'goods',
    filter: [related('shops', 'shop_id', false, is('country', 'NO'))],
    steps: [
      /^SEARCH goods USING (COVERING )?INDEX goods \(shop_id, created_at, id\) \(shop_id=\?/,
      /^SEARCH related row USING COVERING INDEX shops \(country, id\) \(country=\?\)/,
    ],
  },
  {
    title: 'an array of references: the link table is entered at the rows that are referred to',
    resource: 'goods',
    filter: [related('goods', 'like_ids', false, is('name', 'x'))],
    steps: [
      /^SEARCH goods USING INDEX .*\(id=\?\)/,
      /^SEARCH goods.like_ids USING COVERING INDEX .*\(target=\?\)/,
      /^SEARCH related row USING COVERING INDEX goods \(name, id\) \(name=\?\)/,
    ],
  },
  {
    title: 'few rows that refer to a row: they are found by their value',
    resource: 'shops',
    filter: [related('goods', 'shop_id', true, is('name', 'x'))],
    steps: [/^SEARCH shops USING INDEX .*\(id=\?\)/, /^SEARCH related row USING INDEX goods \(name, id\) \(name=\?\)/],
  },
  {
    title: 'many rows that refer to a row: each row looks for the first of them, in the order of the page',
    resource: 'shops',
    filter: [related('goods', 'shop_id', true, over('name', 'x'))],
    steps: [
      /^(SCAN|SEARCH) shops USING (COVERING )?INDEX shops \(created_at, id\)/,
      /^SEARCH related row (EXISTS )?USING INDEX goods \(shop_id, created_at, id\) \(shop_id=\?\)/,
    ],
  },
  {
    title: 'children without an index on the compared field',
    resource: 'goods',
    filter: [related('parts', 'good_id', true, is('size', 'x'))],
    steps: [
      /^(SCAN|SEARCH) goods USING (COVERING )?INDEX goods \(created_at, id\)/,
      /^SEARCH related row (EXISTS )?USING INDEX parts \(good_id, created_at, id\) \(good_id=\?\)/,
    ],
  },
  {
    title: 'rows whose arrays have the row',
    resource: 'goods',
    filter: [related('goods', 'like_ids', true, over('name', 'x'))],
    steps: [
      /^(SCAN|SEARCH) goods USING (COVERING )?INDEX goods \(created_at, id\)/,
      /^SEARCH goods.like_ids USING COVERING INDEX .*\(target=\?\)/,
      /^SEARCH related row (EXISTS )?USING INDEX .*\(id=\?\)/,
    ],
  },
  {
    title: 'alternatives: each enters its own index',
    resource: 'goods',
    filter: [
      {
        operator: 'any',
        alternatives: [[is('name', 'x')], [is('sku', 'y')], [related('shops', 'shop_id', false, is('country', 'NO'))]],
      },
    ],
    steps: [
      /^MULTI-INDEX OR$/,
      /^SEARCH goods USING INDEX goods \(name, id\) \(name=\?\)/,
      /^SEARCH goods USING INDEX goods unique \(sku\) \(sku=\?\)/,
      /^SEARCH goods USING (COVERING )?INDEX goods \(shop_id, created_at, id\) \(shop_id=\?/,
      /^SEARCH related row USING COVERING INDEX shops \(country, id\) \(country=\?\)/,
    ],
  },
];

const ORDER: readonly SortKey[] = ['created_at', 'id'].map((path) => ({ path, descending: false }));
const WINDOWS: readonly ListPlan['window'][] = [
  { kind: 'seek', after: null, backward: false, limit: 20 },
  { kind: 'seek', after: [AT, 'g'], backward: false, limit: 20 },
  { kind: 'seek', after: [AT, 'g'], backward: true, limit: 20 },
  { kind: 'offset', offset: 1_000, limit: 20 },
];

describe('the index that SQLite uses for a filter through a relation', () => {
  for (const { title, resource: of, filter, steps: expected } of WAYS) {
    it(`[QRY-3] for ${title}`, (context) => {
      for (const window of WINDOWS) {
        for (const effort of ['light', 'unbounded'] as const) {
          const plan = listPlan({ resource: of, filter, order: ORDER, window, effort });
          const steps = queryPlan(context, listStatement(tables, plan), shop);
          const shown = steps.join('\n');
          for (const step of expected) {
            assert.ok(
              steps.some((each) => step.test(each)),
              `${String(step)}\n${shown}`,
            );
          }
          assert.deepEqual(
            steps.filter((each) => /^SCAN (shops|goods|parts|related row)(?! USING)/.test(each)),
            [],
            shown,
          );
        }
      }
    });
  }

  it('[QRY-3] is the same for the total', (context) => {
    const filter = [related('shops', 'shop_id', false, is('country', 'NO'))];
    const statement = countStatement(tables, listPlan({ resource: 'goods', filter }), 10_000);
    assert.match(queryPlan(context, statement, shop).join('\n'), /SEARCH goods USING COVERING INDEX goods \(shop_id/);
  });

  it('[QRY-3] needs one statement for each shape of a filter, whatever its values', () => {
    const writeText = (...values: readonly string[]): string => {
      const filter: readonly Condition[] = [
        related('shops', 'shop_id', false, is('country', ...values), over('owner', values.join())),
        { operator: 'any', alternatives: [[is('name', ...values)], [is('state', ...values)]] },
      ];
      return listStatement(tables, listPlan({ resource: 'goods', filter })).text;
    };
    assert.equal(writeText('a', 'b'), writeText('c', 'd', 'e'));
    assert.equal(writeText('a'), writeText('b'));
  });

  it('[QRY-3] is checked against the deadline at the related rows too', () => {
    const filter = [related('goods', 'shop_id', true, over('name', 'x'))];
    for (const checks of ['sampled', 'always'] as const) {
      const { text } = listStatement(tables, listPlan({ resource: 'shops', filter }), checks);
      assert.equal(text.split('restwright_deadline').length - 1, 2, text);
    }
  });
});
