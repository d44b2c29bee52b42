import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CacheControlOptions, cacheControl, isShared } from '../../../src/conventions/headers/cache-control.ts';

describe('cacheControl', () => {
  const shared = { maxAge: 3600, scope: 'public' } as const;
  const own = { maxAge: 60, scope: 'private' } as const;
  const rows: readonly (readonly [cache: CacheControlOptions['cache'], credentials: boolean, value: string])[] = [
    [null, false, 'no-cache'],
    [null, true, 'private, no-cache'],
    [shared, false, 'public, max-age=3600'],
    [shared, true, 'public, max-age=3600'],
    [own, false, 'private, max-age=60'],
    [own, true, 'private, max-age=60'],
  ];
  for (const [cache, credentials, value] of rows) {
    it(`[CACHE-5] is ${value} for ${JSON.stringify({ cache, credentials })}`, () => {
      assert.equal(cacheControl({ cache, credentials }), value);
      assert.equal(isShared(cache), value.startsWith('public'));
    });
  }
});
