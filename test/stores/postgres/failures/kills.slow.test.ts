import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { SeededRandom } from '../../../../store-suite/seeded-random.ts';
import { startReplicated } from '../../../postgres-server.ts';
import { temporaryDirectory } from '../../../temporary-directory.ts';
import { killedHistory, killInstances } from './kill-rounds.ts';

/** The second replica is always behind, for less than a read waits for it. */
const { primary, replicas } = await startReplicated([], [[], ['recovery_min_apply_delay=10ms']]);
after(() => Promise.all([...replicas, primary].map((each) => each.stop())));

const servers = (schema: string) => ({
  database: primary.url(schema),
  replicas: replicas.map(({ url }) => url(schema)),
});

/** Milliseconds. */
const KILLS = { duration: 20_000, interval: 1_000 };

describe('one of three instances on PostgreSQL with two replicas is killed every second', () => {
  it('[OPS-4d] [EVT-3a] no acknowledged write is lost, and each event is delivered', {
    timeout: 180_000,
  }, async (context) => {
    const folder = temporaryDirectory(context);
    const killed = await killInstances({ folder, ...servers('kills'), ...KILLS });
    assert.ok(killed.killed >= 6 && killed.writes > 20, JSON.stringify(killed));
  });

  it('[OPS-5] the histories of rows are linearizable', { timeout: 120_000 }, async (context) => {
    const options = {
      folder: temporaryDirectory(context),
      ...servers('histories'),
      ...KILLS,
    };
    const history = await killedHistory(options, new SeededRandom(1));
    const { operations, overlapping, unknown } = history;
    assert.ok(operations > 60 && overlapping > operations / 2, JSON.stringify({ operations, overlapping, unknown }));
  });
});
