import assert from 'node:assert/strict';
import { after as afterAll, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest, column, type Seen } from '../support/api-under-test.ts';
import { SMALL_SHOP } from '../models/shop-model.ts';

const MERGE = { 'Content-Type': 'application/merge-patch+json' };
const PATCH = { 'Content-Type': 'application/json-patch+json' };

let api: ApiUnderTest;
before(async () => {
  api = await apiUnderTest(SMALL_SHOP);
});
afterAll(() => api.close());

let count = 0;
/** Creates a new product. */
async function product(more: Readonly<Record<string, unknown>> = {}): Promise<Seen> {
  count += 1;
  return api.row({
    send: 'POST /api/v1/products',
    body: { sku: `sku-${count}`, name: 'Lamp', price: '5', ...more },
    status: 201,
    events: ['product.created'],
  });
}

describe('POST', () => {
  it('[MET-1] returns 201 with the representation, Location, Content-Location, ETag and no-store', async () => {
    const { body, headers } = await product({ cost: 3, released_at: '2026-01-01T01:00:00.98765+02:00' });
    assert.deepEqual(Object.keys(body), [
      'id',
      'sku',
      'name',
      'price',
      'currency',
      'category',
      'quantity',
      'weight',
      'fragile',
      'serial',
      'due',
      'released_at',
      'tags',
      'labels',
      'size',
      'status',
      'supplier_id',
      'related_ids',
      'photo',
      'owner_id',
      'created_at',
      'updated_at',
      'revision',
      'links',
    ]);
    assert.equal(headers.get('location'), `/api/v1/products/${body['id']}`);
    assert.equal(headers.get('content-location'), headers.get('location'));
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.match(headers.get('etag') ?? '', new RegExp(`^"${body['revision']}\\.[^"]+"$`));
    assert.equal(body['released_at'], '2025-12-31T23:00:00.987Z', '[REP-3] truncated to milliseconds, in UTC');
    assert.equal(body['price'], '5.00');
  });

  it('[REP-6] ignores read-only members, and rejects an id if the server generates ids', async () => {
    const { body } = await product({ revision: 99, created_at: 'x', links: 1, owner_id: 'me' });
    assert.equal(body['owner_id'], null);
    await api.row({
      send: 'POST /api/v1/suppliers',
      body: { id: 'mine', name: 'A' },
      status: 400,
      has: {
        errorCode: 'SUPPLIER_INVALID',
        details: [{ field: 'id', message: 'is assigned by the server; omit it' }],
      },
    });
  });

  it('[ERR-3] reports all errors together, including missing references', async () => {
    const { body } = await api.row({
      send: 'POST /api/v1/products',
      body: { sku: '', price: 'much', supplier_id: 'missing', related_ids: ['x'], colour: 'red' },
      status: 400,
    });
    assert.deepEqual(column(body['details'], 'field').toSorted(), [
      'colour',
      'name',
      'price',
      'related_ids[0]',
      'sku',
      'supplier_id',
    ]);
  });

  it('[REP-5] drops unknown members with handling=lenient and reports it', async () => {
    await api.row({
      send: 'POST /api/v1/suppliers',
      headers: { Prefer: 'handling=lenient' },
      body: { name: 'A', colour: 'red' },
      status: 201,
      expectHeaders: { 'Preference-Applied': 'handling=lenient' },
      events: ['supplier.created'],
    });
  });

  it('[MET-10] reports the field of a duplicate value, never the index', async () => {
    const { body } = await product();
    await api.row({
      send: 'POST /api/v1/products',
      body: { sku: body['sku'], name: 'B', price: '1' },
      status: 409,
      has: { errorCode: 'PRODUCT_ALREADY_EXISTS', details: [{ field: 'sku', message: 'is taken' }] },
    });
  });

  it('[MET-11] allows only the initial state', async () => {
    await api.row({
      send: 'POST /api/v1/products',
      body: { sku: 'x', name: 'B', price: '1', status: 'ACTIVE' },
      status: 409,
      has: { errorCode: 'PRODUCT_CONFLICT' },
    });
  });

  it('[MET-1] checks all ancestors before the body', async () => {
    await api.row({
      send: 'POST /api/v1/products/missing/reviews',
      body: { stars: 9 },
      status: 404,
      has: { errorCode: 'PRODUCT_NOT_FOUND' },
    });
  });
});

describe('PUT', () => {
  it('[MET-2] replaces all writable fields, and returns no ETag', async () => {
    const { body } = await product({ tags: ['a'], currency: 'USD', cost: 3 });
    const put = await api.row({
      send: `PUT /api/v1/products/${body['id']}`,
      body: { name: 'Chair', price: '7.5' },
      status: 200,
      expectHeaders: { ETag: null, 'Content-Location': `/api/v1/products/${body['id']}` },
      has: { sku: body['sku'], name: 'Chair', price: '7.50', currency: 'EUR', tags: [], status: 'DRAFT' },
      events: ['product.updated'],
    });
    assert.ok(Number(put.body['revision']) > Number(body['revision']));
  });

  it('[REP-6] accepts a GET response', async () => {
    const { body } = await product({ tags: ['a'] });
    await api.row({ send: `PUT /api/v1/products/${body['id']}`, body, status: 200, expectBody: body });
  });

  it('[MET-7] keeps revision and time, and publishes nothing, if nothing changes', async () => {
    const { body } = await product();
    api.clock.advance(1000);
    await api.row({
      send: `PUT /api/v1/products/${body['id']}`,
      body: { ...body, price: '5.0' },
      status: 200,
      expectBody: body,
    });
  });

  it('[REP-6] compares the revision in a body without If-Match', async () => {
    const { body } = await product();
    const send = `PUT /api/v1/products/${body['id']}`;
    await api.row({
      send,
      body: { ...body, name: '', revision: 1_000_000 },
      status: 412,
      has: { errorCode: 'PRODUCT_PRECONDITION_FAILED' },
    });
    await api.row({
      send,
      headers: { 'If-Match': `"${body['revision']}"` },
      body: { ...body, name: 'B', revision: 1_000_000 },
      status: 200,
      events: ['product.updated'],
    });
  });

  it('[REP-6] rejects an id that differs from the path, and a change of an immutable field', async () => {
    const { body } = await product();
    const send = `PUT /api/v1/products/${body['id']}`;
    await api.row({ send, body: { ...body, id: 'other' }, status: 400, has: { errorCode: 'PRODUCT_INVALID' } });
    await api.row({
      send,
      body: { ...body, sku: 'other' },
      status: 400,
      has: { details: [{ field: 'sku', message: 'is immutable; it cannot be changed after creation' }] },
    });
  });

  it('[MET-2] creates with a client id, and returns 404 if the server generates ids', async () => {
    await api.row({
      send: 'PUT /api/v1/notes/AC%2FDC%20%40%20100%25',
      body: { text: 'a' },
      status: 201,
      expectHeaders: { Location: '/api/v1/notes/AC%2FDC%20%40%20100%25', ETag: null },
      has: { id: 'AC/DC @ 100%' },
      events: ['note.created'],
    });
    await api.row({
      send: 'PUT /api/v1/suppliers/missing',
      body: { name: 'A' },
      status: 404,
      has: { errorCode: 'SUPPLIER_NOT_FOUND' },
    });
  });
});

describe('PATCH', () => {
  it('[MET-3] merges: null removes without restoring a default, absent members stay, nested objects merge', async () => {
    const { body } = await api.row({
      send: 'POST /api/v1/suppliers',
      body: { name: 'A', country: 'NO', address: { city: 'Oslo', zip: '0150' } },
      status: 201,
      events: ['supplier.created'],
    });
    await api.row({
      send: `PATCH /api/v1/suppliers/${body['id']}`,
      headers: MERGE,
      body: { country: null, address: { zip: null } },
      status: 200,
      expectHeaders: { ETag: /^"\d+\./ },
      has: { name: 'A', country: null, address: { city: 'Oslo', zip: null } },
      events: ['supplier.updated'],
    });
  });

  it('[MET-3] applies all operations of a JSON patch or none', async () => {
    const { body } = await product();
    const send = `PATCH /api/v1/products/${body['id']}`;
    await api.row({
      send,
      headers: PATCH,
      body: [
        { op: 'add', path: '/tags/-', value: 'new' },
        { op: 'test', path: '/name', value: 'other' },
      ],
      status: 409,
      has: { errorCode: 'PRODUCT_CONFLICT' },
    });
    await api.row({
      send,
      headers: PATCH,
      body: [
        { op: 'test', path: '/revision', value: body['revision'] },
        { op: 'add', path: '/tags/-', value: 'new' },
      ],
      status: 200,
      has: { tags: ['new'] },
      events: ['product.updated'],
    });
  });

  it('[REP-11a] does not let a JSON patch read a write-only field, but lets it set one', async () => {
    const { body } = await product({ cost: 3 });
    const send = `PATCH /api/v1/products/${body['id']}`;
    await api.row({ send, headers: PATCH, body: [{ op: 'test', path: '/cost', value: 3 }], status: 409 });
    await api.row({ send, headers: PATCH, body: [{ op: 'copy', from: '/cost', path: '/name' }], status: 409 });
    const patched = await api.send({ send, headers: PATCH, body: [{ op: 'add', path: '/cost', value: 4 }] });
    assert.equal(patched.status, 200);
    const [event] = await api.newEvents();
    assert.deepEqual(event?.payload.changed_fields, []);
    assert.doesNotMatch(JSON.stringify(event), /cost/);
  });

  it('[MET-3] rejects a JSON patch of a read-only member with 400', async () => {
    const { body } = await product();
    for (const path of ['/revision', '/owner_id', '/id', '/created_at']) {
      await api.row({
        send: `PATCH /api/v1/products/${body['id']}`,
        headers: PATCH,
        body: [{ op: 'replace', path, value: 1 }],
        status: 400,
        has: { errorCode: 'PRODUCT_INVALID' },
      });
    }
  });

  it('[MET-3] lists the supported media types with 415', async () => {
    const { body } = await product();
    await api.row({
      send: `PATCH /api/v1/products/${body['id']}`,
      headers: { 'Content-Type': 'text/plain' },
      body: 'x',
      status: 415,
      expectHeaders: { 'Accept-Patch': /application\/merge-patch\+json, application\/json-patch\+json/ },
    });
  });

  it('[MET-11] allows only declared state transitions, and names the rejected one', async () => {
    const { body } = await product();
    const send = `PATCH /api/v1/products/${body['id']}`;
    const refused = await api.row({ send, body: { status: 'CLOSED' }, status: 409 });
    assert.match(refused.body['errorMessage'], /cannot change from DRAFT to CLOSED/);
    await api.row({ send, body: { status: 'DRAFT' }, status: 200 });
    await api.row({ send, body: { status: 'ACTIVE' }, status: 200, events: ['product.updated'] });
  });
});

describe('DELETE', () => {
  it('[MET-4a] returns 204, and then 404', async () => {
    const { body } = await product();
    const send = `DELETE /api/v1/products/${body['id']}`;
    await api.row({ send, status: 204, expectHeaders: { 'Cache-Control': 'no-store' }, events: ['product.deleted'] });
    await api.row({ send, headers: { 'If-Match': '*' }, status: 404, has: { errorCode: 'PRODUCT_NOT_FOUND' } });
  });

  it('[MET-4d] deletes children, each with its event, deepest first', async () => {
    const { body } = await product();
    const path = `/api/v1/products/${body['id']}/reviews`;
    const review = await api.row({ send: `POST ${path}`, body: { stars: 5 }, status: 201, events: ['review.created'] });
    await api.row({
      send: `POST ${path}/${review.body['id']}/comments`,
      body: { text: 'x' },
      status: 201,
      events: ['comment.created'],
    });
    await api.row({
      send: `DELETE /api/v1/products/${body['id']}`,
      status: 204,
      events: ['comment.deleted', 'review.deleted', 'product.deleted'],
    });
  });

  it('[MET-4e] is rejected while other rows refer to the row, and nullifies on_delete: nullify references', async () => {
    const supplier = await api.row({
      send: 'POST /api/v1/suppliers',
      body: { name: 'A' },
      status: 201,
      events: ['supplier.created'],
    });
    const one = await product({ supplier_id: supplier.body['id'] });
    const other = await product({ related_ids: [one.body['id']] });
    await api.row({
      send: `DELETE /api/v1/products/${one.body['id']}`,
      status: 409,
      has: { errorCode: 'PRODUCT_HAS_DEPENDENTS' },
    });
    await api.row({
      send: `DELETE /api/v1/suppliers/${supplier.body['id']}`,
      status: 204,
      events: ['product.updated', 'supplier.deleted'],
    });
    await api.row({ send: `GET /api/v1/products/${one.body['id']}`, status: 200, has: { supplier_id: null } });
    await api.row({ send: `DELETE /api/v1/products/${other.body['id']}`, status: 204, events: ['product.deleted'] });
    await api.row({ send: `DELETE /api/v1/products/${one.body['id']}`, status: 204, events: ['product.deleted'] });
  });
});

describe('preconditions of a write', () => {
  it('[CACHE-3] is required if the model says so, and is checked before the body', async () => {
    const send = 'PUT /api/v1/notes/kept';
    await api.row({ send, body: { text: 'a' }, status: 201, events: ['note.created'] });
    await api.row({ send, body: { text: 1 }, status: 428, has: { errorCode: 'REQUEST_PRECONDITION_REQUIRED' } });
    await api.row({ send, headers: { 'If-Match': '"1"' }, body: { text: 1 }, status: 412 });
    await api.row({ send, headers: { 'If-Match': '*' }, body: { text: 1 }, status: 400 });
    await api.row({ send, headers: { 'If-None-Match': '*' }, body: { text: 'b' }, status: 428 });
    await api.row({ send: 'PUT /api/v1/notes/none', headers: { 'If-Match': '*' }, body: { text: 'b' }, status: 412 });
  });

  it('[CACHE-3] compares the revision of strong ETags, and never matches a weak one', async () => {
    const { body } = await product();
    const send = `PATCH /api/v1/products/${body['id']}`;
    await api.row({ send, headers: { 'If-Match': `W/"${body['revision']}"` }, body: { name: 'B' }, status: 412 });
    await api.row({
      send,
      headers: { 'If-Match': `"7", "${body['revision']}.any"` },
      body: { name: 'B' },
      status: 200,
      events: ['product.updated'],
    });
  });
});

describe('events', () => {
  it('[EVT-2] contain the change, its resource and its trace', async () => {
    await api.newEvents();
    const created = await api.send({
      send: 'POST /api/v1/suppliers',
      headers: { 'X-Correlation-ID': 'c-1', traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
      body: { name: 'A' },
    });
    const [event] = await api.newEvents();
    assert.deepEqual(event, {
      id: event?.id,
      type: 'supplier.created',
      payload: {
        timestamp: created.body['created_at'],
        resource: {
          type: 'supplier',
          id: created.body['id'],
          url: `http://127.0.0.1:3000/api/v1/suppliers/${created.body['id']}`,
        },
        parents: [],
        changed_fields: ['name'],
      },
      metadata: {
        trace_id: '0af7651916cd43dd8448eb211c80319c',
        correlation_id: 'c-1',
        schema_version: '1.4',
        sequence: event?.metadata.sequence,
        actor: null,
        caller: { issuer: null, subject: null, client: null },
      },
    });
    assert.match(event?.metadata.sequence ?? '', /^\d{20}$/);
  });

  it('[EVT-2] contain the parents, and the data if the model says so', async () => {
    const { body } = await product();
    await api.send({ send: `POST /api/v1/products/${body['id']}/reviews`, body: { stars: 5 } });
    await api.send({ send: 'POST /api/v1/notes', body: { id: 'full', text: 'x' } });
    const [review, note] = await api.newEvents();
    assert.deepEqual(review?.payload.parents, [{ type: 'product', id: body['id'] }]);
    assert.deepEqual(review?.payload.changed_fields, ['stars']);
    assert.deepEqual(note?.payload.data, { id: 'full', text: 'x' });
  });
});

describe('concurrent writers', () => {
  it('[CACHE-3] lose no update: of two writes to one revision, one returns 412', async () => {
    const { body } = await product();
    const patch = (name: string) =>
      api.send({
        send: `PATCH /api/v1/products/${body['id']}`,
        headers: { 'If-Match': `"${body['revision']}"` },
        body: { name },
      });
    const statuses = (await Promise.all([patch('A'), patch('B')])).map(({ status }) => status);
    assert.deepEqual(
      statuses.toSorted((a, b) => a - b),
      [200, 412],
    );
    await api.newEvents();
  });

  it('[MET-10] of 32 concurrent creates with one duplicate value, 31 succeed', async () => {
    const posts = Array.from({ length: 32 }, (_, index) =>
      api.send({
        send: 'POST /api/v1/products',
        body: { sku: `many-${index === 31 ? 0 : index}`, name: 'N', price: '1' },
      }),
    );
    const statuses = (await Promise.all(posts)).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 201).length, 31);
    assert.equal(statuses.filter((status) => status === 409).length, 1);
    assert.equal((await api.newEvents()).length, 31);
  });
});

describe('Api.importRows', () => {
  it('[MET-1] imports rows with the rules of POST, all or none, and reports every invalid row', async () => {
    const refused = await api.api.importRows('suppliers', [{ name: 'A' }, { name: 1 }, {}]);
    assert.equal(refused.kind, 'refused');
    assert.deepEqual(refused.kind === 'refused' ? refused.errors.map(({ row, code }) => [row, code]) : [], [
      [1, 'SUPPLIER_INVALID'],
      [2, 'SUPPLIER_INVALID'],
    ]);
    assert.deepEqual(await api.newEvents(), []);
    const bookmark = { name: 'import', value: '2' };
    assert.deepEqual(await api.api.importRows('suppliers', [{ name: 'A' }, { name: 'B' }], bookmark), {
      kind: 'stored',
      count: 2,
    });
    assert.equal(await api.store.bookmarks.get('import'), '2');
    assert.equal((await api.newEvents()).length, 2);
    await assert.rejects(api.api.importRows('nothing', []), RangeError);
  });
});
