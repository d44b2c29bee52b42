import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SeededRandom } from '../../store-suite/seeded-random.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { killRounds } from './kill-rounds.ts';

describe('a process that is killed up to 25 times, in 25 s, while it writes and delivers', () => {
  it('[EVT-1][EVT-3a] loses no event, and delivers none without its change', { timeout: 180_000 }, async (context) => {
    const limits = { rounds: 25, duration: 25_000 };
    const { rounds, events } = await killRounds(temporaryDirectory(context), limits, new SeededRandom(2));
    assert.ok(rounds >= 10 && events > 0, `${rounds} rounds, ${events} events`);
  });
});
