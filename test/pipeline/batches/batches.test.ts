import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest, column, type Seen } from '../support/api-under-test.ts';
import { create, LAMP, SHOP } from '../models/shop-model.ts';

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Sends a batch and checks its response and events. */
function batch(
  api: ApiUnderTest,
  operations: readonly Operation[],
  expected: Omit<Parameters<ApiUnderTest['row']>[0], 'send' | 'body'> & {
    readonly atomic?: boolean;
    readonly query?: string;
  },
): Promise<Seen> {
  const { atomic = true, query = '', ...row } = expected;
  return api.row({ send: `POST /api/v1/batches${query}`, body: { atomic, operations }, ...row });
}

const note = (id: string, text = id): Operation => ({ method: 'POST', path: '/notes', body: { id, text } });

function statuses(seen: Seen): readonly number[] {
  const results: readonly { readonly status: number }[] = seen.body['results'];
  return results.map(({ status }) => status);
}

describe('a batch', () => {
  it('[MET-13] returns 201 with its Location and the result of each operation', async () => {
    await using shop = await apiUnderTest(SHOP);
    const made = await batch(
      shop,
      [note('a'), { method: 'PATCH', path: '/notes/a', body: { text: 'b' } }, { method: 'DELETE', path: '/notes/a' }],
      {
        status: 201,
        events: ['note.created', 'note.updated', 'note.deleted'],
        has: { atomic: true, status: 'succeeded' },
      },
    );
    const place = made.headers.get('location') ?? '';
    assert.equal(place, `/api/v1/batches/${made.body['id']}`);
    assert.equal(made.body['links']['self'], place);
    assert.deepEqual(statuses(made), [201, 200, 204]);
    const [created, changed, removed] = made.body['results'];
    assert.deepEqual(Object.keys(created), ['status', 'headers', 'body']);
    assert.equal(created.headers.Location, '/api/v1/notes/a');
    assert.match(created.headers.ETag, new RegExp(`^"${created.body.revision}\\.`));
    assert.equal(changed.body.text, 'b');
    assert.ok(changed.body.revision > created.body.revision);
    assert.deepEqual(removed, { status: 204, headers: {}, body: null });
  });

  it('[MET-13] can be read by its caller for a day', async () => {
    await using shop = await apiUnderTest(SHOP);
    const made = await batch(shop, [note('a'), note('b')], { status: 201, events: ['note.created', 'note.created'] });
    const place = made.headers.get('location') ?? '';
    await shop.row({ send: `GET ${place}`, status: 200, expectBody: made.body, expectHeaders: { ETag: /^".+"$/ } });
    shop.clock.advance(24 * 60 * 60 * 1000 - 1);
    await shop.row({ send: `GET ${place}`, status: 200 });
    shop.clock.advance(1);
    await shop.row({ send: `GET ${place}`, status: 404, has: { errorCode: 'BATCH_NOT_FOUND' } });
    await shop.row({ send: 'GET /api/v1/batches/none', status: 404, has: { errorCode: 'BATCH_NOT_FOUND' } });
  });

  it('[CACHE-1] has the ETag of a later GET', async () => {
    await using shop = await apiUnderTest(SHOP);
    const made = await batch(shop, [note('a')], { status: 201, events: ['note.created'] });
    const tag = made.headers.get('etag') ?? assert.fail('no tag');
    const place = made.headers.get('location') ?? '';
    await shop.row({ send: `GET ${place}`, headers: { 'If-None-Match': tag }, status: 304 });
  });

  it('[MET-5] accepts POST only, and is read with GET and HEAD', async () => {
    await using shop = await apiUnderTest(SHOP);
    await shop.row({
      send: 'OPTIONS /api/v1/batches',
      status: 204,
      expectHeaders: { Allow: 'POST, OPTIONS', 'Accept-Post': 'application/json, application/vnd.shop.v1+json' },
    });
    await shop.row({ send: 'GET /api/v1/batches', status: 405, expectHeaders: { Allow: 'POST, OPTIONS' } });
    await shop.row({ send: 'DELETE /api/v1/batches/1', status: 405, expectHeaders: { Allow: 'GET, HEAD, OPTIONS' } });
    await shop.row({ send: 'GET /api/v1/batches/1/2', status: 404, has: { errorCode: 'REQUEST_ROUTE_NOT_FOUND' } });
  });

  it('[MET-13] [REP-9e, REP-9f] links in the version carrier of the client, and to its canonical URL', async () => {
    await using shop = await apiUnderTest(SHOP);
    const made = await shop.row({
      send: 'POST /api/batches?api_version=1',
      body: { operations: [note('a')] },
      status: 201,
      events: ['note.created'],
    });
    assert.equal(made.headers.get('location'), `/api/batches/${made.body['id']}?api_version=1`);
    const link = `</api/v1/batches/${made.body['id']}>; rel="canonical"`;
    assert.equal(made.headers.get('link'), link);
    const expectHeaders = { Link: link };
    await shop.row({ send: `GET ${made.headers.get('location')}`, status: 200, expectHeaders });
    const carrier = { headers: { 'API-Version': '1' }, status: 200, expectHeaders };
    await shop.row({ send: `GET /api/batches/${made.body['id']}`, ...carrier });
    await shop.row({ send: `GET /api/v1/batches/${made.body['id']}`, status: 200, expectHeaders: { Link: null } });
    const headers = { Prefer: 'return=minimal' };
    const minimal = await shop.send({ send: 'POST /api/batches', headers, body: { operations: [note('b')] } });
    assert.match(minimal.headers.get('link') ?? '', /^<\/api\/v1\/batches\/[^>]+>; rel="canonical"$/);
    assert.equal(made.body['results'][0].headers.Location, '/api/notes/a?api_version=1');
  });
});

describe('an atomic batch', () => {
  const later: readonly (readonly [
    title: string,
    operations: readonly Operation[],
    statuses: readonly number[],
    events: readonly string[],
  ])[] = [
    [
      'a row that the batch created',
      [
        note('a'),
        { method: 'PUT', path: '/notes/a', body: { text: 'z' } },
        { method: 'PATCH', path: '/notes/a', body: { text: 'y' } },
      ],
      [201, 200, 200],
      ['note.created', 'note.updated', 'note.updated'],
    ],
    [
      'a change that changes nothing',
      [note('a'), { method: 'PATCH', path: '/notes/a', body: { text: 'a' } }],
      [201, 200],
      ['note.created'],
    ],
    [
      'that an id is free again',
      [note('a'), { method: 'DELETE', path: '/notes/a' }, note('a', 'new')],
      [201, 204, 201],
      ['note.created', 'note.deleted', 'note.created'],
    ],
    [
      'a row that PUT created',
      [
        { method: 'PUT', path: '/notes/a', body: {} },
        { method: 'PUT', path: '/notes/a', body: { text: 'x' } },
      ],
      [201, 200],
      ['note.created', 'note.updated'],
    ],
    [
      'any state with If-Match: *',
      [note('a'), { method: 'PATCH', path: '/notes/a', headers: { 'If-Match': '*' }, body: { text: 'x' } }],
      [201, 200],
      ['note.created', 'note.updated'],
    ],
  ];
  for (const [title, operations, expected, events] of later) {
    it(`[MET-13] lets a later operation see ${title}`, async () => {
      await using shop = await apiUnderTest(SHOP);
      const made = await batch(shop, operations, { status: 201, events });
      assert.deepEqual(statuses(made), expected);
      const place = made.headers.get('location') ?? '';
      await shop.row({ send: `GET ${place}`, status: 200, expectBody: made.body });
    });
  }

  it('[MET-13] deletes a parent after its children, without counting the deleted ones', async () => {
    await using shop = await apiUnderTest(SHOP);
    const supplier = await create(shop, 'suppliers', { name: 'S' });
    const lamp = await create(shop, 'products', { ...LAMP, supplier_id: supplier.id });
    await batch(
      shop,
      [
        { method: 'DELETE', path: `/products/${lamp.id}` },
        { method: 'DELETE', path: `/suppliers/${supplier.id}` },
      ],
      {
        status: 201,
        events: ['product.deleted', 'supplier.deleted'],
      },
    );
  });

  it('[MET-13] creates children below rows that it has changed', async () => {
    await using shop = await apiUnderTest(SHOP);
    const lamp = await create(shop, 'products', LAMP);
    const made = await batch(
      shop,
      [
        { method: 'PATCH', path: `/products/${lamp.id}`, body: { category: 'x' } },
        { method: 'POST', path: `/products/${lamp.id}/reviews`, body: { stars: 3 } },
      ],
      { status: 201, events: ['product.updated', 'review.created'] },
    );
    assert.equal(made.body['results'][1].body.product_id, lamp.id);
  });

  it('[MET-13] knows which references its own operations removed', async () => {
    await using shop = await apiUnderTest(SHOP);
    const supplier = await create(shop, 'suppliers', { name: 'S' });
    await batch(
      shop,
      [
        { method: 'DELETE', path: `/suppliers/${supplier.id}` },
        { method: 'POST', path: '/products', body: { ...LAMP, supplier_id: supplier.id } },
      ],
      {
        status: 400,
        has: {
          errorCode: 'PRODUCT_INVALID',
          details: [
            {
              field: 'operations[1].body.supplier_id',
              message: 'refers to nothing; send the id of a resource that exists',
            },
          ],
        },
      },
    );
  });

  const failing: readonly (readonly [
    title: string,
    operation: Operation,
    status: number,
    code: string,
    field: string,
  ])[] = [
    [
      'an invalid body',
      { method: 'POST', path: '/products', body: { sku: 's', name: '', price: '1' } },
      400,
      'PRODUCT_INVALID',
      'operations[1].body.name',
    ],
    ['no body', { method: 'POST', path: '/products' }, 400, 'REQUEST_BODY_REQUIRED', 'operations[1]'],
    ['a missing row', { method: 'DELETE', path: '/notes/none' }, 404, 'NOTE_NOT_FOUND', 'operations[1]'],
    [
      'an unknown route',
      { method: 'POST', path: '/nothing', body: {} },
      404,
      'REQUEST_ROUTE_NOT_FOUND',
      'operations[1]',
    ],
    [
      'an unsupported method',
      { method: 'POST', path: '/notes/a', body: {} },
      405,
      'REQUEST_METHOD_NOT_ALLOWED',
      'operations[1]',
    ],
    ['an existing id', note('first'), 409, 'NOTE_ALREADY_EXISTS', 'operations[1].body.id'],
    [
      'a stale ETag',
      { method: 'PUT', path: '/notes/first', headers: { 'If-Match': '"1"' }, body: {} },
      412,
      'NOTE_PRECONDITION_FAILED',
      'operations[1]',
    ],
    [
      'a missing If-Match',
      { method: 'DELETE', path: '/order-items/OLD' },
      428,
      'REQUEST_PRECONDITION_REQUIRED',
      'operations[1].headers.If-Match',
    ],
    [
      'a body of another type',
      { method: 'POST', path: '/notes', headers: { 'Content-Type': 'text/plain' }, body: {} },
      415,
      'REQUEST_MEDIA_TYPE_UNSUPPORTED',
      'operations[1]',
    ],
    [
      'an unknown parameter',
      { method: 'POST', path: '/notes?x=1', body: {} },
      400,
      'REQUEST_PARAMETER_UNKNOWN',
      'operations[1].path',
    ],
    [
      'XML',
      { method: 'POST', path: '/notes', headers: { 'Content-Type': 'application/xml' }, body: {} },
      415,
      'REQUEST_MEDIA_TYPE_UNSUPPORTED',
      'operations[1]',
    ],
    [
      'lines',
      { method: 'POST', path: '/notes', headers: { 'Content-Type': 'application/x-ndjson' }, body: {} },
      415,
      'REQUEST_MEDIA_TYPE_UNSUPPORTED',
      'operations[1]',
    ],
  ];
  for (const [title, operation, status, code, field] of failing) {
    it(`[MET-13] fails as a whole for ${title}, with the status and code of the operation`, async () => {
      await using shop = await apiUnderTest(SHOP);
      const old = await create(shop, 'order-items', {});
      const failed = { ...operation, path: operation.path.replace('OLD', old.id) };
      const answer = await batch(shop, [note('first'), failed, note('last')], { status, has: { errorCode: code } });
      assert.equal(answer.body['details'][0].field, field);
      assert.match(answer.body['errorMessage'], /^operations\[1\]: /);
      await shop.row({ send: 'GET /api/v1/notes', status: 200, has: { data: [] } });
    });
  }

  it('[MET-13] [MET-6] fails with the Allow of the operation', async () => {
    await using shop = await apiUnderTest(SHOP);
    const Allow = 'GET, HEAD, QUERY, POST, OPTIONS';
    const put = { method: 'PUT', path: '/notes', body: {} };
    await batch(shop, [put], { status: 405, expectHeaders: { Allow } });
    const results = await batch(shop, [put], { atomic: false, status: 201 });
    assert.equal(results.body['results'][0].headers.Allow, Allow);
  });

  it('[MET-13] [QRY-5] fails with the name of an unknown parameter', async () => {
    await using shop = await apiUnderTest(SHOP);
    const { body } = await batch(shop, [{ method: 'DELETE', path: '/notes/a?bogus=1&dry_rum=true' }], {
      status: 400,
      has: { errorCode: 'REQUEST_PARAMETER_UNKNOWN' },
    });
    assert.deepEqual(body['details'], [
      { field: 'operations[0].path', message: '"bogus" is not a known parameter' },
      { field: 'operations[0].path', message: '"dry_rum" is not a known parameter; did you mean "dry_run"?' },
    ]);
  });

  it('[MET-13] [CACHE-3] fails as a whole if an operation expects a collection that an earlier one changed', async () => {
    await using shop = await apiUnderTest(SHOP);
    const tag = (await shop.send({ send: 'GET /api/v1/notes' })).headers.get('etag') ?? '';
    const under = { ...note('b'), headers: { 'If-Match': tag } };
    await batch(shop, [note('a'), under], { status: 412, has: { errorCode: 'NOTE_PRECONDITION_FAILED' } });
    await batch(shop, [under, note('a')], { status: 201, events: ['note.created', 'note.created'] });
  });

  it('[MET-13] [MET-10] fails as a whole if the store finds a conflict between two operations', async () => {
    await using shop = await apiUnderTest(SHOP);
    const product: Operation = { method: 'POST', path: '/products', body: LAMP };
    await batch(shop, [product, { ...product, body: { ...LAMP, name: 'Other' } }], {
      status: 409,
      has: { errorCode: 'PRODUCT_ALREADY_EXISTS', details: [{ field: 'operations[1].body.sku', message: 'is taken' }] },
    });
    await shop.row({ send: 'GET /api/v1/products', status: 200, has: { data: [] } });
  });
});

describe('a batch that is not atomic', () => {
  it('[MET-13] runs each operation separately and in order', async () => {
    await using shop = await apiUnderTest(SHOP);
    const made = await batch(shop, [note('a'), note('a'), { method: 'PATCH', path: '/notes/a', body: { text: 'z' } }], {
      atomic: false,
      status: 201,
      has: { atomic: false, status: 'partially_failed' },
      events: ['note.created', 'note.updated'],
    });
    assert.deepEqual(statuses(made), [201, 409, 200]);
    const { body } = made.body['results'][1];
    assert.deepEqual(Object.keys(body), [
      'httpStatus',
      'errorCode',
      'errorMessage',
      'correlationId',
      'timestamp',
      'details',
    ]);
    assert.deepEqual(body.details, [{ field: 'id', message: 'is taken' }]);
    assert.equal(body.correlationId, made.headers.get('x-correlation-id'));
    const place = made.headers.get('location') ?? '';
    await shop.row({ send: `GET ${place}`, status: 200, expectBody: made.body });
  });

  it('[MET-13] has the status failed if no operation succeeded', async () => {
    await using shop = await apiUnderTest(SHOP);
    await batch(shop, [{ method: 'DELETE', path: '/notes/a' }], {
      atomic: false,
      status: 201,
      has: { status: 'failed' },
    });
  });
});

describe('the body of a batch', () => {
  const invalid: readonly (readonly [title: string, body: unknown, fields: readonly string[]])[] = [
    ['that is not an object', [], ['body']],
    ['without operations', {}, ['operations']],
    ['with an empty list', { operations: [] }, ['operations']],
    ['with more than 100', { operations: Array.from({ length: 101 }, () => note('a')) }, ['operations']],
    ['with an atomic that is not a boolean', { atomic: 'yes', operations: [note('a')] }, ['atomic']],
    [
      'with unknown members',
      { operations: [{ ...note('a'), url: '/x' }], continue: true },
      ['continue', 'operations[0].url'],
    ],
    [
      'with reading methods',
      {
        operations: [
          { method: 'GET', path: '/notes' },
          { method: 'post', path: '/notes' },
        ],
      },
      ['operations[0].method', 'operations[1].method'],
    ],
    [
      'with invalid paths',
      {
        operations: [
          { method: 'DELETE', path: 'notes/1' },
          { method: 'DELETE', path: '//x/notes' },
          { method: 'DELETE' },
          { method: 'POST', path: '/notes/' },
          { method: 'POST', path: '/notes//a' },
        ],
      },
      [0, 1, 2, 3, 4].map((index) => `operations[${index}].path`),
    ],
    ['with nested batches', { operations: [{ method: 'POST', path: '/batches', body: {} }] }, ['operations[0].path']],
    [
      'with nested batches under an encoded name',
      { operations: [{ method: 'POST', path: '/%62atches', body: {} }] },
      ['operations[0].path'],
    ],
    [
      'with paths that no request could have',
      {
        operations: [
          { method: 'DELETE', path: `/notes/${'x'.repeat(9_000)}` },
          { method: 'DELETE', path: '/notes/%zz' },
          { method: 'DELETE', path: '/notes/a#b' },
          { method: 'DELETE', path: '/notes/é' },
          { method: 'DELETE', path: '/notes/a?b=%' },
        ],
      },
      [0, 1, 2, 3, 4].map((index) => `operations[${index}].path`),
    ],
    [
      'with header fields that are too large together',
      { operations: [{ ...note('a'), headers: { 'If-Match': `"${'x'.repeat(20_000)}"` } }] },
      ['operations[0].headers'],
    ],
    [
      'with header fields of the batch',
      { operations: [{ ...note('a'), headers: { authorization: 'x', 'Idempotency-Key': 'k' } }] },
      ['operations[0].headers.authorization', 'operations[0].headers.Idempotency-Key'],
    ],
    [
      'with a repeated header field',
      { operations: [{ ...note('a'), headers: { 'If-Match': '*', 'if-match': '*' } }] },
      ['operations[0].headers.if-match'],
    ],
    [
      'with invalid header fields',
      {
        operations: [
          { ...note('a'), headers: { Prefer: 'a\nb' } },
          { ...note('b'), headers: [] },
        ],
      },
      ['operations[0].headers.Prefer', 'operations[1].headers'],
    ],
  ];
  for (const [title, body, fields] of invalid) {
    it(`[MET-13] ${title} is rejected with all its errors, atomic or not`, async () => {
      await using shop = await apiUnderTest(SHOP);
      const send = 'POST /api/v1/batches';
      const independent = Array.isArray(body) ? body : { atomic: false, ...Object(body) };
      for (const sent of [body, independent]) {
        const refused = await shop.row({ send, body: sent, status: 400, has: { errorCode: 'BATCH_INVALID' } });
        assert.deepEqual(column(refused.body['details'], 'field'), fields);
      }
    });
  }

  it('[NEG-2] is JSON', async () => {
    await using shop = await apiUnderTest(SHOP);
    await shop.row({
      send: 'POST /api/v1/batches',
      headers: { 'Content-Type': 'application/xml' },
      body: '<batch/>',
      status: 415,
      expectHeaders: { Accept: 'application/json, application/vnd.shop.v1+json' },
    });
  });
});

describe('features of each operation in a batch', () => {
  it('[MET-8] return=minimal omits the body', async () => {
    await using shop = await apiUnderTest(SHOP);
    const made = await batch(shop, [{ ...note('a'), headers: { Prefer: 'return=minimal' } }], {
      status: 201,
      events: ['note.created'],
    });
    const [result] = made.body['results'];
    assert.equal(result.body, null);
    assert.equal(result.headers['Preference-Applied'], 'return=minimal');
    assert.equal(result.headers.Location, '/api/v1/notes/a');
  });

  it('[MET-14] dry_run checks all operations and stores nothing', async () => {
    await using shop = await apiUnderTest(SHOP);
    const tried = await batch(shop, [note('a'), { method: 'PATCH', path: '/notes/a', body: { text: 'b' } }], {
      query: '?dry_run=true',
      status: 200,
      expectHeaders: { 'Dry-Run': 'true', Location: null, 'Content-Location': null },
      has: { status: 'succeeded' },
    });
    assert.deepEqual(statuses(tried), [200, 200]);
    await shop.row({ send: 'GET /api/v1/notes/a', status: 404 });
    await shop.row({ send: `GET /api/v1/batches/${tried.body['id']}`, status: 404 });
    await batch(shop, [{ ...note('a'), path: '/notes?dry_run=true' }], {
      status: 400,
      has: { errorCode: 'REQUEST_PARAMETER_INVALID' },
    });
  });

  for (const atomic of [true, false]) {
    it(`[MET-12] an idempotency key runs them once (atomic: ${atomic})`, async () => {
      await using shop = await apiUnderTest(SHOP);
      const headers = { 'Idempotency-Key': 'k' };
      const operations = [note('a'), { method: 'POST', path: '/suppliers', body: { name: 'S' } }];
      const first = await batch(shop, operations, {
        atomic,
        headers,
        status: 201,
        events: ['note.created', 'supplier.created'],
      });
      const again = await batch(shop, operations, {
        atomic,
        headers,
        status: 201,
        expectHeaders: { 'Idempotent-Replayed': 'true' },
      });
      assert.deepEqual(again.body, first.body);
      await batch(shop, [note('b')], { atomic, headers, status: 422, has: { errorCode: 'IDEMPOTENCY_KEY_REUSED' } });
    });
  }
});
