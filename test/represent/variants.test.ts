import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apiUnderTest } from '../pipeline/support/api-under-test.ts';
import { SHOP } from '../pipeline/models/shop-model.ts';

const ACCEPT: readonly string[] = ['application/json', 'application/xml', 'text/plain'];
const PATHS: readonly string[] = [
  '/api/v1',
  '/api',
  '/api?api_version=1',
  '/api?api_version=1.4',
  '/api?api_version=1.4.2',
];
const CODINGS: readonly string[] = ['identity', 'br', 'gzip', 'zstd'];

describe('a variant', () => {
  it('[CACHE-1] [NEG-7] has an ETag of its own: by media type, version carrier and content coding', async () => {
    await using shop = await apiUnderTest(SHOP);
    // Long enough to be compressed: a shorter body has the same bytes in every coding.
    await shop.send({ send: 'PUT /api/v1/notes/a', body: { text: 'x'.repeat(2_000) } });
    const etags = new Set<string>();
    for (const path of PATHS) {
      const [base = '', query] = path.split('?');
      const target = [`${base}/notes/a`, ...(query === undefined ? [] : [query])].join('?');
      for (const accept of ACCEPT) {
        for (const coding of CODINGS) {
          const { status, headers } = await shop.send({
            send: `GET ${target}`,
            headers: { Accept: accept, 'Accept-Encoding': coding },
          });
          assert.equal(status, 200, target);
          etags.add(headers.get('etag') ?? '');
        }
      }
    }
    assert.equal(etags.size, PATHS.length * ACCEPT.length * CODINGS.length);
  });

  it('[CACHE-1] is one however the request names it', async () => {
    await using shop = await apiUnderTest(SHOP);
    await shop.send({ send: 'PUT /api/v1/notes/a', body: {} });
    const etag = async (headers: Record<string, string>): Promise<string | undefined> =>
      (await shop.send({ send: 'GET /api/notes/a', headers })).headers.get('etag');
    const plain = await etag({});
    assert.equal(await etag({ 'API-Version': '1' }), plain);
    assert.equal(await etag({ 'API-Version': '1.4', Accept: 'application/json' }), plain);
  });
});
