import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HEADER_LIMITS } from '../../../src/conventions/headers/header-check.ts';
import { rawRequest, apiUnderTest } from '../support/api-under-test.ts';
import { SHOP } from '../models/shop-model.ts';

/** Makes header lines with a total number of bytes, including `: ` and line ends; the first is Host. */
function makeHeaders(bytes: number): readonly string[] {
  const host = ['Host', 'localhost'];
  const overhead = 'Host: localhost\r\n'.length + 'X-Large: \r\n'.length;
  return [...host, 'X-Large', 'x'.repeat(bytes - overhead)];
}

describe('receive', () => {
  const sizes: readonly (readonly [what: string, headers: readonly string[], status: number])[] = [
    ['16 KiB of header', makeHeaders(HEADER_LIMITS.headers), 200],
    ['16 KiB of header and a byte', makeHeaders(HEADER_LIMITS.headers + 1), 431],
    ['100 lines', ['Host', 'localhost', ...Array.from({ length: 99 }, () => ['X', '1']).flat()], 200],
    ['101 lines', ['Host', 'localhost', ...Array.from({ length: 100 }, () => ['X', '1']).flat()], 431],
  ];
  for (const [what, headers, status] of sizes) {
    it(`[URL-8] returns ${status} for ${what}`, async () => {
      await using shop = await apiUnderTest(SHOP);
      const answer = await shop.api.handle({ ...rawRequest({ send: 'GET /api/v1/notes' }), headers });
      assert.equal(answer.status, status);
    });
  }

  const twice: readonly (readonly [name: string, value: string, code: string])[] = [
    ['Host', 'localhost', 'REQUEST_HEADER_INVALID'],
    ['Content-Type', 'application/json', 'REQUEST_HEADER_INVALID'],
    ['Authorization', 'Bearer x', 'AUTH_REQUEST_INVALID'],
    ['Content-Length', '2', 'REQUEST_MALFORMED'],
    ['Transfer-Encoding', 'chunked', 'REQUEST_MALFORMED'],
  ];
  for (const [name, value, code] of twice) {
    it(`[URL-8] rejects two lines of ${name}`, async () => {
      await using shop = await apiUnderTest(SHOP);
      const headers = { [name]: value, [name.toLowerCase()]: value };
      await shop.row({ send: 'GET /api/v1/notes', headers, status: 400, has: { errorCode: code } });
    });
  }

  const methods: readonly (readonly [method: string, status: number])[] = [
    ['get', 501],
    ['Get', 501],
    ['GETX', 501],
    ['BREW', 501],
    ['TRACE', 405],
    ['CONNECT', 405],
    ['PROPFIND', 405],
    ['PATCH', 405],
    ['OPTIONS', 204],
  ];
  for (const [method, status] of methods) {
    it(`[MET-6] returns ${status} for the method ${method}, with Allow if the target has others`, async () => {
      await using shop = await apiUnderTest(SHOP);
      const allowed = method === 'CONNECT' ? /^GET, / : 'GET, HEAD, QUERY, POST, OPTIONS';
      const expectHeaders = { Allow: status === 501 ? null : allowed };
      await shop.row({ send: `${method} /api/v1/notes`, status, expectHeaders });
    });
  }

  it('[ERR-1] never returns 500 for any request line and header fields', async () => {
    await using shop = await apiUnderTest(SHOP);
    const odd = ['', ' ', '\u{0}', '\u{FF}', '"', ',', ';', '=', 'a'.repeat(300), '%', '*', '-1', '1e999', '\t'];
    const fields = `Accept Content-Type Content-Encoding If-Match If-None-Match If-Modified-Since If-Unmodified-Since
      Prefer API-Version traceparent X-Correlation-ID Expect Host Content-Length Transfer-Encoding Range Origin`;
    for (const name of fields.split(/\s+/)) {
      for (const value of odd) {
        for (const send of ['GET /api/notes/a', 'PUT /api/notes/a', `DELETE /api/notes/${encodeURIComponent(value)}`]) {
          const { status } = await shop.send({ send, headers: { [name]: value }, body: { text: value.slice(0, 2) } });
          assert.ok(status < 500, `${status} for ${send} with ${name}: ${value}`);
        }
      }
    }
  });
});
