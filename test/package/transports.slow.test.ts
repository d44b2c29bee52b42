import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { mounts } from '../pipeline/support/transports.ts';
import { fnv1a } from '../../src/cache/fnv1a.ts';
import { isWholeSuite } from '../extent.ts';
import { runHttpSuite } from './http-suite.ts';

/**
 * Files that a transport decides: those about reading and writing messages. They run through all transports, and a
 * third of the other files through the one that their names select. `RESTWRIGHT_WHOLE_SUITE=1` runs all through all.
 */
const OF_MESSAGES =
  /^(?:batches|bodies|cache-control|compression|cors|error-formats|errors|etags-of-codings|failures|formats-in|formats-out|gateway|hostile-bodies|import|large-pages|methods|minimal|ndjson|negotiation|origins|parameters|precondition-order|query-method|reading-methods|receive|root-page|served-from-cache|stage-order|trace-channels|trusted-proxies|unreachable-ids|urls)\.test\.ts$/;

/** The share of the other files is one in so many. */
const SPARED = 3;

/** The share of requests that must use the transport: others call the API directly. `listener` has 0.876 of them. */
const LEAST = 0.86;

/** Milliseconds for one run of the suite, on two cores that other tests use too. */
const SUITE_TIMEOUT = 900_000;

interface Count {
  readonly carried: number;
  readonly spared: number;
}

describe('the HTTP suite', () => {
  for (const [mount, transport] of mounts.entries()) {
    it(`passes through ${transport}`, { timeout: SUITE_TIMEOUT }, async ({ signal }) => {
      const folder = mkdtempSync(path.join(tmpdir(), 'restwright-'));
      const report = path.join(folder, 'counts');
      try {
        const environment = { RESTWRIGHT_TRANSPORT: transport, RESTWRIGHT_TRANSPORT_REPORT: report };
        const includes = (file: string): boolean =>
          isWholeSuite || OF_MESSAGES.test(file) || (fnv1a(file) >>> 0) % (SPARED * mounts.length) === mount;
        await runHttpSuite({ way: transport, environment, includes, otherClaims: null, signal }, 35);
        const counts = readFileSync(report, 'utf8')
          .trim()
          .split('\n')
          .map((line): Count => JSON.parse(line));
        const carried = counts.reduce((sum, count) => sum + count.carried, 0);
        const spared = counts.reduce((sum, count) => sum + count.spared, 0);
        assert.ok(
          carried > 1_000 && carried / (carried + spared) > LEAST,
          `${carried} of ${carried + spared} requests`,
        );
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
  }
});
