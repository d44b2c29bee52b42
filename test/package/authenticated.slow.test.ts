import { describe, it } from 'node:test';
import { ANONYMOUS_FILES, runHttpSuite } from './http-suite.ts';

/**
 * Claims about the anonymous caller, about its `Host`, about `Vary`, and about the size of header fields, of which the
 * token is one more.
 */
const OTHER_CLAIMS = String.raw`/\[AUTH-7\]|\[NEG-3a\]|\[CACHE-5\]|\[EVT-2\]|evil\.example|Host of GET|must not repeat|with the injected clock|gets the caller|observed with who used it|two are sent concurrently|for \/, with a hint|response to GET \/$|200 for 1/`;

/** Milliseconds for one run of the suite, on two cores that other tests use too. */
const SUITE_TIMEOUT = 900_000;

describe('the HTTP suite with authentication', () => {
  it('[AUTH-1a] has the same answers for a caller that may do everything, but for Vary, Cache-Control and ETags', {
    timeout: SUITE_TIMEOUT,
  }, async ({ signal }) => {
    // Each response is compared with the description, too. `responses.slow.test.ts` does so for the other files.
    const environment = { RESTWRIGHT_AUTHENTICATED: '1', RESTWRIGHT_DESCRIBED: '1' };
    const includes = (file: string): boolean => !ANONYMOUS_FILES.test(file);
    await runHttpSuite({ way: 'authenticated', environment, includes, otherClaims: OTHER_CLAIMS, signal }, 50);
  });
});
