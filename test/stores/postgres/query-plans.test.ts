import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import type { SortKey } from '../../../src/model/model.ts';
import { EVERYTHING, type ListPlan } from '../../../src/plan/plan.ts';
import { postgres } from '../../../src/stores/postgres/dialect/postgres-dialect.ts';
import { openPostgres } from '../../../src/stores/postgres/postgres-store.ts';
import { listStatement } from '../../../src/stores/sql/read/read-statements.ts';
import { Tables } from '../../../src/stores/sql/tables.ts';
import { sampleModel } from '../../../store-suite/sample-model.ts';
import { AT, listPlan } from '../../../store-suite/sample-writes.ts';
import { newSchema } from './open-postgres.ts';

const sort = (descending: boolean, ...paths: readonly string[]): readonly SortKey[] =>
  paths.map((path) => ({ path, descending }));
const seek = (...position: readonly string[]): ListPlan['window'] => ({
  kind: 'seek',
  after: position,
  backward: false,
  limit: 20,
});

/** Orders that an index of the sample model serves, and the position of the page. */
const WALKS: readonly { readonly title: string; readonly plan: Partial<ListPlan> }[] = [
  { title: 'the id', plan: { order: sort(false, 'id'), window: seek('p') } },
  { title: 'the id, descending', plan: { order: sort(true, 'id'), window: seek('p') } },
  { title: 'the default order', plan: { order: sort(false, 'created_at', 'id'), window: seek(AT, 'p') } },
  { title: 'the default order, descending', plan: { order: sort(true, 'created_at', 'id'), window: seek(AT, 'p') } },
  { title: 'a declared index with ties', plan: { order: sort(false, 'category', 'id'), window: seek('a', 'p') } },
  {
    title: 'a declared index of several fields',
    plan: { order: sort(false, 'category', 'price', 'id'), window: seek('a', '1.00', 'p') },
  },
  {
    title: 'a sub-collection in its default order',
    plan: {
      resource: 'reviews',
      within: [{ resource: 'products', id: 'p', visible: EVERYTHING }],
      order: sort(false, 'created_at', 'id'),
      window: seek(AT, 'r'),
    },
  },
];

const url = newSchema();
const client = new Client({ connectionString: url });
const tables = new Tables(sampleModel(), postgres);

describe('the query plan of a page on PostgreSQL', () => {
  before(async () => {
    await (await openPostgres({ url, model: sampleModel() })).close();
    await client.connect();
    await client.query(`set search_path = ${postgres.quote(new URL(url).searchParams.get('schema') ?? '')}`);
    // The tables are empty: without this it would read them whole, and sort what it found.
    await client.query('set enable_seqscan = off');
    await client.query('set enable_bitmapscan = off');
  });
  after(() => client.end());

  for (const { title, plan } of WALKS) {
    it(`[PAGE-10] reads an index in its order: ${title}`, async () => {
      const { text, values } = listStatement(tables, listPlan(plan));
      const { rows } = await client.query<Record<'QUERY PLAN', string>>({
        text: `explain ${text}`,
        values: [...values],
      });
      const lines = rows.map((row) => row['QUERY PLAN']);
      assert.ok(
        lines.some((line) => line.includes('Index Scan') || line.includes('Index Only Scan')),
        lines.join('\n'),
      );
      assert.deepEqual(
        lines.filter((line) => line.includes('Sort Key')),
        [],
        lines.join('\n'),
      );
    });
  }
});
