import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import pg from 'pg';
import { createApi } from '../../../../src/api.ts';
import { manyTables } from '../../many-tables.ts';
import { newSchema, openSample } from '../open-postgres.ts';

/** The statement of a session for its server, once for each session that is opened: that depends on their times. */
const SESSION_STATE = /pg_is_in_recovery/;

/** The statements of a start on a schema that an earlier start created, without those of its sessions. */
async function statementsOfSecondStart(context: TestContext, tables: number): Promise<number> {
  const model = manyTables(tables);
  const url = newSchema();
  await (await openSample({ url }, model)).close();
  const { mock } = context.mock.method(pg.Client.prototype, 'query');
  const store = await openSample({ url }, model);
  await createApi({ model, store, clock: { now: () => 1 } });
  const statements = mock.calls.filter(({ arguments: [query] }) => !SESSION_STATE.test(writeText(query))).length;
  mock.restore();
  await store.close();
  return statements;
}

function writeText(query: unknown): string {
  return typeof query === 'string' ? query : String(Object(query).text);
}

describe('a start on PostgreSQL', () => {
  it('runs as many statements for 20 tables of rows as for 2', async (context) => {
    const few = await statementsOfSecondStart(context, 2);
    assert.ok(few > 5, `${few} statements were counted`);
    const many = await statementsOfSecondStart(context, 20);
    assert.equal(many, few);
  });
});
