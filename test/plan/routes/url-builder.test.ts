import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { writeQuery } from '../../../src/conventions/url/query.ts';
import { parseTarget } from '../../../src/conventions/url/url.ts';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import type { Resource } from '../../../src/model/model.ts';
import { urlBuilder, type LinkBase } from '../../../src/plan/routes/url-builder.ts';
import { SHOP } from '../../pipeline/models/shop-model.ts';
import { runs } from '../../extent.ts';

const { model } = loadModel({ file: 'model.yaml', text: SHOP, env: {} });
const urls = urlBuilder(model);

function resource(name: string): Resource {
  return model.resources.get(name) ?? assert.fail(`the model has no ${name}`);
}

const PATH: LinkBase = { prefix: '/api/v1', parameters: [] };
const QUERY: LinkBase = { prefix: '/api', parameters: [['api_version', '1.4']] };
const ABSOLUTE: LinkBase = { prefix: 'https://api.example.com/api/v1', parameters: [] };
const ROOT: LinkBase = { prefix: '', parameters: [] };
/** Nearest first, as in a plan. */
const ABOVE = [
  { resource: 'reviews', id: 'r/1' },
  { resource: 'products', id: 'p 1' },
];

describe('urlBuilder', () => {
  const items: readonly (readonly [url: string, base: LinkBase, name: string, above: typeof ABOVE, id: string])[] = [
    ['/api/v1/notes/a', PATH, 'notes', [], 'a'],
    ['/api/notes/a?api_version=1.4', QUERY, 'notes', [], 'a'],
    ['https://api.example.com/api/v1/notes/a', ABSOLUTE, 'notes', [], 'a'],
    ['/notes/a', ROOT, 'notes', [], 'a'],
    ['/api/v1/order-items/1', PATH, 'order_items', [], '1'],
    ['/api/v1/notes/a%2Fb%40c%2Bd%23e%25f%20%C3%A9%3F', PATH, 'notes', [], 'a/b@c+d#e%f é?'],
    ['/api/v1/notes/%21%24%26%27%28%29%2A%2C%3B%3D%3A', PATH, 'notes', [], "!$&'()*,;=:"],
    ['/api/v1/products/p%201/reviews/r%2F1/comments/c', PATH, 'comments', ABOVE, 'c'],
  ];
  for (const [url, base, name, above, id] of items) {
    it(`[URL-1] of an item is ${url}`, () => assert.equal(urls.item(base, resource(name), above, id), url));
  }

  it('[URL-9] of a collection has its parameters first, encoded, then the version', () => {
    const parameters = [
      ['filter[limit]', 'a b'],
      ['status[in]', ['a', 'b,c']],
    ] as const;
    assert.equal(
      urls.collection(QUERY, resource('notes'), [], writeQuery(parameters)),
      '/api/notes?filter%5Blimit%5D=a%20b&status%5Bin%5D=a,b%2Cc&api_version=1.4',
    );
    assert.equal(urls.collection(PATH, resource('notes'), []), '/api/v1/notes');
    assert.equal(urls.collection(PATH, resource('comments'), ABOVE), '/api/v1/products/p%201/reviews/r%2F1/comments');
  });

  it('[URL-9] are canonical and contain every id losslessly', () => {
    const id = fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }).filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(id, id, (one, other) => {
        const url = urls.item(PATH, resource('reviews'), [{ resource: 'products', id: one }], other);
        assert.match(url, /^[A-Za-z0-9._~%/-]+$/);
        const { segments, redirect } = parseTarget(url, 8_192);
        assert.deepEqual([segments, redirect], [['api', 'v1', 'products', one, 'reviews', other], null]);
      }),
      { numRuns: runs(100, 10_000) },
    );
  });
});
