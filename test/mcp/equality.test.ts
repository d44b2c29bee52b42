import { describe, it } from 'node:test';
import { runs } from '../extent.ts';
import { EDITIONS } from './support/agent-api.ts';
import { checkRandomCalls } from './support/random-calls.ts';
import { checkRandomWrites } from './support/random-writes.ts';

describe('random calls of tools', () => {
  for (const edition of EDITIONS) {
    it(`[OPS-8a] have the data and the errors of the same requests of HTTP in ${edition}`, () =>
      checkRandomCalls(edition, runs(100, 1_000)));

    // Each has 25 writes or fewer: 2,000 in all.
    it(`[OPS-8a, OPS-8b] write what the same requests write to a copy of the database in ${edition}`, () =>
      checkRandomWrites(edition, runs(3, 40)));
  }
});
