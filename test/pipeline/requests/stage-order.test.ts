import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { apiError } from '../../../src/conventions/errors.ts';
import { bufferedBody } from '../../../src/exchange/handler.ts';
import { type ApiUnderTest, apiUnderTest, type ExchangeRow, rawRequest } from '../support/api-under-test.ts';
import { create, LAMP, SHOP } from '../models/shop-model.ts';

let shop: ApiUnderTest;
let ids: { readonly lamp: string; readonly chair: string; readonly item: string; readonly supplier: string };
before(async () => {
  shop = await apiUnderTest(SHOP);
  const { id: supplier } = await create(shop, 'suppliers', { name: 'A' });
  const { id: lamp } = await create(shop, 'products', { ...LAMP, supplier_id: supplier });
  const { id: chair } = await create(shop, 'products', { ...LAMP, sku: 'chair' });
  const { id: item } = await create(shop, 'order-items', {});
  await create(shop, 'notes', { id: 'a', text: 'x' });
  ids = { lamp, chair, item, supplier };
});
after(() => shop.close());

const NONE = '019b7ca9-8f2e-7670-98b3-7b6a4aa9160b';
const JSON_PATCH = { 'Content-Type': 'application/json-patch+json' };

/** A request with two errors or more, and the reported one. `{lamp}` is the id of an existing product. */
type InvalidRequest = readonly [expected: string, row: Pick<ExchangeRow, 'send' | 'headers' | 'body'>];

const HEADERS_FIRST: readonly InvalidRequest[] = [
  ['REQUEST_METHOD_NOT_IMPLEMENTED', { send: 'BREW /api/v9/nothing/' }],
  ['REQUEST_URI_INVALID', { send: 'GET /api/v9//nothing/%' }],
  ['REQUEST_URI_INVALID', { send: 'GET /api/v1/notes/?text=%' }],
  ['REQUEST_URI_TOO_LONG', { send: `GET /api/v9//${'a'.repeat(9000)}` }],
  ['REQUEST_HEADER_INVALID', { send: 'GET /api/v9/nothing/', headers: { Host: 'evil.example' } }],
  ['REQUEST_HEADERS_TOO_LARGE', { send: 'GET /api/v9/nothing/', headers: { 'X-Large': 'x'.repeat(17_000) } }],
  ['REQUEST_EXPECTATION_FAILED', { send: 'DELETE /api/v1/notes/', headers: { Expect: 'magic' } }],
];

const ROUTE_BEFORE_CONTENT: readonly InvalidRequest[] = [
  ['308', { send: 'GET /api/v9/nothing/' }],
  ['308', { send: 'TRACE /api/v1/notes/?x=1', headers: { Accept: 'image/png', 'API-Version': '9' } }],
  ['API_VERSION_NOT_FOUND', { send: 'DELETE /api/v9/nothing' }],
  ['API_VERSION_UNSUPPORTED', { send: 'TRACE /api/nothing', headers: { 'API-Version': '9' } }],
  ['API_VERSION_CONFLICT', { send: 'GET /api/v1/nothing', headers: { 'API-Version': '9' } }],
  ['REQUEST_ROUTE_NOT_FOUND', { send: 'TRACE /api/v1/nothing', headers: { Accept: 'image/png' } }],
  ['REQUEST_METHOD_NOT_ALLOWED', { send: 'DELETE /api/v1/notes?x=1', headers: { Accept: 'image/png' } }],
  ['REQUEST_METHOD_NOT_ALLOWED', { send: 'PATCH /api/v1/notes', headers: { 'Content-Type': 'a/b' }, body: '{' }],
  ['REQUEST_METHOD_NOT_ALLOWED', { send: 'PUT /api/v1/notes', body: 'x'.repeat(2 ** 20 + 1) }],
  ['REQUEST_METHOD_NOT_ALLOWED', { send: `POST /api/v1/products/${NONE}?x=1`, body: '{' }],
];

const CONTENT_BEFORE_QUERY: readonly InvalidRequest[] = [
  ['REQUEST_NOT_ACCEPTABLE', { send: 'GET /api/v1/notes/none?x=1', headers: { Accept: 'image/png' } }],
  ['REQUEST_NOT_ACCEPTABLE', { send: 'GET /api/v1/notes/a', headers: { Accept: 'image/png', 'If-None-Match': '*' } }],
  [
    'REQUEST_NOT_ACCEPTABLE',
    { send: 'POST /api/v1/notes', headers: { Accept: 'image/png', 'Content-Type': 'a/b' }, body: '{' },
  ],
  [
    'REQUEST_NOT_ACCEPTABLE',
    { send: 'POST /api/v1/notes', headers: { Accept: 'image/png' }, body: 'x'.repeat(2 ** 20 + 1) },
  ],
  [
    'REQUEST_BODY_TOO_LARGE',
    { send: 'PUT /api/v1/notes/a?x=1', headers: { 'Content-Type': 'a/b' }, body: 'x'.repeat(2 ** 20 + 1) },
  ],
  ['REQUEST_BODY_TOO_LARGE', { send: `PATCH /api/v1/products/${NONE}`, body: 'x'.repeat(2 ** 20 + 1) }],
  [
    'REQUEST_MEDIA_TYPE_UNSUPPORTED',
    { send: `PUT /api/v1/products/${NONE}?x=1`, headers: { 'Content-Type': 'a/b', 'If-Match': '"0"' }, body: '{' },
  ],
  [
    'REQUEST_ENCODING_UNSUPPORTED',
    { send: `PATCH /api/v1/products/${NONE}?x=1`, headers: { 'Content-Encoding': 'br' }, body: '{' },
  ],
];

const QUERY_BEFORE_TARGET: readonly InvalidRequest[] = [
  ['REQUEST_PARAMETER_UNKNOWN', { send: `GET /api/v1/products/${NONE}?x=1` }],
  ['REQUEST_PARAMETER_UNKNOWN', { send: `DELETE /api/v1/products/${NONE}?x=1`, headers: { 'If-Match': '"0"' } }],
  ['REQUEST_PARAMETER_UNKNOWN', { send: `POST /api/v1/products/${NONE}/reviews?x=1`, body: '{' }],
  ['REQUEST_PARAMETER_UNKNOWN', { send: 'POST /api/v1/notes?limit=1', body: { id: 'a' } }],
  ['REQUEST_PARAMETER_UNKNOWN', { send: 'PUT /api/v1/notes/a?x=1', headers: { 'If-Match': '"0"' }, body: '{' }],
  ['PAGINATION_LIMIT_INVALID', { send: `GET /api/v1/products/${NONE}/reviews?limit=0` }],
  ['QUERY_SORT_INVALID', { send: 'GET /api/v1/notes?sort=nothing', headers: { 'If-Match': '"0"' } }],
];

const TARGET_BEFORE_PRECONDITION: readonly InvalidRequest[] = [
  ['PRODUCT_NOT_FOUND', { send: `GET /api/v1/products/${NONE}`, headers: { 'If-Match': '"0"' } }],
  ['PRODUCT_NOT_FOUND', { send: `PUT /api/v1/products/${NONE}`, headers: { 'If-Match': '"0"' }, body: '{' }],
  ['PRODUCT_NOT_FOUND', { send: `PATCH /api/v1/products/${NONE}`, headers: { 'If-Match': '*' }, body: '{' }],
  ['PRODUCT_NOT_FOUND', { send: `PATCH /api/v1/products/${NONE}`, body: { revision: 5, unknown: 1 } }],
  ['PRODUCT_NOT_FOUND', { send: `DELETE /api/v1/products/${NONE}`, headers: { 'If-Match': '*' } }],
  ['NOTE_NOT_FOUND', { send: 'PATCH /api/v1/notes/none', headers: { 'If-Match': '"0"' }, body: '{' }],
  ['ORDER_ITEM_NOT_FOUND', { send: `DELETE /api/v1/order-items/${NONE}` }],
  ['PRODUCT_NOT_FOUND', { send: `POST /api/v1/products/${NONE}/reviews`, headers: { 'If-Match': '"0"' }, body: '{' }],
  ['PRODUCT_NOT_FOUND', { send: `POST /api/v1/products/${NONE}/reviews` }],
  ['PRODUCT_NOT_FOUND', { send: `POST /api/v1/products/${NONE}/reviews`, body: { stars: 1, supplier_id: NONE } }],
  ['NOTE_PRECONDITION_FAILED', { send: 'PUT /api/v1/notes/none', headers: { 'If-Match': '"0"' }, body: '{' }],
  ['NOTE_PRECONDITION_FAILED', { send: 'PUT /api/v1/notes/none', headers: { 'If-Match': '*' }, body: { id: 'b' } }],
];

const PRECONDITION_BEFORE_BODY: readonly InvalidRequest[] = [
  ['NOTE_PRECONDITION_FAILED', { send: 'PUT /api/v1/notes/a', headers: { 'If-Match': '"0"' }, body: '{' }],
  ['NOTE_PRECONDITION_FAILED', { send: 'PUT /api/v1/notes/a', headers: { 'If-Match': '"0"' } }],
  ['NOTE_PRECONDITION_FAILED', { send: 'PUT /api/v1/notes/a', headers: { 'If-None-Match': '*' }, body: '[]' }],
  ['NOTE_PRECONDITION_FAILED', { send: 'PATCH /api/v1/notes/a', headers: { 'If-Match': 'W/"1"' }, body: { x: 1 } }],
  ['NOTE_PRECONDITION_FAILED', { send: 'PATCH /api/v1/notes/a', body: { revision: -1, x: 1, id: 'b' } }],
  ['NOTE_PRECONDITION_FAILED', { send: 'POST /api/v1/notes', headers: { 'If-Match': '"0"' }, body: '{' }],
  ['NOTE_PRECONDITION_FAILED', { send: 'POST /api/v1/notes', headers: { 'If-None-Match': '*' }, body: { id: 5 } }],
  ['REQUEST_PRECONDITION_REQUIRED', { send: 'PUT /api/v1/order-items/{item}', body: '{' }],
  ['REQUEST_PRECONDITION_REQUIRED', { send: 'PATCH /api/v1/order-items/{item}', body: { x: 1 } }],
  [
    'ORDER_ITEM_PRECONDITION_FAILED',
    { send: 'PATCH /api/v1/order-items/{item}', headers: { 'If-Match': '"0"' }, body: { x: 1 } },
  ],
  ['SUPPLIER_PRECONDITION_FAILED', { send: 'DELETE /api/v1/suppliers/{supplier}', headers: { 'If-Match': '"0"' } }],
];

const BODY_BEFORE_CONFLICT: readonly InvalidRequest[] = [
  ['NOTE_INVALID', { send: 'POST /api/v1/notes', body: { id: 'a', text: 5 } }],
  ['PRODUCT_INVALID', { send: 'POST /api/v1/products', body: { ...LAMP, name: '' } }],
  ['PRODUCT_INVALID', { send: 'POST /api/v1/products', body: { ...LAMP, supplier_id: NONE } }],
  ['PRODUCT_INVALID', { send: 'POST /api/v1/products', body: { ...LAMP, sku: 'new', status: 'ACTIVE', name: '' } }],
  [
    'PRODUCT_INVALID',
    { send: 'POST /api/v1/products', body: { ...LAMP, sku: 'new', status: 'ACTIVE', supplier_id: NONE } },
  ],
  ['PRODUCT_INVALID', { send: 'PATCH /api/v1/products/{lamp}', body: { status: 'CLOSED', name: '' } }],
  ['PRODUCT_INVALID', { send: 'PATCH /api/v1/products/{lamp}', body: { status: 'CLOSED', sku: 'other' } }],
  ['PRODUCT_INVALID', { send: 'PATCH /api/v1/products/{lamp}', body: { status: 'CLOSED', supplier_id: NONE } }],
  ['PRODUCT_INVALID', { send: 'PATCH /api/v1/products/{lamp}', body: { status: 'CLOSED', related_ids: [NONE] } }],
  // The lamp already has this pair of supplier and name.
  ['PRODUCT_INVALID', { send: 'PATCH /api/v1/products/{chair}', body: { supplier_id: '{supplier}', sku: 'lamp' } }],
  ['PRODUCT_ALREADY_EXISTS', { send: 'PATCH /api/v1/products/{chair}', body: { supplier_id: '{supplier}' } }],
  ['PRODUCT_INVALID', { send: 'PATCH /api/v1/products/{lamp}', headers: JSON_PATCH, body: [{ op: 'replace' }] }],
];

const STEPS: readonly (readonly [name: string, rows: readonly InvalidRequest[]])[] = [
  ['1, the request line and headers, before 3, 4, 5 and 6', HEADERS_FIRST],
  ['3, 4, 5, 6, the URL, its version, route and method, in this order and before 10 to 12', ROUTE_BEFORE_CONTENT],
  ['10 and 11, Accept and Content-*, in this order and before 12 to 17', CONTENT_BEFORE_QUERY],
  ['12, the query, before 14 to 18', QUERY_BEFORE_TARGET],
  ['14, the target, before 16 and 17', TARGET_BEFORE_PRECONDITION],
  ['16, preconditions, before 17 and 18', PRECONDITION_BEFORE_BODY],
  ['17, the body, before 18', BODY_BEFORE_CONFLICT],
];

/** Inserts the ids of the created rows. */
function filled<T>(value: T): T {
  const text = JSON.stringify(value).replaceAll(/\{(lamp|chair|item|supplier)\}/g, (_, name: string) =>
    String(new Map(Object.entries(ids)).get(name)),
  );
  return JSON.parse(text) as T;
}

describe('the order of checks', () => {
  for (const [step, rows] of STEPS) {
    for (const [expected, row] of rows) {
      const { send, headers = {}, body } = row;
      const title = `${send} ${JSON.stringify(headers)} ${JSON.stringify(body ?? null)}`.replace(
        /(.)\1{99,}/g,
        '$1...',
      );
      it(`[ERR-1] is step ${step}: ${expected} for ${title}`, async () => {
        const got = await shop.send(filled(row));
        assert.equal(got.status < 400 ? String(got.status) : got.body['errorCode'], expected, got.text);
        assert.deepEqual(await shop.newEvents(), []);
      });
    }
  }

  for (const error of [
    apiError('REQUEST_BODY_TOO_LARGE', 'The body is larger than it may be; send a smaller one.'),
    apiError('REQUEST_TIMEOUT', 'The body did not arrive in time; send it again.'),
  ]) {
    it(`[ERR-1] reports ${error.code} of the body before any error from the store`, async () => {
      for (const send of ['PATCH /api/v1/products/none', 'POST /api/v1/products/none/reviews', 'PUT /api/v1/notes/a']) {
        const body = { ...bufferedBody(new Uint8Array()), length: null, read: () => Promise.reject(error) };
        const { status } = await shop.api.handle({ ...rawRequest({ send, body: '{' }), body });
        assert.equal(status, error.status);
      }
    });
  }
});
