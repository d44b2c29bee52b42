import { describe, it } from 'node:test';
import { runHttpSuite } from './http-suite.ts';

/** Those of reads, writes and errors that take the least time. */
const SLICE = new Set(['fields.test.ts', 'filters.test.ts', 'json-patches.test.ts', 'states.test.ts']);

describe('a part of the HTTP suite through an older contract in which everything has another name', () => {
  it('[VER-5a] [VER-5b] has the same answers', async ({ signal }) => {
    const environment = { RESTWRIGHT_OLDER_CONTRACT: '1' };
    const includes = (file: string): boolean => SLICE.has(file);
    const otherClaims = '/are the only columns|is optional and null is as if omitted/';
    await runHttpSuite({ way: 'part-older-contract', environment, includes, otherClaims, signal }, SLICE.size);
  });
});
