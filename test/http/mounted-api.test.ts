import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { owns } from '../../src/http/mounted-api.ts';
import { type ApiUnderTest, apiUnderTest, rawRequest } from '../pipeline/support/api-under-test.ts';
import { SHOP } from '../pipeline/models/shop-model.ts';
import { limits } from './fake-server.ts';

/** True if a target belongs to an API below a base path. */
function takes(basePath: string, target: string): boolean {
  const response = { status: 200, headers: [], body: null };
  return owns({ handle: () => response, refuse: () => response, model: { basePath, limits } }, target);
}

const OWN = [
  '/api',
  '/api/',
  '/api?x=/y',
  '/api/v1/notes',
  '/api/v1/notes?x',
  '//api/v1/notes',
  '/api//v1/notes',
  '/%61pi/v1/notes',
  'http://localhost/api/v1/notes',
  'HTTPS://localhost:1//%61pi',
  '/livez',
  '/readyz?verbose',
  '//livez',
  '/%6civez',
];
const FOREIGN = [
  '/',
  '/apis',
  '/API',
  '/v1/api',
  '/x/../api',
  '/api%2Fv1',
  '/livez/more',
  '/?/api',
  '/#/api',
  '*',
  'http://api/',
  'http://localhost?/api',
];

let shop: ApiUnderTest;
before(async () => {
  shop = await apiUnderTest(SHOP);
});
after(() => shop.close());

describe('owns', () => {
  for (const target of OWN) {
    it(`[URL-1] includes the base path and the health checks: ${target}`, async () => {
      assert.equal(takes('/api', target), true);
      const { status } = await shop.api.handle(rawRequest({ send: `GET ${target}` }));
      assert.notEqual(status, 404);
    });
  }

  for (const target of ['/api/%zz', '/%61pi/%zz', '/api/v1/a b', 'http://localhost/api/%ff', '/api/<']) {
    it(`[URL-4] includes malformed targets below the base path: ${target}`, () =>
      assert.equal(takes('/api', target), true));
  }

  for (const target of FOREIGN) {
    it(`excludes everything else: ${target}`, async () => {
      assert.equal(takes('/api', target), false);
      const { status } = await shop.api.handle(rawRequest({ send: `GET ${target}` }));
      // The whole origin belongs to our own server: there / leads to the API (NEG-1).
      assert.ok([308, 400, 404].includes(status), `the status is ${status}`);
    });
  }

  it('includes everything where the base path is the root', () => {
    for (const target of ['/', '/x', '*', ...OWN, ...FOREIGN]) assert.equal(takes('', target), true, target);
  });

  it('compares every segment of a longer base path', () => {
    assert.deepEqual(
      ['/my/api', '/my//api/v1', '/my', '/my/apis', '/api'].map((target) => takes('/my/api', target)),
      [true, true, false, false, false],
    );
  });
});
