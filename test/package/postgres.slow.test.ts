import { after, describe, it } from 'node:test';
import { startPostgres } from '../postgres-server.ts';
import { runHttpSuite } from './http-suite.ts';

/** They read the bytes of a SQLite file. */
const OTHER_FILES = /^secrets-at-rest\.test\.ts$/;
/** Claims about the file, its threads and prepared statements, about answers within the tick of their request, and about indexed texts of a megabyte, for which the indexes of PostgreSQL have no room. */
const OTHER_CLAIMS = String.raw`/in the tick of its request|in the order of their keys in the event log|where an older version wrote them in another|contains at most 16 MiB of them|counts the uses of prepared statements|leaves nothing once its tombstone has expired/`;

/** Milliseconds for one run of the suite, on two cores that other tests use too. */
const SUITE_TIMEOUT = 900_000;

const server = await startPostgres();
after(() => server.stop());

describe('the HTTP suite through PostgreSQL', () => {
  it('[OPS-4b] has the same answers', { timeout: SUITE_TIMEOUT }, async ({ signal }) => {
    const environment = { RESTWRIGHT_POSTGRES: server.url('api') };
    const includes = (file: string): boolean => !OTHER_FILES.test(file);
    await runHttpSuite({ environment, includes, otherClaims: OTHER_CLAIMS, signal }, 100);
  });
});
