import { after, describe, it } from 'node:test';
import { startPostgres } from '../postgres-server.ts';
import { isWholeSuite } from '../extent.ts';
import { runHttpSuite, runTests } from './http-suite.ts';

/** It reads the bytes of a SQLite file. */
const OTHER_FILES = /^secrets-at-rest\.test\.ts$/;
/**
 * Files that the answers of a store decide, without those that `replicas.slow.test.ts` runs. `RESTWRIGHT_WHOLE_SUITE=1`
 * runs all files, for a quarter of an hour.
 */
const SLICE =
  /^(?:any-json|api-keys|batches|collections|concurrency|constraints|cursor-walks|delete|delivered-event-policies|dry-run|etags|event-log|event-policies|events|filters|generated|guide-filters|idempotency|ids|ids-below-parents|import|json-filters|json-patches|links|map-order|minimal|nested-trees|no-change|page-limits|patches|preconditions|reads|recorded-events|relation-filters|row-policy-sequences|search|shared-by-callers|states|techniques|to-many-references|tombstones|version-laws|versions|webhooks|write-times|writes)\.test\.ts$/;
/**
 * Claims about the file, its threads and prepared statements, and about answers within the tick of their request.
 * Claims about indexed texts of a megabyte: the indexes of PostgreSQL have no room for them.
 */
const OTHER_CLAIMS = String.raw`/in the tick of its request|in the order of their keys in the event log|where an older version wrote them in another|contains at most 16 MiB of them|counts the uses of prepared statements|leaves nothing once its tombstone has expired/`;

/** Tests of deliveries and of the feed, which a store decides too. */
const OF_EVENTS = [
  'test/events/described-events.test.ts',
  'test/events/feed/slow-reader.test.ts',
  'test/events/relays/relay-reader.test.ts',
  'test/events/relays/relay-rows.test.ts',
  ...['deliver', 'isolation', 'many-webhooks', 'removed-events', 'stored-columns', 'views'].map(
    (name) => `test/events/webhooks/${name}.test.ts`,
  ),
];

/** Milliseconds for one run of the suite, on two cores that other tests use too. */
const SUITE_TIMEOUT = 1_500_000;

const server = await startPostgres();
after(() => server.stop());

describe('the HTTP suite through PostgreSQL', () => {
  it('[OPS-4b] has the same answers', { timeout: SUITE_TIMEOUT }, async ({ signal }) => {
    const environment = { RESTWRIGHT_POSTGRES: server.url('api') };
    const includes = (file: string): boolean => (isWholeSuite ? !OTHER_FILES.test(file) : SLICE.test(file));
    await runHttpSuite(
      { way: 'postgres', environment, includes, otherClaims: OTHER_CLAIMS, signal },
      isWholeSuite ? 100 : 40,
    );
  });

  it('[OPS-4b] [EVT-6a] delivers the same events', { timeout: SUITE_TIMEOUT }, async ({ signal }) => {
    const environment = { RESTWRIGHT_POSTGRES: server.url('events') };
    await runTests({ way: 'postgres-events', environment, otherClaims: null, signal }, OF_EVENTS);
  });
});
