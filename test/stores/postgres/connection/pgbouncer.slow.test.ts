import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openPostgres } from '../../../../src/stores/postgres/postgres-store.ts';
import { UnusableDatabase } from '../../../../src/stores/sql/schema/schema-errors.ts';
import { sampleModel } from '../../../../store-suite/sample-model.ts';
import { eventSuite } from '../../../../store-suite/event-suite.ts';
import { refusalSuite } from '../../../../store-suite/refusal-suite.ts';
import { writeSuite } from '../../../../store-suite/write-suite.ts';
import { skipWithout } from '../../../installed-programs.ts';
import { type ControlledPostgres, startOwnPostgres } from '../../../postgres-server.ts';
import { startPgBouncer, type TestPooler } from './pgbouncer.ts';

const skip = skipWithout('pgbouncer');

describe('PgBouncer in front of PostgreSQL', { skip }, () => {
  let server: ControlledPostgres;
  let pooler: TestPooler;
  let dropping: TestPooler;
  before(async () => {
    server = await startOwnPostgres();
    pooler = await startPgBouncer(server.url('x'));
    dropping = await startPgBouncer(server.url('x'), 'options');
  });
  after(async () => {
    await pooler.stop();
    await dropping.stop();
    await server.stop();
  });

  const refusal = async (url: string): Promise<string> => {
    try {
      await (await openPostgres({ url, model: sampleModel() })).close();
    } catch (error) {
      if (error instanceof UnusableDatabase) return error.message;
      throw error;
    }
    return assert.fail(`${url} was opened`);
  };

  it('[OPS-4b] is refused at the start unless the URL names it, with what to do', async () => {
    const advice =
      /A pooler, such as PgBouncer, is in front of the server\. Connect to the server itself, or add pooler=session to the URL where the pooler has pool_mode=session\.$/;
    for (const mode of ['session', 'transaction'] as const) {
      assert.match(await refusal(pooler.url(mode, {})), advice);
      assert.match(await refusal(dropping.url(mode, {})), advice);
    }
  });

  it('[OPS-4b] is refused where it pools transactions, and leaves no settings in its sessions', async () => {
    const url = pooler.url('transaction', { pooler: 'session', schema: 'refused' });
    const message =
      /The pooler shares its sessions between connections, .* Set pool_mode=session, or connect to the server itself\.\.?$/;
    assert.match(await refusal(url), message);
    assert.match(await refusal(url), message);
  });

  const open: Parameters<typeof writeSuite>[1] = (model) => {
    opened += 1;
    const url = pooler.url('session', { pooler: 'session', schema: `pooled_${opened}` });
    const random = { hex: (bytes: number) => '5a'.repeat(bytes) };
    return openPostgres({ url, model, clock: { now: () => 1 }, random });
  };
  let opened = 0;

  for (const suite of [writeSuite, refusalSuite, eventSuite]) suite('PgBouncer that pools sessions', open);
});
