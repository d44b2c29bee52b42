import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Json } from '../../../../src/conventions/json/json.ts';
import type { SortKey, ValueType } from '../../../../src/model/model.ts';
import { EVERYTHING, type Condition, type ListPlan, type RelatedPlan } from '../../../../src/plan/plan.ts';
import type { Statement } from '../../../../src/stores/sql/dialect.ts';
import { itemStatement, listStatement } from '../../../../src/stores/sql/read/read-statements.ts';
import { lookupStatement, relatedStatement } from '../../../../src/stores/sql/read/related-statements.ts';
import { Tables } from '../../../../src/stores/sql/tables.ts';
import { sqlite } from '../../../../src/stores/sqlite/dialect/sqlite-dialect.ts';
import { field, model, refersTo, resource } from '../../../../store-suite/sample-model.ts';
import { AT, listPlan, topLevel } from '../../../../store-suite/sample-writes.ts';
import { queryPlan } from './query-plan.ts';

const TEXT: ValueType = { kind: 'text', format: null };

const shop = model([
  resource({ name: 'shops', fields: [] }),
  resource({
    name: 'goods',
    fields: [
      field('name', TEXT),
      field('state', TEXT),
      field('price', { kind: 'decimal', precision: 12, scale: 2 }),
      field('place', { kind: 'object', members: [{ name: 'city', type: TEXT, nullable: true, required: false }] }),
      field('shop_id', TEXT, { reference: { ...refersTo('shops'), as: 'shop' } }),
      field('like_ids', { kind: 'array', item: { type: TEXT, nullable: false } }, { reference: refersTo('goods') }),
    ],
    indexes: [['price'], ['name'], ['state', 'price'], ['place.city']],
  }),
  resource({ name: 'parts', id: { kind: 'server' }, parent: 'goods', fields: [] }),
  resource({ name: 'bolts', parent: 'parts', fields: [] }),
]);
const tables = new Tables(shop, sqlite);

/** The query plan of a statement on the shop. */
const planSteps = (context: TestContext, statement: Statement, of = shop): readonly string[] =>
  queryPlan(context, statement, of);

const up = (...paths: readonly string[]): readonly SortKey[] => paths.map((path) => ({ path, descending: false }));
const down = (...paths: readonly string[]): readonly SortKey[] => paths.map((path) => ({ path, descending: true }));
const walk = (after: readonly Json[] | null, backward = false): ListPlan['window'] => ({
  kind: 'seek',
  after,
  backward,
  limit: 20,
});
const skip: ListPlan['window'] = { kind: 'offset', offset: 1000, limit: 20 };
const compare = (path: string, operator: 'gt' | 'gte' | 'lt' | 'lte', value: Json): Condition => ({
  path,
  operator,
  value,
});
const is = (path: string, value: Json): Condition => ({ path, operator: 'in', values: [value] });

interface Way {
  readonly title: string;
  readonly plan: Partial<ListPlan>;
  readonly step: RegExp;
}

const WAYS: readonly Way[] = [
  { title: 'a first page', plan: { order: up('price', 'id') }, step: /^SCAN goods USING INDEX goods \(price, id\)$/ },
  {
    title: 'a first page in descending order',
    plan: { order: down('price', 'id'), window: walk(null) },
    step: /^SCAN goods USING INDEX goods \(price, id\)$/,
  },
  {
    title: 'a last page',
    plan: { order: up('price', 'id'), window: walk(null, true) },
    step: /^SCAN goods USING INDEX goods \(price, id\)$/,
  },
  {
    title: 'a cursor',
    plan: { order: up('price', 'id'), window: walk(['1', 'g']) },
    step: /\(\(price,id\)>\(\?,\?\)\)/,
  },
  {
    title: 'a cursor backward, past the values to the unset ones',
    plan: { order: up('price', 'id'), window: walk(['1', 'g'], true) },
    step: /\(price=\? AND id<\?\)/,
  },
  { title: 'keyset', plan: { order: up('id'), window: walk(['g']) }, step: /\(id>\?\)/ },
  { title: 'keyset backward', plan: { order: up('id'), window: walk(['g'], true) }, step: /\(id<\?\)/ },
  {
    title: 'seek',
    plan: { order: up('created_at', 'id'), window: walk([AT, 'g']) },
    step: /\(\(created_at,id\)>\(\?,\?\)\)/,
  },
  {
    title: 'a range of the order',
    plan: { order: up('price', 'id'), filter: [compare('price', 'gte', '1'), compare('price', 'lt', '9.999')] },
    step: /\(price>\? AND price<\?\)/,
  },
  {
    title: 'a range, after a cursor in it',
    plan: {
      order: up('price', 'id'),
      filter: [compare('price', 'gte', '1'), compare('price', 'lt', '9')],
      window: walk(['5', 'g']),
    },
    step: /\(\(price,id\)>\(\?,\?\) AND price<\?\)/,
  },
  {
    title: 'a range backward, after a cursor in it',
    plan: {
      order: up('price', 'id'),
      filter: [compare('price', 'gte', '1'), compare('price', 'lt', '9')],
      window: walk(['5', 'g'], true),
    },
    step: /\(price>\? AND \(price,id\)<\(\?,\?\)\)/,
  },
  {
    title: 'a period, after a position before it',
    plan: {
      order: up('created_at', 'id'),
      filter: [compare('created_at', 'gte', AT)],
      window: walk(['2000-01-01T00:00:00.000Z', 'g']),
    },
    step: /\(created_at>\?\)/,
  },
  {
    title: 'a prefix of the sort key',
    plan: { order: up('name', 'id'), filter: [{ path: 'name', operator: 'starts_with', value: 'a%' }] },
    step: /\(name>\? AND name<\?\)/,
  },
  {
    title: 'a prefix of a member of an object',
    plan: { order: up('place.city', 'id'), filter: [{ path: 'place.city', operator: 'starts_with', value: 'Os' }] },
    step: /\(<expr>>\? AND <expr><\?\)/,
  },
  {
    title: 'one value, then the order',
    plan: { order: down('price', 'id'), filter: [is('state', 'new')] },
    step: /\(state=\?\)/,
  },
  {
    title: 'one value, then a cursor of the order',
    plan: { order: up('price', 'id'), filter: [is('state', 'new')], window: walk(['5', 'g']) },
    step: /\(state=\? AND \(price,id\)>\(\?,\?\)\)/,
  },
  {
    title: 'one value of the first key, then a cursor of the others',
    plan: { order: up('state', 'price', 'id'), filter: [is('state', 'new')], window: walk(['new', '5', 'g']) },
    step: /\(state=\? AND \(price,id\)>\(\?,\?\)\)/,
  },
  {
    title: 'one value, then a range of the order after a cursor',
    plan: {
      order: down('price', 'id'),
      filter: [is('state', 'new'), compare('price', 'lte', '9'), compare('price', 'gt', '1')],
      window: walk(['5', 'g']),
    },
    step: /\(state=\? AND price>\? AND \(price,id\)<\(\?,\?\)\)/,
  },
  {
    title: 'the tightest of several bounds',
    plan: { order: up('price', 'id'), filter: [compare('price', 'gte', '1'), compare('price', 'gt', '5')] },
    step: /\(price>\?\)/,
  },
  { title: 'an offset', plan: { order: up('price', 'id'), window: skip }, step: /^SCAN goods USING COVERING INDEX/ },
  { title: 'an offset by id', plan: { order: down('id'), window: skip }, step: /^SCAN goods USING COVERING INDEX/ },
  {
    title: 'an offset in the default order',
    plan: { order: up('created_at', 'id'), window: skip },
    step: /^SCAN goods USING COVERING INDEX/,
  },
  {
    title: 'an offset in the order of a member of an object',
    plan: { order: up('place.city', 'id'), window: skip },
    step: /^SCAN goods USING COVERING INDEX/,
  },
  {
    title: 'an offset in a range',
    plan: { order: up('price', 'id'), filter: [compare('price', 'gte', '1')], window: skip },
    step: /^SEARCH goods USING COVERING INDEX goods \(price, id\) \(price>\?\)/,
  },
  {
    title: 'an offset under one value',
    plan: { order: down('price', 'id'), filter: [is('state', 'new')], window: skip },
    step: /^SEARCH goods USING COVERING INDEX goods \(state, price, id\) \(state=\?\)/,
  },
  {
    title: 'a cursor below a parent, whose id leads the order',
    plan: {
      resource: 'parts',
      within: [{ resource: 'goods', id: 'g', visible: EVERYTHING }],
      order: up('good_id', 'created_at', 'id'),
      window: walk(['g', AT, 'p']),
    },
    step: /\(good_id=\? AND \(created_at,id\)>\(\?,\?\)\)/,
  },
  {
    title: 'an offset below a parent',
    plan: {
      resource: 'parts',
      within: [{ resource: 'goods', id: 'g', visible: EVERYTHING }],
      order: up('created_at', 'id'),
      window: skip,
    },
    step: /^SEARCH parts USING COVERING INDEX parts \(good_id, created_at, id\) \(good_id=\?\)/,
  },
];

describe('the index that SQLite uses', () => {
  for (const { title, plan, step } of WAYS) {
    it(`[PAGE-10] for ${title}: SQLite reads only the rows of the page, and sorts none`, (context) => {
      const steps = planSteps(context, listStatement(tables, listPlan({ resource: 'goods', ...plan })));
      const shown = steps.join('\n');
      assert.ok(
        steps.some((each) => step.test(each)),
        shown,
      );
      assert.deepEqual(
        steps.filter((each) => /^SCAN (goods|parts)(?! USING)/.test(each)),
        [],
        shown,
      );
      assert.deepEqual(
        steps.filter((each) => each.includes('TEMP B-TREE')),
        [],
        shown,
      );
    });
  }

  it('[QRY-1] for several values is that of their path, with any order', (context) => {
    const several = (path: string): Condition => ({ path, operator: 'in', values: ['a', 'b'] });
    for (const order of [up('id'), up('created_at', 'id'), down('price', 'id'), up('place.city', 'id')]) {
      for (const [path, step] of [
        ['state', /^SEARCH goods .*\(state=\?\)/],
        ['place.city', /^SEARCH goods .*\(<expr>=\?\)/],
        ['id', /^SEARCH goods .*\(id=\?\)/],
      ] as const) {
        const filter = [several(path), { path: 'name', operator: 'contains', value: 'x' }] as const;
        for (const window of [walk(null), walk(null, true), skip]) {
          const steps = planSteps(
            context,
            listStatement(tables, listPlan({ resource: 'goods', order, filter, window })),
          );
          const shown = `${path} by ${order[0]?.path}\n${steps.join('\n')}`;
          assert.ok(
            steps.some((each) => step.test(each)),
            shown,
          );
          assert.deepEqual(
            steps.filter((each) => each.startsWith('SCAN goods')),
            [],
            shown,
          );
        }
      }
    }
  });

  it('[PAGE-10] is entered once: of a filter and a position the statement has only the later one', () => {
    const statement = (value: string, operator: 'gt' | 'gte') =>
      listStatement(
        tables,
        listPlan({
          resource: 'goods',
          order: up('price', 'id'),
          filter: [compare('price', operator, value)],
          window: walk(['5.00', 'g']),
        }),
      ).values;
    assert.deepEqual(statement('4.99', 'gte'), [500n, 'g', 21]);
    assert.deepEqual(statement('5', 'gte'), [500n, 'g', 21]);
    assert.deepEqual(statement('5', 'gt'), [500n, 21]);
    assert.deepEqual(statement('5.001', 'gte'), [500n, 21]);
  });
});

const related = (changes: Partial<RelatedPlan>): RelatedPlan => ({
  resource: 'goods',
  field: 'shop_id',
  owners: topLevel('s'),
  order: up('created_at', 'id'),
  limit: 20,
  visible: EVERYTHING,
  ...changes,
});

describe('the index that SQLite uses for rows whose ids are unique below their parent', () => {
  const drive = model([
    resource({ name: 'folders', fields: [] }),
    resource({ name: 'files', parent: 'folders', fields: [] }),
    resource({ name: 'versions', parent: 'files', fields: [] }),
  ]);
  const driveTables = new Tables(drive, sqlite);
  const within = [
    { resource: 'files', id: 'x', visible: EVERYTHING },
    { resource: 'folders', id: 'a', visible: EVERYTHING },
  ];

  it('[PAGE-10] [URL-7] is the primary key for one row, and the index of the parent for a page', (context) => {
    const stepsIn = (statement: Statement): string => planSteps(context, statement, drive).join('\n');
    const item = itemStatement(driveTables, {
      kind: 'item',
      resource: 'versions',
      id: '1',
      within,
      visible: EVERYTHING,
    });
    assert.match(
      stepsIn(item),
      /SEARCH versions USING INDEX sqlite_autoindex_versions_1 \(above 1=\? AND file_id=\? AND id=\?\)/,
    );
    const byTime = listStatement(
      driveTables,
      listPlan({ resource: 'versions', within, order: up('created_at', 'id') }),
    );
    assert.match(stepsIn(byTime), /SEARCH versions USING INDEX .*\(file_id=\? AND above 1=\?\)/);
    assert.doesNotMatch(stepsIn(byTime), /TEMP B-TREE/);
    const byId = listStatement(driveTables, listPlan({ resource: 'versions', within, order: up('id') }));
    assert.match(
      stepsIn(byId),
      /SEARCH versions USING INDEX sqlite_autoindex_versions_1 \(above 1=\? AND file_id=\?\)/,
    );
    assert.doesNotMatch(stepsIn(byId), /TEMP B-TREE/);
  });
});

describe('the index that SQLite uses for related rows', () => {
  const ways: readonly { readonly title: string; readonly plan: RelatedPlan; readonly steps: readonly RegExp[] }[] = [
    {
      title: 'rows that refer to each of several',
      plan: related({}),
      steps: [/^SEARCH goods USING COVERING INDEX goods \(shop_id, created_at, id\) \(shop_id=\?\)/],
    },
    {
      title: 'rows that refer to each of several by an item of an array',
      plan: related({ field: 'like_ids' }),
      steps: [/^SEARCH goods.like_ids USING COVERING INDEX .*\(target=\?\)/],
    },
    {
      title: 'rows that each of several refers to by an array',
      plan: related({ field: 'like_ids', ownedBy: 'goods' }),
      steps: [/^SEARCH goods USING INDEX .*\(id=\?\)/, /^SEARCH goods.like_ids USING PRIMARY KEY \(owner=\?/],
    },
    {
      title: 'rows below each of several, with their ancestors',
      plan: related({ resource: 'bolts', field: 'part_id' }),
      steps: [
        /^SEARCH bolts USING COVERING INDEX .*\(part_id=\?\)/,
        /^SEARCH row above USING INDEX .*_parts_.*\(id=\?\)/,
      ],
    },
  ];
  for (const { title, plan, steps: expected } of ways) {
    it(`[QRY-4] for ${title}: each owner has a subquery that stops at its limit`, (context) => {
      const steps = planSteps(context, relatedStatement(tables, plan));
      const shown = steps.join('\n');
      for (const step of expected)
        assert.ok(
          steps.some((each) => step.test(each)),
          shown,
        );
      assert.ok(
        steps.some((each) => each.startsWith('CORRELATED LIST SUBQUERY')),
        shown,
      );
      assert.deepEqual(
        steps.filter((each) => /^SCAN (?!one owner)/.test(each)),
        [],
        shown,
      );
      if (plan.field !== 'like_ids') {
        assert.deepEqual(
          steps.filter((each) => each.includes('TEMP B-TREE')),
          ['USE TEMP B-TREE FOR ORDER BY'],
          shown,
        );
      }
    });
  }

  it('[QRY-3] [QRY-4] is the same where the statement checks its deadline, for an array of references too', (context) => {
    const plan = related({ field: 'like_ids' });
    for (const looks of ['sampled', 'always'] as const) {
      const statement = relatedStatement(tables, plan, looks);
      const [, gathered = ''] =
        /in \(select "owner" from "goods.like_ids" where (.*?)\) order/.exec(statement.text) ?? [];
      assert.match(gathered, /restwright_deadline/);
      const steps = planSteps(context, statement);
      assert.ok(
        steps.some((each) => /^SEARCH goods.like_ids USING COVERING INDEX .*\(target=\?\)/.test(each)),
        steps.join('\n'),
      );
    }
    assert.doesNotMatch(relatedStatement(tables, plan).text, /restwright_deadline/);
  });

  it('[QRY-3] checks the deadline while it collects rows that a filter finds by an array of references', () => {
    const filter = [{ path: 'like_ids', operator: 'contains', value: 'g' }] as const;
    const gathered = /in \(select "owner" from "goods.like_ids" where .*restwright_deadline.*\)/;
    assert.match(listStatement(tables, listPlan({ resource: 'goods', filter, effort: 'unbounded' })).text, gathered);
    assert.doesNotMatch(listStatement(tables, listPlan({ resource: 'goods', filter })).text, gathered);
  });

  it('[QRY-4] is that of the ids for a lookup, with one text for any number of them', (context) => {
    const lookup = (...ids: readonly string[]) =>
      lookupStatement(tables, { resource: 'goods', rows: topLevel(...ids), visible: EVERYTHING });
    const steps = planSteps(context, lookup('a'));
    assert.ok(
      steps.some((each) => /^SEARCH goods .*\(id=\?\)/.test(each)),
      steps.join('\n'),
    );
    assert.equal(lookup('a').text, lookup('b', 'c').text);
    assert.equal(relatedStatement(tables, related({})).text, relatedStatement(tables, related({ owners: [] })).text);
  });
});
