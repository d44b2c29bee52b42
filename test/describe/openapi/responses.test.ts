import { describe, it } from 'node:test';
import { runHttpSuite } from '../../package/http-suite.ts';

describe('a part of the HTTP suite', () => {
  it('[OPS-1a] has no response that the description of its version lacks', async ({ signal }) => {
    const environment = { RESTWRIGHT_DESCRIBED: '1' };
    const includes = (file: string): boolean => /^(?:reads|writes|batches|expand)\.test\.ts$/.test(file);
    await runHttpSuite({ way: 'part-described', environment, includes, otherClaims: null, signal }, 4);
  });
});
