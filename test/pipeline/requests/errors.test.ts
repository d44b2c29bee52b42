import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { errors, resourceErrors } from '../../../src/conventions/errors.ts';
import { type ApiUnderTest, apiUnderTest, type ExchangeRow } from '../support/api-under-test.ts';
import { create, LAMP, SHOP } from '../models/shop-model.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const INTERNALS =
  /sqlite|select |insert |constraint|index\b|\.ts\b|\.js\b|node:|\/work|Error:|    at |undefined|\[object/i;

let shop: ApiUnderTest;
let lamp: string;
before(async () => {
  shop = await apiUnderTest(SHOP);
  ({ id: lamp } = await create(shop, 'products', LAMP));
  await create(shop, 'notes', { id: 'a', text: 'x' });
});
after(() => shop.close());

const PATCHING = { 'Content-Type': 'application/json-patch+json' };

/** One request for every error code that a request can cause. */
const failures: readonly (readonly [code: string, row: Pick<ExchangeRow, 'send' | 'headers' | 'body'>])[] = [
  ['REQUEST_URI_INVALID', { send: 'GET /api/v1/notes/%' }],
  ['REQUEST_URI_TOO_LONG', { send: `GET /api/v1/notes/${'a'.repeat(8192)}` }],
  ['REQUEST_HEADER_INVALID', { send: 'GET /api/v1/notes', headers: { Host: 'evil.example' } }],
  ['REQUEST_HEADER_INVALID', { send: 'GET /api/v1/notes/a', headers: { 'If-Match': 'unquoted' } }],
  ['REQUEST_MALFORMED', { send: 'GET /api/v1/notes', headers: { 'Content-Length': '5x' } }],
  ['REQUEST_HEADERS_TOO_LARGE', { send: 'GET /api/v1/notes', headers: { 'X-Large': 'x'.repeat(16_384) } }],
  ['REQUEST_EXPECTATION_FAILED', { send: 'GET /api/v1/notes', headers: { Expect: 'magic' } }],
  ['REQUEST_METHOD_NOT_IMPLEMENTED', { send: 'BREW /api/v1/notes' }],
  ['REQUEST_METHOD_NOT_ALLOWED', { send: 'DELETE /api/v1/notes' }],
  ['REQUEST_ROUTE_NOT_FOUND', { send: 'GET /api/v1/nothing' }],
  ['REQUEST_NOT_ACCEPTABLE', { send: 'GET /api/v1/notes', headers: { Accept: 'image/png' } }],
  ['REQUEST_MEDIA_TYPE_UNSUPPORTED', { send: 'POST /api/v1/notes', headers: { 'Content-Type': 'a/b' }, body: 'x' }],
  ['REQUEST_ENCODING_UNSUPPORTED', { send: 'POST /api/v1/notes', headers: { 'Content-Encoding': 'br' }, body: {} }],
  ['REQUEST_BODY_TOO_LARGE', { send: 'POST /api/v1/notes', body: 'x'.repeat(2 ** 20 + 1) }],
  ['REQUEST_BODY_REQUIRED', { send: 'POST /api/v1/notes' }],
  ['REQUEST_BODY_MALFORMED', { send: 'POST /api/v1/notes', body: '{' }],
  ['REQUEST_PARAMETER_UNKNOWN', { send: 'GET /api/v1/notes?x=1' }],
  ['REQUEST_PARAMETER_DUPLICATED', { send: 'GET /api/v1/notes?limit=1&limit=2' }],
  ['REQUEST_PARAMETER_INVALID', { send: 'GET /api/v1/notes?include_total=yes' }],
  ['QUERY_FILTER_INVALID', { send: 'GET /api/v1/products?price=cheap' }],
  ['QUERY_SORT_INVALID', { send: 'GET /api/v1/notes?sort=nothing' }],
  ['PAGINATION_LIMIT_INVALID', { send: 'GET /api/v1/notes?limit=0' }],
  ['PAGINATION_POSITION_INVALID', { send: 'GET /api/v1/notes?page=0' }],
  ['PAGINATION_CONFLICT', { send: 'GET /api/v1/notes?page=1&offset=0' }],
  ['PAGINATION_CURSOR_INVALID', { send: 'GET /api/v1/notes?after=forged' }],
  ['API_VERSION_INVALID', { send: 'GET /api/v01/notes' }],
  ['API_VERSION_NOT_FOUND', { send: 'GET /api/v9/notes' }],
  ['API_VERSION_UNSUPPORTED', { send: 'GET /api/notes', headers: { 'API-Version': '9' } }],
  ['API_VERSION_CONFLICT', { send: 'GET /api/v1/notes', headers: { 'API-Version': '2' } }],
  ['AUTH_REQUEST_INVALID', { send: 'GET /api/v1/notes', headers: { Authorization: 'a', authorization: 'b' } }],
  ['NOTE_NOT_FOUND', { send: 'GET /api/v1/notes/none' }],
  ['NOTE_INVALID', { send: 'PATCH /api/v1/notes/a', body: { text: 5 } }],
  ['NOTE_ALREADY_EXISTS', { send: 'POST /api/v1/notes', body: { id: 'a' } }],
  ['NOTE_PRECONDITION_FAILED', { send: 'DELETE /api/v1/notes/a', headers: { 'If-Match': '"0"' } }],
  ['NOTE_CONFLICT', { send: 'PATCH /api/v1/notes/a', headers: PATCHING, body: [{ op: 'remove', path: '/none' }] }],
  ['PRODUCT_ALREADY_EXISTS', { send: 'POST /api/v1/products', body: LAMP }],
  ['PRODUCT_INVALID', { send: 'POST /api/v1/products', body: { ...LAMP, sku: 'b', supplier_id: 'none' } }],
  ['PRODUCT_CONFLICT', { send: 'POST /api/v1/products', body: { ...LAMP, sku: 'b', status: 'CLOSED' } }],
];

/** The errors of requests whose version is not known yet (VER-4), as they are made here. */
const WITHOUT_VERSION: ReadonlySet<string> = new Set([
  'REQUEST_URI_INVALID',
  'REQUEST_URI_TOO_LONG',
  'REQUEST_HEADER_INVALID',
  'REQUEST_MALFORMED',
  'REQUEST_HEADERS_TOO_LARGE',
  'REQUEST_EXPECTATION_FAILED',
  'REQUEST_METHOD_NOT_IMPLEMENTED',
  'API_VERSION_INVALID',
  'API_VERSION_NOT_FOUND',
  'API_VERSION_UNSUPPORTED',
  'API_VERSION_CONFLICT',
  'AUTH_REQUEST_INVALID',
]);

/** `If-Match` is read when the version is known. */
function isWithoutVersion(code: string, name: string): boolean {
  return WITHOUT_VERSION.has(code) && !name.includes('If-Match');
}

describe('an error', () => {
  for (const [code, row] of failures) {
    const name = `${row.send.slice(0, 40)} ${JSON.stringify(row.headers ?? {}).slice(0, 40)}`;

    it(`[ERR-1] has the six members in order: ${code} of ${name}`, async () => {
      const got = await shop.send(row);
      const { body } = got;
      assert.deepEqual(Object.keys(body), [
        'httpStatus',
        'errorCode',
        'errorMessage',
        'correlationId',
        'timestamp',
        'details',
      ]);
      assert.equal(body['errorCode'], code);
      assert.equal(body['httpStatus'], got.status);
      assert.equal(body['timestamp'], '2026-01-02T03:04:05.678Z');
      assert.equal(body['correlationId'], got.headers.get('x-correlation-id'));
      assert.match(String(body['correlationId']), UUID_V7);
      assert.ok(Array.isArray(body['details']));
      assert.deepEqual(await shop.newEvents(), []);
    });

    it(`[ERR-7] is not cacheable and has the common header fields: ${code} of ${name}`, async () => {
      const { headers } = await shop.send(row);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('content-type'), 'application/json');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('api-version'), isWithoutVersion(code, name) ? undefined : '1.4.2');
      assert.ok(!headers.has('etag') && !headers.has('server') && !headers.has('location'));
    });

    it(`[ERR-4] has a sentence with cause and fix, without internals: ${code} of ${name}`, async () => {
      const { body, text } = await shop.send(row);
      assert.match(String(body['errorMessage']), /^[A-Z].{15,}\.$/);
      assert.doesNotMatch(text, INTERNALS);
    });

    it(`[ERR-2] is in the catalogue, with its status: ${code} of ${name}`, async () => {
      const { status } = await shop.send(row);
      const [, own] = /^(?:NOTE|PRODUCT)_([A-Z_]+)$/.exec(code) ?? [];
      const catalogue: Readonly<Record<string, number>> = own === undefined ? errors : resourceErrors;
      assert.equal(catalogue[own ?? code], status);
      assert.match(code, /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/);
    });
  }

  it('[ERR-2] starts with the resource in capitals, words separated by underscores', async () => {
    const has = { errorCode: 'ORDER_ITEM_NOT_FOUND' };
    await shop.row({ send: 'GET /api/v1/order-items/none', status: 404, has });
  });
});

describe('the details of an error', () => {
  it('[ERR-3] list all errors, each with its path in JSON names', async () => {
    const { body } = await shop.row({
      send: 'POST /api/v1/products',
      body: {
        id: 'mine',
        sku: '',
        price: 'cheap',
        quantity: -1,
        tags: ['a', 5],
        size: { unit: 'm', deep: 1 },
        labels: { a: 1 },
        supplier_id: 'none',
        related_ids: [lamp, 'none'],
        unknown: true,
      },
      status: 400,
      has: { errorCode: 'PRODUCT_INVALID' },
    });
    const details = JSON.parse(JSON.stringify(body['details'])) as { field: string; message: string }[];
    assert.deepEqual(
      details.map(({ field }) => field).toSorted(),
      `id labels.a name price quantity related_ids[1] size.deep size.unit sku supplier_id tags[1] unknown`.split(' '),
    );
    for (const detail of details) assert.deepEqual(Object.keys(detail), ['field', 'message']);
  });

  it('[ERR-3] include a change of an immutable field with the other errors', async () => {
    const { body } = await shop.row({
      send: `PATCH /api/v1/products/${lamp}`,
      body: { sku: 'other', name: '', supplier_id: 'none' },
      status: 400,
    });
    const details = JSON.parse(JSON.stringify(body['details'])) as { field: string }[];
    assert.deepEqual(details.map(({ field }) => field).toSorted(), ['name', 'sku', 'supplier_id']);
  });

  it('[ERR-3] are at most 100', async () => {
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`field_${index}`, 1]));
    const { body } = await shop.row({ send: 'POST /api/v1/notes', body: { id: 5, text: 5, ...many }, status: 400 });
    assert.equal(body['details']?.length, 100);
  });

  const named: readonly (readonly [row: Pick<ExchangeRow, 'send' | 'headers'>, fields: readonly string[]])[] = [
    [{ send: 'GET /api/v1/notes?x=1&y=2&x=3' }, ['x', 'y']],
    [{ send: 'GET /api/v1/notes?limit=1&limit=2' }, ['limit']],
    [{ send: 'GET /api/v1/notes?page=1&offset=1' }, ['page', 'offset']],
    [{ send: 'GET /api/v1/products?price=x' }, ['price']],
    [{ send: 'GET /api/v1/notes?sort=nothing' }, ['sort']],
    [{ send: 'GET /api/v1/notes', headers: { Host: 'evil.example' } }, ['Host']],
    [{ send: 'GET /api/v1/notes', headers: { Expect: 'magic' } }, ['Expect']],
    [{ send: 'GET /api/v1/notes/a', headers: { 'If-None-Match': 'x' } }, ['If-None-Match']],
  ];
  for (const [row, fields] of named) {
    it(`[ERR-3] contain the parameter or header: ${fields.join(', ')} of ${row.send}`, async () => {
      const { body } = await shop.row({ ...row, status: 400 + (fields.includes('Expect') ? 17 : 0) });
      const details = JSON.parse(JSON.stringify(body['details'])) as { field: string }[];
      assert.deepEqual(
        details.map(({ field }) => field),
        fields,
      );
    });
  }
});

describe('a correlation id', () => {
  const given: readonly (readonly [id: string, taken: boolean])[] = [
    ['abc-123_~.:Z', true],
    ['x', true],
    ['a'.repeat(128), true],
    ['a'.repeat(129), false],
    ['', false],
    ['a b', false],
    ['a,b', false],
    ['<script>', false],
    ['a\u{E9}', false],
  ];
  for (const [id, taken] of given) {
    it(`[ERR-5] ${taken ? 'is returned' : 'is replaced'}: ${id.slice(0, 20)}, ${id.length} long`, async () => {
      const headers = { 'X-Correlation-ID': id };
      for (const [send, more] of [
        ['GET /api/v1/notes/a', {}],
        ['GET /api/v1/notes/none', {}],
        ['GET /api/v1/notes/', {}],
        ['OPTIONS *', {}],
        ['PATCH /api/v1/notes/a', { body: { text: `changed for ${JSON.stringify(id)}` } }],
      ] as const) {
        const got = await shop.send({ send, headers, ...more });
        const out = got.headers.get('x-correlation-id') ?? '';
        if (taken) assert.equal(out, id);
        else assert.match(out, UUID_V7);
        const observed = shop.observations.at(-1);
        assert.equal(observed?.kind === 'request' ? observed.correlationId : null, out);
        const events = await shop.newEvents();
        const correlationIds = events.map(({ metadata }) => metadata.correlation_id);
        assert.deepEqual(correlationIds, 'body' in more ? [out] : []);
      }
    });
  }

  it('[ERR-5] that is sent twice is replaced', async () => {
    const headers = { 'X-Correlation-ID': 'a', 'x-correlation-id': 'b' };
    const got = await shop.send({ send: 'GET /api/v1/notes/a', headers });
    assert.match(got.headers.get('x-correlation-id') ?? '', UUID_V7);
  });

  it('[ERR-5] is independent of the trace, which events and observations continue', async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    for (const [traceparent, continued] of [
      [`00-${trace}-00f067aa0ba902b7-01`, true],
      [`00-${trace.toUpperCase()}-00f067aa0ba902b7-01`, false],
      [`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, false],
    ] as const) {
      await shop.send({ send: 'PATCH /api/v1/notes/a', headers: { traceparent }, body: { text: traceparent } });
      const [event] = await shop.newEvents();
      const observed = shop.observations.at(-1);
      assert.equal(event?.metadata.trace_id === trace, continued);
      assert.equal(observed?.kind === 'request' ? observed.traceId : null, event?.metadata.trace_id);
      assert.match(event?.metadata.trace_id ?? '', /^(?!0+$)[0-9a-f]{32}$/);
    }
  });
});
