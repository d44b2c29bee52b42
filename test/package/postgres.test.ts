import { after, describe, it } from 'node:test';
import { startPostgres } from '../postgres-server.ts';
import { runHttpSuite } from './http-suite.ts';

/** Those of reads, writes and errors that take the least time. */
const SLICE = new Set(['json-patches.test.ts', 'states.test.ts', 'constraints.test.ts']);

const server = await startPostgres();
after(() => server.stop());

describe('a part of the HTTP suite through PostgreSQL', () => {
  it('[OPS-4b] has the same answers', async ({ signal }) => {
    const environment = { RESTWRIGHT_POSTGRES: server.url('api') };
    const includes = (file: string): boolean => SLICE.has(file);
    await runHttpSuite({ way: 'part-postgres', environment, includes, otherClaims: null, signal }, SLICE.size);
  });
});
