import { describe, it } from 'node:test';
import { runHttpSuite } from '../../package/http-suite.ts';

/** Milliseconds for one run of the suite, on two cores that other tests use too. */
const SUITE_TIMEOUT = 900_000;

describe('the HTTP suite', () => {
  it('[OPS-1a] has no response that the description of its version lacks: status, header fields, media type, body', {
    timeout: SUITE_TIMEOUT,
  }, async ({ signal }) => {
    const environment = { RESTWRIGHT_DESCRIBED: '1' };
    await runHttpSuite({ environment, includes: () => true, otherClaims: null, signal }, 100);
  });
});
