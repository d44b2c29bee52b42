import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { SortKey, ValueType } from '../../../src/model/model.ts';
import { EVERYTHING, type ListPlan } from '../../../src/plan/plan.ts';
import { listStatement } from '../../../src/stores/sql/read/read-statements.ts';
import { Tables } from '../../../src/stores/sql/tables.ts';
import { sqlite } from '../../../src/stores/sqlite/dialect/sqlite-dialect.ts';
import { SqliteConnection } from '../../../src/stores/sqlite/connection/sqlite-connection.ts';
import { prepareDatabase } from '../../../src/stores/sqlite/schema/prepare-database.ts';
import { defineFunctions } from '../../../src/stores/sqlite/connection/sql-functions.ts';
import { field, model, resource, sampleModel } from '../../../store-suite/sample-model.ts';
import { AT, commit, create, listIds, listPlan, readRow, update } from '../../../store-suite/sample-writes.ts';
import { openSample } from './open-sample.ts';
import { driver } from './driver-under-test.ts';

const TEXT: ValueType = { kind: 'text', format: null };
const up = (...paths: readonly string[]): readonly SortKey[] => paths.map((path) => ({ path, descending: false }));
const down = (...paths: readonly string[]): readonly SortKey[] => paths.map((path) => ({ path, descending: true }));
const seek = (...after: readonly (string | null)[]): ListPlan['window'] => ({
  kind: 'seek',
  after,
  backward: false,
  limit: 20,
});

function database(context: TestContext): SqliteConnection {
  const connection = SqliteConnection.writer(':memory:', driver);
  defineFunctions(connection);
  prepareDatabase(connection, sampleModel(), { random: { hex: (bytes) => '00'.repeat(bytes) }, consent: 'none' });
  context.after(() => connection.close());
  return connection;
}

interface Walk {
  readonly title: string;
  readonly plan: Partial<ListPlan>;
  /** The steps of the query plan. */
  readonly reaches: readonly RegExp[];
}

/** Checks if a sort has at most one page of each range to sort. */
function isMerge(detail: string | undefined): boolean {
  return detail === 'SCAN part';
}

const WALKS: readonly Walk[] = [
  {
    title: 'the default order',
    plan: { order: up('created_at', 'id'), window: seek(AT, 'p') },
    reaches: [/\(created_at,id\)>\(\?,\?\)/],
  },
  { title: 'the id', plan: { order: down('id'), window: seek('p') }, reaches: [/\(id<\?\)/] },
  {
    title: 'a declared index with ties',
    plan: { order: up('category', 'id'), window: seek('a', 'p') },
    reaches: [/\(category,id\)>\(\?,\?\)/],
  },
  {
    title: 'a declared index in descending order, to its nulls',
    plan: { order: down('category', 'id'), window: seek('a', 'p') },
    reaches: [/\(category=\? AND id<\?\)/, /\(category<\?\)/, /\(category=\?\)/],
  },
  {
    title: 'a declared index of several fields',
    plan: { order: up('category', 'price', 'id'), window: seek('a', '1.00', 'p') },
    reaches: [/\(category,price,id\)>\(\?,\?,\?\)/],
  },
  {
    title: 'a member of an object',
    plan: { order: up('address.city', 'id'), window: seek('Oslo', 'p') },
    reaches: [/\(<expr>=\? AND id>\?\)/, /\(<expr>>\?\)/],
  },
  {
    title: 'a sub-collection in its default order',
    plan: {
      resource: 'reviews',
      within: [{ resource: 'products', id: 'p', visible: EVERYTHING }],
      order: up('created_at', 'id'),
      window: seek(AT, 'r'),
    },
    reaches: [/\(product_id=\? AND \(created_at,id\)>\(\?,\?\)\)/],
  },
  {
    title: 'rows by one of their references',
    plan: {
      filter: [{ path: 'supplier_id', operator: 'in', values: ['s'] }],
      order: up('created_at', 'id'),
      window: seek(AT, 'p'),
    },
    reaches: [/\(supplier_id=\? AND \(created_at,id\)>\(\?,\?\)\)/],
  },
  {
    title: 'rows by an item of their references',
    plan: { filter: [{ path: 'related_ids', operator: 'contains', value: 'p' }] },
    reaches: [/products\.related_ids.*\(target=\?\)/],
  },
];

describe('the query plan of a page', () => {
  for (const { title, plan, reaches } of WALKS) {
    it(`[PAGE-10] seeks to the position in an index: ${title}`, (context) => {
      const { text, values } = listStatement(new Tables(sampleModel(), sqlite), listPlan(plan));
      const details = database(context)
        .all(`explain query plan ${text}`, values)
        .map(({ detail }) => String(detail));
      for (const reached of reaches)
        assert.ok(
          details.some((detail) => reached.test(detail)),
          details.join('\n'),
        );
      assert.deepEqual(
        details.filter((detail) => /^SCAN products|^SCAN reviews/.test(detail)),
        [],
      );
      const sorts = details.filter((detail, index) => detail.includes('TEMP B-TREE') && !isMerge(details[index - 1]));
      if (plan.window !== undefined) assert.deepEqual(sorts, []);
    });
  }

  it('[PAGE-5] exists for a resource of any name', async () => {
    const named = ['page', 'part', 'item', 'kept', 'order', 'value'].map((name) =>
      resource({
        name,
        fields: [
          field('value', TEXT),
          field('row', TEXT),
          field('tags', { kind: 'array', item: { type: TEXT, nullable: false } }),
        ],
        uniques: [['value', 'row']],
      }),
    );
    const store = await openSample({}, model(named));
    for (const { name } of named) {
      await commit(
        store,
        create(name, 'a', { value: null, row: 'r', tags: ['t'] }),
        create(name, 'b', { value: 'v', row: 'r', tags: [] }),
      );
      const order = [...down('value'), ...up('row', 'id')];
      assert.deepEqual(await listIds(store, { resource: name, order, window: seek('v', 'r', 'b') }), ['a']);
      const filter = [{ path: 'tags', operator: 'contains', value: 't' }] as const;
      assert.deepEqual(await listIds(store, { resource: name, filter }), ['a']);
      const { revision } = await readRow(store, name, 'a');
      const outcome = await store.writes.commit({ plans: [update(name, 'a', revision, { value: 'v' })] });
      assert.deepEqual(outcome, { kind: 'unique', plan: 0, fields: ['value', 'row'] });
    }
    await store.close();
  });

  it('[PAGE-10] has one text for plans of one shape, for all values', () => {
    const tables = new Tables(sampleModel(), sqlite);
    const shaped = (category: string, id: string) =>
      listStatement(
        tables,
        listPlan({ filter: [{ path: 'category', operator: 'in', values: [category] }], window: seek(id) }),
      );
    assert.equal(shaped('a', 'b').text, shaped('c', 'd').text);
    assert.deepEqual(shaped('a', 'b').values, ['a', 'b', 21]);
  });

  it('[PAGE-10] [QRY-1] has one text for lists of any length, so that it is prepared once', () => {
    const tables = new Tables(sampleModel(), sqlite);
    const among = (operator: 'in' | 'nin', length: number) =>
      listStatement(
        tables,
        listPlan({
          filter: [{ path: 'category', operator, values: Array.from({ length }, (_, index) => `c${index}`) }],
        }),
      );
    assert.equal(among('in', 2).text, among('in', 10_000).text);
    assert.equal(among('nin', 1).text, among('nin', 10_000).text);
    assert.deepEqual(among('in', 2).values, ['["c0","c1"]', 101]);
  });

  it('is an error of the caller where a plan names something that the model does not have', () => {
    const tables = new Tables(sampleModel(), sqlite);
    assert.throws(() => listStatement(tables, listPlan({ resource: 'none' })), /none/);
    assert.throws(() => listStatement(tables, listPlan({ order: up('address.none', 'id') })), /address\.none/);
    assert.throws(
      () =>
        listStatement(
          tables,
          listPlan({ resource: 'suppliers', within: [{ resource: 'products', id: 'p', visible: EVERYTHING }] }),
        ),
      /suppliers/,
    );
    assert.throws(() => listStatement(tables, listPlan({ columns: ['name', 'none'] })), /none/);
    assert.throws(() => listStatement(tables, listPlan({ window: seek(null) })), RangeError);
  });
});
