import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CacheControlOptions, cacheControl, isShared } from '../../src/conventions/cache-control.ts';

describe('cacheControl', () => {
  const shared = { maxAge: 3600, scope: 'public' } as const;
  const own = { maxAge: 60, scope: 'private' } as const;
  const rows: readonly (readonly [
    cache: CacheControlOptions['cache'],
    credentials: boolean,
    sameForEveryCaller: boolean,
    value: string,
  ])[] = [
    [null, false, true, 'no-cache'],
    [null, false, false, 'no-cache'],
    [null, true, true, 'private, no-cache'],
    [null, true, false, 'private, no-cache'],
    [shared, false, true, 'public, max-age=3600'],
    [shared, true, true, 'public, max-age=3600'],
    [shared, false, false, 'private, max-age=3600'],
    [shared, true, false, 'private, max-age=3600'],
    [own, false, true, 'private, max-age=60'],
    [own, true, false, 'private, max-age=60'],
  ];
  for (const [cache, credentials, sameForEveryCaller, value] of rows) {
    it(`[CACHE-5] is ${value} for ${JSON.stringify({ cache, credentials, sameForEveryCaller })}`, () => {
      const cacheability = { cache, credentials, sameForEveryCaller };
      assert.equal(cacheControl(cacheability), value);
      assert.equal(isShared(cacheability), value.startsWith('public'));
    });
  }
});
