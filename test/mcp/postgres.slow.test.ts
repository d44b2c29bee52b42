import { describe, it } from 'node:test';
import { newSchema } from '../stores/postgres/open-postgres.ts';
import { EDITIONS } from './support/agent-api.ts';
import { checkRandomCalls } from './support/random-calls.ts';
import { checkRandomWrites } from './support/random-writes.ts';

describe('random calls of tools on PostgreSQL', () => {
  for (const edition of EDITIONS) {
    it(`[OPS-8a, OPS-4b] have the data and the errors of the same requests of HTTP in ${edition}`, () =>
      checkRandomCalls(edition, 300, { database: newSchema() }));

    it(`[OPS-8b, OPS-4b] write what the same requests write to a copy of the database in ${edition}`, () =>
      checkRandomWrites(edition, 8, () => ({ database: newSchema() })));
  }
});
