import { after, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { startReplicated } from '../postgres-server.ts';
import { isWholeSuite } from '../extent.ts';
import { runHttpSuite } from './http-suite.ts';

/** Files about pages, and what stands in them. `RESTWRIGHT_WHOLE_SUITE=1` runs the others, too. */
const PAGES = /^(?:cursors|expand|ndjson|query-method|row-policies|totals)\.test\.ts$/;
const MORE_PAGES =
  /^(?:collections|cursor-walks|etags|filters|links|nested-trees|page-limits|reads|relation-filters|row-policy-sequences|search|shared-by-callers|techniques|to-many-references|versions)\.test\.ts$/;
/** Claims that watch or stop the reads of the primary. */
const OTHER_CLAIMS = String.raw`/in the tick of its request|costs one query per relation|is written to while it is read/`;

/** Milliseconds for the run, on two cores that other tests use too. */
const SUITE_TIMEOUT = 900_000;

const { primary, replicas } = await startReplicated([], [[]]);
const [replica = assert.fail()] = replicas;
after(async () => {
  await replica.stop();
  await primary.stop();
});

describe('the HTTP suite with a replica of PostgreSQL', () => {
  it('[OPS-4b] [OPS-5] has the same pages', { timeout: SUITE_TIMEOUT }, async ({ signal }) => {
    const environment = {
      RESTWRIGHT_POSTGRES: primary.url('api'),
      RESTWRIGHT_REPLICA_OF_TESTS: replica.url('api'),
    };
    const includes = (file: string): boolean => PAGES.test(file) || (isWholeSuite && MORE_PAGES.test(file));
    await runHttpSuite({ way: 'replicas', environment, includes, otherClaims: OTHER_CLAIMS, signal }, 6);
  });
});
