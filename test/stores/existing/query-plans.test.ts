import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import { readOnlyModel } from '../../../src/model/compile/read-only-model.ts';
import type { SortKey } from '../../../src/model/model.ts';
import { EVERYTHING, type ListPlan } from '../../../src/plan/plan.ts';
import { createRandom } from '../../../src/platform/random.ts';
import type { Statement } from '../../../src/stores/sql/dialect.ts';
import { itemStatement, listStatement } from '../../../src/stores/sql/read/read-statements.ts';
import { lookupStatement, relatedStatement } from '../../../src/stores/sql/read/related-statements.ts';
import { Tables } from '../../../src/stores/sql/tables.ts';
import type { SqliteConnection } from '../../../src/stores/sqlite/connection/sqlite-connection.ts';
import { sqlite } from '../../../src/stores/sqlite/dialect/sqlite-dialect.ts';
import { loadDriver } from '../../../src/stores/sqlite/driver/select-driver.ts';
import { openTables } from '../../../src/stores/sqlite/existing/existing-file.ts';
import { SHOP, SHOP_MODEL, sourceFile } from './source-file.ts';

const model = readOnlyModel(loadModel({ text: SHOP_MODEL }).model);
const up = (...paths: readonly string[]): readonly SortKey[] => paths.map((path) => ({ path, descending: false }));

let connection: SqliteConnection;
let tables: Tables;
before((context) => {
  assert.ok('after' in context);
  const file = sourceFile(context, SHOP);
  const random = createRandom();
  const opened = openTables(file, { model, driver: loadDriver('node'), observe: () => undefined, random });
  context.after(() => opened.connection.close());
  connection = opened.connection;
  tables = new Tables(model, sqlite, null, opened.source.tables);
});

/** The steps of the plan of a statement. */
function planSteps({ text, values }: Statement): readonly string[] {
  return connection.all(`explain query plan ${text}`, values).map(({ detail }) => String(detail));
}

const WINDOW = { kind: 'seek', after: null, backward: false, limit: 2 } as const;

const LIST: Omit<ListPlan, 'resource' | 'order'> = {
  kind: 'list',
  within: [],
  filter: [],
  visible: EVERYTHING,
  window: WINDOW,
  count: { kind: 'none' },
  effort: 'light',
};

interface Planned {
  readonly title: string;
  readonly statement: () => Statement;
  readonly reaches: RegExp;
}

const PLANNED: readonly Planned[] = [
  {
    title: 'a row by its id',
    statement: () =>
      itemStatement(tables, { kind: 'item', resource: 'films', id: '2', within: [], visible: EVERYTHING }),
    reaches: /SEARCH shown USING INTEGER PRIMARY KEY \(rowid=\?\)/,
  },
  {
    title: 'texts with a prefix',
    statement: () =>
      listStatement(tables, {
        ...LIST,
        resource: 'films',
        filter: [{ path: 'title', operator: 'starts_with', value: 'B' }],
        order: up('title', 'id'),
      }),
    reaches: /SEARCH shown USING (?:COVERING )?INDEX film_title \(title>\? AND title<\?\)/,
  },
  {
    title: 'a row by an id of several columns',
    statement: () =>
      itemStatement(tables, { kind: 'item', resource: 'orders', id: 'x\\,y,1', within: [], visible: EVERYTHING }),
    reaches: /SEARCH shown USING PRIMARY KEY \(select=\? AND line=\?\)/,
  },
  {
    title: 'a page in the order of the key',
    statement: () =>
      listStatement(tables, { ...LIST, resource: 'films', order: up('id'), window: { ...WINDOW, after: ['1'] } }),
    reaches: /SEARCH shown USING INTEGER PRIMARY KEY \(rowid>\?\)/,
  },
  {
    title: 'a page in the order of a key of several columns',
    statement: () =>
      listStatement(tables, {
        ...LIST,
        resource: 'orders',
        order: up('id'),
        window: { ...WINDOW, after: ['x\\,y,1'] },
      }),
    reaches: /SEARCH shown USING PRIMARY KEY \(\(select,line\)>\(\?,\?\)\)/,
  },
  {
    title: 'a page in the order of an indexed column',
    statement: () =>
      listStatement(tables, {
        ...LIST,
        resource: 'films',
        order: up('title', 'id'),
        window: { ...WINDOW, after: ['Bar', '2'] },
      }),
    reaches: /SEARCH shown USING INDEX film_title \(title>\?\)/,
  },
  {
    title: 'the rows that refer to one',
    statement: () =>
      listStatement(tables, {
        ...LIST,
        resource: 'films',
        order: up('id'),
        filter: [{ path: 'customer_id', operator: 'in', values: ['2'] }],
      }),
    reaches: /SEARCH shown USING INDEX film_customer \(customer=\?\)/,
  },
  {
    title: 'the rows of an expanded reference',
    statement: () =>
      lookupStatement(tables, { resource: 'customers', rows: [{ id: '1', within: [] }], visible: EVERYTHING }),
    reaches: /SEARCH shown USING INTEGER PRIMARY KEY \(rowid=\?\)/,
  },
  {
    title: 'the rows of an expanded inverse relation',
    statement: () =>
      relatedStatement(tables, {
        resource: 'films',
        field: 'customer_id',
        owners: [{ id: '1', within: [] }],
        order: up('id'),
        limit: 2,
        visible: EVERYTHING,
        effort: 'light',
      }),
    reaches: /SEARCH shown USING COVERING INDEX film_customer \(customer=\?\)/,
  },
];

describe('the plans of reads of tables that exist', () => {
  for (const { title, statement, reaches } of PLANNED) {
    it(`reach ${title} by an index of the table`, () => {
      const steps = planSteps(statement());
      assert.ok(
        steps.some((step) => reaches.test(step)),
        steps.join('\n'),
      );
      // The rows of several owners are sorted together, once each owner has a page.
      const sorts = title.includes('inverse') ? /^SCAN shown$/ : /^SCAN shown$|TEMP B-TREE/;
      assert.deepEqual(
        steps.filter((step) => sorts.test(step)),
        [],
        steps.join('\n'),
      );
    });
  }
});
