import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CachedPage, createPageCache } from '../../../src/operations/read/page-cache.ts';

describe('the page cache', () => {
  it('[LIM-1] evicts pages above its bound, also pages without a body', () => {
    const pages = createPageCache();
    const href = `/api/v1/notes?${'x'.repeat(2_000)}`;
    const etagOf = (index: number): string => `"${index}"`;
    for (let index = 0; index < 10_000; index += 1) {
      const page: CachedPage = { body: '', links: [{ rel: 'self', href }], metadata: [] };
      pages.set(etagOf(index), page);
      pages.set(etagOf(index), page);
    }
    const left = Array.from({ length: 10_000 }, (_, index) => pages.get(etagOf(index))).filter(
      (page) => page !== undefined,
    );
    assert.ok(left.length < 5_000, `${left.length} of pages with links of 2,000 characters`);
    assert.notEqual(left.length, 0);
  });
});
