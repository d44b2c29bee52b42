import { describe, it } from 'node:test';
import { ANONYMOUS_FILES, runHttpSuite } from '../../package/http-suite.ts';
import { isWholeSuite } from '../../extent.ts';

const ALWAYS = /^(?:reads|writes|batches|expand)\.test\.ts$/;

/** Milliseconds for one run of the suite, on two cores that other tests use too. */
const SUITE_TIMEOUT = 900_000;

describe('the HTTP suite', () => {
  it('[OPS-1a] has no response that the description of its version lacks: status, header fields, media type, body', {
    timeout: SUITE_TIMEOUT,
  }, async ({ signal }) => {
    const environment = { RESTWRIGHT_DESCRIBED: '1' };
    // The run with authentication compares the responses of all other files.
    const includes = (file: string): boolean => isWholeSuite || ALWAYS.test(file) || ANONYMOUS_FILES.test(file);
    await runHttpSuite({ way: 'described', environment, includes, otherClaims: null, signal }, 15);
  });
});
