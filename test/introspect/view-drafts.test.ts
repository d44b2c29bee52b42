import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { load } from '../model/loading.ts';
import { databaseWith, draftTables, modelOver, resourceLines, uncommentViews } from './table-drafts.ts';

const TABLES = `
create table customer (customer_id integer primary key, name text);
create table orders (order_id integer primary key, customer_id int references customer, total int);
create table product (product_id integer primary key);
create table line (order_id int not null references orders, number int not null, product_id int references product, primary key (order_id, number));
insert into customer values (1, 'Ann'); insert into orders values (1, 1, 5); insert into product values (1); insert into line values (1, 1, 1);
`;

/** Views, and the lines of their resources up to the schema. Null for a view that is left out. */
const VIEWS: readonly [title: string, view: string, lines: readonly string[] | null][] = [
  [
    'the key of its table',
    'select order_id, total * 2 as twice from orders where total > 3',
    ['# the key is that of orders: the start checks that it fits', 'table: v', 'key: order_id', 'read_only: true'],
  ],
  [
    'that of the table which refers to the others, through another view, too',
    'select order_id, customer_id, name from orders natural join names',
    ['# the key is that of orders: the start checks that it fits', 'table: v', 'key: order_id', 'read_only: true'],
  ],
  [
    'all columns of a key of several',
    'select l.*, o.customer_id from line as l join orders as o using (order_id)',
    [
      '# the key is that of line: the start checks that it fits',
      'table: v',
      'key: [order_id, number]',
      'read_only: true',
    ],
  ],
  [
    'those of the tables by which it groups',
    'select customer_id, product_id, count(*) as count from customer join orders using (customer_id) join line using (order_id) join product using (product_id) group by 1, 2',
    [
      '# the key is that of customer, product: the start checks that it fits',
      'table: v',
      'key: [customer_id, product_id]',
      'read_only: true',
    ],
  ],
  ['none without the columns of a key', 'select name from customer', null],
  [
    'none where rows of the referring table cannot be distinguished',
    'select customer_id, name from customer natural join orders',
    null,
  ],
  ['none of tables without references', 'select order_id, product_id from orders cross join product', null],
  ['none of a union', 'select order_id from orders union all select order_id from orders', null],
];

describe('the draft of a view', () => {
  for (const [title, view, lines] of VIEWS) {
    it(`has ${title}`, async (context) => {
      const sql = `${TABLES} create view names as select customer_id, name from customer; create view v as ${view}`;
      const model = await modelOver(context, sql);
      assert.equal(load(model).model.resources.get('vs'), undefined);
      const uncommented = uncommentViews(model);
      const { resources } = load(uncommented).model;
      if (lines === null) {
        assert.match(model, /^# Left out: v: a view has no key; to show one, add a resource with `table: VIEW`/m);
        assert.equal(resources.get('vs'), undefined);
        return;
      }
      assert.ok(resources.has('vs'), model);
      assert.deepEqual(resourceLines(uncommented, 'vs').slice(0, lines.length), lines);
    });
  }

  it('is left out where the database cannot read the view', async (context) => {
    const model = await modelOver(context, `${TABLES} create view v as select gone from orders`);
    assert.match(model, /^# Left out: v: the database cannot read this view\.$/m);
  });

  it('has another name than that of a table', async (context) => {
    const model = await modelOver(
      context,
      `create table customer (id integer primary key); create view customers as select id from customer`,
    );
    assert.equal(resourceLines(model, 'customers')[0], 'table: customer');
    assert.ok(load(uncommentViews(model)).model.resources.has('customers_items'), model);
  });

  it('has the types of the values', async (context) => {
    const view = 'create view v as select order_id, total / 2.0 as half, count(*) over () as all_of_them from orders';
    const model = uncommentViews(await modelOver(context, `${TABLES} ${view}`));
    assert.deepEqual(resourceLines(model, 'vs').slice(-2), [
      'half: { type: number }',
      'all_of_them: { type: integer }',
    ]);
  });

  it('is no resource that init counts', async (context) => {
    const draft = await draftTables(databaseWith(context, `${TABLES} create view v as select order_id from orders`));
    assert.deepEqual(
      draft.resources.map(({ name, isComment }) => [name, isComment]),
      [
        ['customers', false],
        ['lines', false],
        ['orders', false],
        ['products', false],
        ['vs', true],
      ],
    );
  });
});
