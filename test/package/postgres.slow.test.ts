import process from 'node:process';
import { after, describe, it } from 'node:test';
import { startPostgres } from '../postgres-server.ts';
import { runHttpSuite } from './http-suite.ts';

/** It reads the bytes of a SQLite file. */
const OTHER_FILES = /^secrets-at-rest\.test\.ts$/;
/** What the answers of a store decide. `RESTWRIGHT_WHOLE_SUITE=1` runs all files, which takes a quarter of an hour. */
const SLICE =
  /^(?:api-keys|batches|collections|concurrency|cursors|delete|dry-run|etags|event-log|events|expand|filters|generated|guide-filters|idempotency|ids|ids-below-parents|import|links|map-order|minimal|ndjson|nested-trees|no-change|page-limits|patches|preconditions|query-method|reads|relation-filters|row-policies|search|shared-by-callers|techniques|to-many-references|tombstones|totals|versions|write-times|writes)\.test\.ts$/;
const IS_WHOLE = process.env['RESTWRIGHT_WHOLE_SUITE'] !== undefined;
/** Claims about the file, its threads and prepared statements, about answers within the tick of their request, and about indexed texts of a megabyte, for which the indexes of PostgreSQL have no room. */
const OTHER_CLAIMS = String.raw`/in the tick of its request|in the order of their keys in the event log|where an older version wrote them in another|contains at most 16 MiB of them|counts the uses of prepared statements|leaves nothing once its tombstone has expired/`;

/** Milliseconds for one run of the suite, on two cores that other tests use too. */
const SUITE_TIMEOUT = 1_500_000;

const server = await startPostgres();
after(() => server.stop());

describe('the HTTP suite through PostgreSQL', () => {
  it('[OPS-4b] has the same answers', { timeout: SUITE_TIMEOUT }, async ({ signal }) => {
    const environment = { RESTWRIGHT_POSTGRES: server.url('api') };
    const includes = (file: string): boolean => (IS_WHOLE ? !OTHER_FILES.test(file) : SLICE.test(file));
    await runHttpSuite({ environment, includes, otherClaims: OTHER_CLAIMS, signal }, IS_WHOLE ? 100 : 40);
  });
});
