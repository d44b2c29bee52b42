import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { bufferedBody } from '../../../src/exchange/handler.ts';
import { type ApiUnderTest, apiUnderTest, rawRequest } from '../support/api-under-test.ts';
import { create, SHOP } from '../models/shop-model.ts';

let shop: ApiUnderTest;
before(async () => {
  shop = await apiUnderTest(SHOP);
  await create(shop, 'notes', { id: 'a', text: 'x' });
});
after(() => shop.close());

const JSON_TYPE = 'application/json';
const V1 = 'application/vnd.shop.v1+json';

describe('the media type of a response', () => {
  const accepted: readonly (readonly [accept: string, type: string])[] = [
    ['application/json', JSON_TYPE],
    ['', JSON_TYPE],
    ['*/*', JSON_TYPE],
    ['*', JSON_TYPE],
    ['application/*', JSON_TYPE],
    ['Application/JSON', JSON_TYPE],
    ['application/json; charset=utf-8', JSON_TYPE],
    ['application/json;charset="UTF-8";q=0.5', JSON_TYPE],
    ['text/html;q=0.9, application/json', JSON_TYPE],
    ['text/html;q=0.5,, application/json ,', JSON_TYPE],
    ['image/png;q=1, application/json;q=0.001', JSON_TYPE],
    ['application/json;q=0.000, */*;q=0.1', 'application/xml'],
    ['application/xml', 'application/xml'],
    ['application/xml;q=0.9, application/json;q=0.8', 'application/xml'],
    ['application/vnd.shop.v1+xml', 'application/vnd.shop.v1+xml'],
    ['text/plain', 'text/plain; charset=utf-8'],
    ['text/*', 'text/plain; charset=utf-8'],
    [V1, V1],
    [V1.toUpperCase(), V1],
    ['application/vnd.shop.v1.4+json', 'application/vnd.shop.v1.4+json'],
    ['application/vnd.shop.v1.4.2+json', 'application/vnd.shop.v1.4.2+json'],
    [`${V1};q=0.5, application/json`, JSON_TYPE],
    [`${V1}, application/json;q=0.5`, V1],
    [`${V1}, */*;q=0.5`, V1],
    ['application/vnd.other.v1+json, application/json;q=0.1', JSON_TYPE],
    ['application/vnd.shop.v9+json, application/json;q=0.1', JSON_TYPE],
    [`application/vnd.shop.v9+json, ${V1};q=0.1`, V1],
  ];
  for (const [accept, type] of accepted) {
    it(`[NEG-1] is ${type} for Accept: ${accept}`, async () => {
      for (const send of ['GET /api/notes/a', 'GET /api/notes', 'HEAD /api/notes/a', 'GET /api']) {
        await shop.row({ send, headers: { Accept: accept }, status: 200, expectHeaders: { 'Content-Type': type } });
      }
    });
  }

  it('[NEG-1] is HTML for a browser at the root alone', async () => {
    const headers = { Accept: 'text/html, application/xhtml+xml, */*;q=0.8' };
    const html = { 'Content-Type': 'text/html; charset=utf-8' };
    await shop.row({ send: 'GET /api', headers, status: 200, expectHeaders: html });
    for (const send of ['GET /api/notes/a', 'GET /api/notes']) {
      await shop.row({ send, headers, status: 200, expectHeaders: { 'Content-Type': JSON_TYPE } });
    }
  });

  const excluded: readonly string[] = [
    'image/png',
    'application/json;q=0, text/html',
    'text/html;q=0',
    'application/json;q=0',
    '*/*;q=0',
    'application/json;version=2',
    'application/vnd.shop+json',
    'application/vnd.shop.v9+json',
    'application/vnd.shop.v1.3+json',
    'application/vnd.shop.v1+csv',
    'text/xml',
    'text/csv',
    'application/x-ndjson',
    'application/vnd.other.v1+json',
    'application/vnd.shop.vx+json',
  ];
  for (const accept of excluded) {
    it(`[NEG-1] is 406 with the supported types for Accept: ${accept}`, async () => {
      const { body } = await shop.row({
        send: 'GET /api/notes/a',
        headers: { Accept: accept },
        status: 406,
        has: { errorCode: 'REQUEST_NOT_ACCEPTABLE' },
        expectHeaders: { 'Content-Type': JSON_TYPE },
      });
      assert.match(String(body['errorMessage']), /application\/json|1\.4\.2/);
    });
  }

  for (const accept of ['json', 'application/', 'application/json;q=2', 'application/json;q=-1', '*/json', 'a b']) {
    it(`[NEG-1] is 400 for an invalid Accept: ${accept}`, async () => {
      const has = { errorCode: 'REQUEST_HEADER_INVALID' };
      const { body } = await shop.row({ send: 'GET /api/v1/notes', headers: { Accept: accept }, status: 400, has });
      assert.equal(body['details']?.[0]?.['field'], 'Accept');
    });
  }

  it('[NEG-1] of a write is negotiated before the write', async () => {
    const body = { id: 'never' };
    await shop.row({ send: 'POST /api/v1/notes', headers: { Accept: 'image/png' }, body, status: 406 });
    await shop.row({ send: 'GET /api/v1/notes/never', status: 404 });
  });
});

describe('the media type of a body', () => {
  const PUT_TYPES = `application/json, ${V1}, application/xml, application/vnd.shop.v1+xml, application/x-www-form-urlencoded, multipart/form-data`;
  const POST_TYPES = `${PUT_TYPES}, application/x-ndjson`;
  const PATCH_TYPES = `application/merge-patch+json, application/json-patch+json, ${PUT_TYPES}`;

  const taken: readonly (readonly [type: string, methods: readonly string[]])[] = [
    ['application/json', ['POST', 'PUT', 'PATCH']],
    ['application/json;charset=utf-8', ['POST', 'PUT', 'PATCH']],
    ['APPLICATION/JSON ; Charset="UTF-8"', ['POST', 'PUT', 'PATCH']],
    ['application/json;foo=bar', ['POST', 'PUT', 'PATCH']],
    [V1, ['POST', 'PUT', 'PATCH']],
    ['application/vnd.shop.v1.4.2+json', ['POST', 'PUT', 'PATCH']],
    ['application/merge-patch+json', ['PATCH']],
    ['application/json-patch+json', []],
    ['application/vnd.shop.v2+json', []],
    ['application/vnd.shop.v1.3+json', []],
    ['application/vnd.other.v1+json', []],
    ['application/vnd.shop.v2+xml', []],
    ['text/xml', []],
    ['multipart/form-data', []],
    ['application/json;charset=iso-8859-1', []],
    ['application/json;charset=utf-16', []],
    ['application/json5', []],
    ['application/*', []],
    ['*/*', []],
    ['text/json', []],
    ['text/plain', []],
    ['application/octet-stream', []],
    ['json', []],
    ['application/json, application/json', []],
    ['', []],
  ];
  for (const [type, methods] of taken) {
    it(`[NEG-2] ${type || 'that is empty'} is accepted by ${methods.join(', ') || 'none'}`, async () => {
      const headers = { 'Content-Type': type };
      for (const method of ['POST', 'PUT', 'PATCH']) {
        if (method === 'PATCH' && type === 'application/json-patch+json') continue;
        const send = method === 'POST' ? 'POST /api/v1/notes' : `${method} /api/v1/notes/a`;
        const has = { errorCode: 'REQUEST_MEDIA_TYPE_UNSUPPORTED' };
        if (methods.includes(method)) {
          // The invalid id of a POST shows that the body was read.
          const status = method === 'POST' ? 400 : 200;
          await shop.row({ send, headers, body: { id: method === 'POST' ? '..' : 'a', text: 'x' }, status });
        } else if (method === 'PATCH') {
          const expectHeaders = { Accept: PATCH_TYPES, 'Accept-Patch': PATCH_TYPES };
          await shop.row({ send, headers, body: { text: 'y' }, status: 415, has, expectHeaders });
        } else {
          const expectHeaders = { Accept: method === 'POST' ? POST_TYPES : PUT_TYPES, 'Accept-Patch': null };
          await shop.row({ send, headers, body: { text: 'y' }, status: 415, has, expectHeaders });
        }
      }
    });
  }

  it('[NEG-2] is required with a body, of known length or chunked', async () => {
    const bytes = new TextEncoder().encode('{"id":"b"}');
    for (const length of [bytes.length, null]) {
      const raw = rawRequest({ send: 'POST /api/v1/notes', body: bytes });
      const headers = ['Host', 'localhost', ...(length === null ? ['Transfer-Encoding', 'chunked'] : [])];
      const answer = await shop.api.handle({ ...raw, headers, body: { ...bufferedBody(bytes), length } });
      assert.equal(answer.status, 415);
    }
  });

  for (const coding of ['br', 'deflate', 'zstd', 'compress', 'gzip, gzip', 'gzip, br', 'chunked', 'x']) {
    it(`[NEG-2] with coding ${coding} is 415 with the supported codings`, async () => {
      await shop.row({
        send: 'PUT /api/v1/notes/a',
        headers: { 'Content-Encoding': coding },
        body: { text: 'y' },
        status: 415,
        has: { errorCode: 'REQUEST_ENCODING_UNSUPPORTED' },
        expectHeaders: { 'Accept-Encoding': 'gzip, identity', Accept: null },
      });
    });
  }

  it('[NEG-2] of GET, HEAD and DELETE is ignored with the body', async () => {
    const headers = { 'Content-Type': 'text/plain', 'Content-Encoding': 'br' };
    await shop.row({ send: 'GET /api/v1/notes/a', headers, body: '}', status: 200 });
    await shop.row({ send: 'HEAD /api/v1/notes', headers, body: '}', status: 200 });
    await create(shop, 'notes', { id: 'gone' });
    const events = ['note.deleted'];
    await shop.row({ send: 'DELETE /api/v1/notes/gone', headers, body: '}', status: 204, events });
  });
});

describe('Vary', () => {
  const TYPE = 'Accept, Accept-Encoding, Prefer';
  const answers: readonly (readonly [send: string, status: number, more: object])[] = [
    ['GET /notes', 200, {}],
    ['GET /notes/a', 200, {}],
    ['GET /notes/a', 304, { headers: { 'If-None-Match': '*' } }],
    ['GET ', 200, {}],
    ['GET /nothing', 404, {}],
    ['GET /notes/none', 404, {}],
    ['GET /notes/a', 412, { headers: { 'If-Match': '"0"' } }],
    ['GET /notes?x=1', 400, {}],
    ['GET /notes/', 308, {}],
    ['GET /notes', 400, { headers: { Host: 'evil.example' } }],
    ['GET /notes', 417, { headers: { Expect: 'magic' } }],
    ['BREW /notes', 501, {}],
    ['GET /notes', 406, { headers: { Accept: 'image/png' } }],
    ['TRACE /notes', 405, {}],
    ['OPTIONS /notes', 204, {}],
    ['PATCH /notes/a', 200, { body: {} }],
    ['POST /notes', 415, { body: 'x', headers: { 'Content-Type': 'text/plain' } }],
    ['POST /notes', 400, { body: '{' }],
    ['DELETE /notes/none', 404, {}],
  ];
  for (const [send, status, more] of answers) {
    const [method = '', path = ''] = send.split(' ');
    it(`[NEG-3a] names all fields that the response depends on: ${status} of ${send}`, async () => {
      const at = (base: string): string => `${method} ${base}${path}`;
      await shop.row({ ...more, send: at('/api/v1'), status, expectHeaders: { Vary: TYPE } });
      await shop.row({ ...more, send: at('/api'), status, expectHeaders: { Vary: `${TYPE}, API-Version` } });
    });
  }
});
