import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { sixProducts } from '../models/market-model.ts';
import { parseIds } from '../models/shop-model.ts';

/** The filters that the guide shows below a heading of level 3, in its table. */
async function shown(heading: string): Promise<readonly string[]> {
  const guide = path.join(import.meta.dirname, '..', '..', '..', 'docs', 'guides', 'collections.md');
  const [, section = ''] = (await readFile(guide, 'utf8')).split(`### ${heading}\n`);
  const [own = ''] = section.split(/^##/m);
  return [...own.matchAll(/^\| `([^`]+)` \|/gm)].map(([, filter = '']) => filter);
}

const FOUND: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'By related resources': {
    'supplier.country=NO': 'p1 p2',
    'supplier.country[in]=NO,SE&status=ACTIVE': 'p1',
    'supplier.address.city[starts_with]=Os': 'p1 p2',
    'reviews.stars[gte]=4': 'p1',
    'reviews.id[exists]=true': 'p1 p2',
    'reviews.author=ann&reviews.stars[lt]=4': 'p2',
    'supplier.country[ne]=NO': 'p3 p4 p5 p6',
    'supplier.country[ne]=NO&supplier_id[exists]=true': 'p3 p4',
  },
  Alternatives: {
    'any[1][status]=ACTIVE&any[2][price][lt]=5&category=books': 'p1 p5',
    'any[1][status]=ACTIVE&any[1][price][gt]=5&any[2][supplier.country]=SE': 'p3 p4',
    'any[1][reviews.stars]=5&any[2][reviews.stars]=1': 'p1',
  },
};

describe('the guide to collections', () => {
  for (const [heading, found] of Object.entries(FOUND)) {
    it(`[QRY-1] shows filters that find what it says: ${heading}`, async () => {
      assert.deepEqual(await shown(heading), Object.keys(found));
      await using market = await sixProducts();
      for (const [filter, ids] of Object.entries(found)) {
        const page = await market.row({ send: `GET /api/v1/products?${filter}`, status: 200 });
        assert.equal(parseIds(page).toSorted().join(' '), ids, filter);
      }
    });
  }
});
