import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Client } from 'pg';
import type { WritePlan } from '../../../../src/plan/plan.ts';
import type { WriteOutcome } from '../../../../src/plan/write-unit.ts';
import { mergeStatements } from '../../../../src/stores/postgres/commit/merge-statements.ts';
import { postgres } from '../../../../src/stores/postgres/dialect/postgres-dialect.ts';
import { Tables } from '../../../../src/stores/sql/tables.ts';
import type { UnitStatement } from '../../../../src/stores/sql/write/compile-unit.ts';
import { updateStatement } from '../../../../src/stores/sql/write/write-statements.ts';
import type { Store } from '../../../../src/stores/store.ts';
import { sampleModel } from '../../../../store-suite/sample-model.ts';
import { createProduct, readRow, update } from '../../../../store-suite/sample-writes.ts';
import { newSchema, openSample } from '../open-postgres.ts';

function statement(many: string | undefined, value: number, expects: UnitStatement['expects']): UnitStatement {
  const text = many ?? 'other';
  return {
    statement: { text, values: [value], ...(many === undefined ? {} : { many }) },
    expects,
    refusal: null,
    violation: null,
  };
}

const row = (many: string, value: number): UnitStatement => statement(many, value, 'change');
const event = (value: number): UnitStatement => statement('event', value, null);
const other = (value: number): UnitStatement => statement(undefined, value, null);

/** The text and values of each statement, and the rows that it must change. */
function merged(...statements: readonly UnitStatement[]): readonly string[] {
  return mergeStatements(statements).map(
    (each) => `${each.statement.text} ${each.statement.values.join()} ${each.rows ?? 1}`,
  );
}

describe('the statements of a group on PostgreSQL', () => {
  it('[OPS-4b] are one where they differ in their values alone, which must change as many rows', () => {
    assert.deepEqual(merged(row('insert', 1), event(1), row('insert', 2), event(2)), [
      'insert {"1","2"} 2',
      'event {"1","2"} 2',
    ]);
  });

  it('[EVT-3b] write rows in their order', () => {
    assert.deepEqual(merged(row('a', 1), event(1), row('b', 2), event(2), row('a', 3), event(3)), [
      'a 1 1',
      'b 2 1',
      'event {"1","2","3"} 3',
      'a 3 1',
    ]);
  });

  it('[OPS-4b] stay before one that may read what they write', () => {
    assert.deepEqual(merged(row('a', 1), event(1), other(2), row('a', 3), event(3)), [
      'a 1 1',
      'event 1 1',
      'other 2 1',
      'a 3 1',
      'event 3 1',
    ]);
  });
});

/** Commits each plan as a unit of its own, in one group. */
async function together(store: Store, ...plans: readonly WritePlan[]): Promise<readonly WriteOutcome['kind'][]> {
  const outcomes = await Promise.all(plans.map((plan) => store.writes.commit({ plans: [plan] })));
  return outcomes.map(({ kind }) => kind);
}

describe('concurrent writes on PostgreSQL', () => {
  it('[OPS-4b] are refused one by one, although they are one statement', async () => {
    const store = await openSample();
    try {
      await together(store, createProduct('taken'));
      const creates = ['a', 'taken', 'b'].map((id) => createProduct(id));
      assert.deepEqual(await together(store, ...creates), ['committed', 'exists', 'committed']);
      const [a, b] = [await readRow(store, 'products', 'a'), await readRow(store, 'products', 'b')];
      assert.ok(a !== null && b !== null);
      const updates = [
        update('products', 'a', a.revision, { name: 'changed' }),
        update('products', 'b', b.revision - 1, { name: 'changed' }),
        update('products', 'absent', 1, { name: 'changed' }),
      ];
      assert.deepEqual(await together(store, ...updates), ['committed', 'stale', 'stale']);
      assert.equal((await readRow(store, 'products', 'a'))?.['name'], 'changed');
      assert.notEqual((await readRow(store, 'products', 'b'))?.['name'], 'changed');
    } finally {
      await store.close();
    }
  });
});

describe('the plan of an update of many rows on PostgreSQL', () => {
  const url = newSchema();
  const client = new Client({ connectionString: url });
  after(() => client.end());

  it('[OPS-4b] finds them by their index, also while the table is empty', async () => {
    await (await openSample({ url })).close();
    await client.connect();
    await client.query(`set search_path = ${postgres.quote(new URL(url).searchParams.get('schema') ?? '')};
      set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off`);
    const { many = '', values } = updateStatement(
      new Tables(sampleModel(), postgres),
      update('products', 'a', 1, { name: 'x' }),
      1,
      2,
    );
    const { rows } = await client.query<Record<'QUERY PLAN', string>>({
      text: `explain ${many}`,
      values: values.map((value) => [value, value]),
    });
    const plan = rows.map((each) => each['QUERY PLAN']).join('\n');
    assert.match(plan, /Index Scan using products_pkey/);
  });
});
