import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { SeededRandom } from '../../../../store-suite/seeded-random.ts';
import { startOwnPostgres } from '../../../postgres-server.ts';
import { stopRounds } from './stop-rounds.ts';

const server = await startOwnPostgres();
after(() => server.stop());

describe('a server of PostgreSQL that is stopped at once, under load', () => {
  it('[OPS-4c] [EVT-3b] loses no acknowledged write and no event, and is used again within 2 s', async () => {
    const { writes, events } = await stopRounds(server, 'stops', { rounds: 5, random: new SeededRandom(1) });
    assert.ok(writes > 50 && events >= writes, `${writes} writes, ${events} events`);
  });
});
