import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import pg from 'pg';
import { createApi } from '../../../../src/api.ts';
import { manyTables } from '../../many-tables.ts';
import { newSchema, openSample } from '../open-postgres.ts';

/** The statements of a start on a schema that an earlier start created. */
async function statementsOfSecondStart(context: TestContext, tables: number): Promise<number> {
  const model = manyTables(tables);
  const url = newSchema();
  await (await openSample({ url }, model)).close();
  const { mock } = context.mock.method(pg.Client.prototype, 'query');
  const store = await openSample({ url }, model);
  await createApi({ model, store, clock: { now: () => 1 } });
  const statements = mock.callCount();
  mock.restore();
  await store.close();
  return statements;
}

describe('a start on PostgreSQL', () => {
  it('runs as many statements for 20 tables of rows as for 2', async (context) => {
    const few = await statementsOfSecondStart(context, 2);
    assert.ok(few > 5, `${few} statements were counted`);
    const many = await statementsOfSecondStart(context, 20);
    // A session may ask for its state once more where the machine is slow.
    assert.ok(many <= few + 2, `${many} statements in place of ${few}`);
  });
});
