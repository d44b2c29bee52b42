import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { SeededRandom } from '../../../../store-suite/seeded-random.ts';
import { startOwnPostgres } from '../../../postgres-server.ts';
import { temporaryDirectory } from '../../../temporary-directory.ts';
import { killedHistory, killInstances } from './kill-rounds.ts';

const server = await startOwnPostgres();
after(() => server.stop());

/** Milliseconds. */
const KILLS = { duration: 20_000, interval: 1_000 };

describe('one of three instances on PostgreSQL is killed every second', () => {
  it('[OPS-4d] [EVT-3a] no acknowledged write is lost, and each event is delivered', {
    timeout: 180_000,
  }, async (context) => {
    const folder = temporaryDirectory(context);
    const killed = await killInstances({ folder, database: server.url('kills'), ...KILLS });
    assert.ok(killed.killed >= 6 && killed.writes > 20, JSON.stringify(killed));
  });

  it('[OPS-5] the histories of rows are linearizable', { timeout: 120_000 }, async (context) => {
    const options = {
      folder: temporaryDirectory(context),
      database: server.url('histories'),
      ...KILLS,
    };
    const history = await killedHistory(options, new SeededRandom(1));
    const { operations, overlapping, unknown } = history;
    assert.ok(operations > 60 && overlapping > operations / 2, JSON.stringify({ operations, overlapping, unknown }));
  });
});
