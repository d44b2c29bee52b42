import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SeededRandom } from '../../store-suite/seeded-random.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { killRounds } from './kill-rounds.ts';

describe('a process that is killed while it writes and delivers', () => {
  it('[EVT-1][EVT-3a] loses no event, and delivers none without its change', async (context) => {
    const { events } = await killRounds(temporaryDirectory(context), { rounds: 3 }, new SeededRandom(1));
    assert.ok(events > 0);
  });
});
