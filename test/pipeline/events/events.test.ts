import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EventEnvelope } from '../../../src/conventions/events/event.ts';
import { type ApiUnderTest, apiUnderTest, type ExchangeRow } from '../support/api-under-test.ts';
import { create, LAMP, SHOP } from '../models/shop-model.ts';

/** A collection for each `events` setting, and a nested one. */
const LOUD = `
name: desk
version: 1.3.4
resources:
  notes: { id: client, events: full, schema: { type: object, properties: { text: { type: string }, list: { type: array, items: { type: string } }, secret: { type: string, writeOnly: true } } } }
  lines: { parent: notes, id: client, events: full, on_parent_delete: cascade, schema: { type: object, properties: { text: { type: string } } } }
  words: { parent: lines, id: client, on_parent_delete: cascade, schema: { type: object, properties: { text: { type: string } } } }
  silent: { singular: silence, id: client, events: none, schema: { type: object, properties: { text: { type: string } } } }
`;

type Request = Pick<ExchangeRow, 'send' | 'headers' | 'body'>;

/** Sends a request and returns its only event. */
async function captureEvent(api: ApiUnderTest, request: Request): Promise<EventEnvelope> {
  const { status, text } = await api.send(request);
  assert.ok(status < 300, text);
  const [event, ...others] = await api.newEvents();
  assert.deepEqual(others, []);
  return event ?? assert.fail(`no event of ${request.send}`);
}

const UUID7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('an event', () => {
  it('[EVT-2] has exactly the members of the envelope, in order', async () => {
    await using shop = await apiUnderTest(SHOP);
    const event = await captureEvent(shop, { send: 'POST /api/v1/suppliers', body: { name: 'A' } });
    assert.deepEqual(Object.keys(event), ['id', 'type', 'payload', 'metadata']);
    assert.deepEqual(Object.keys(event.payload), ['timestamp', 'resource', 'parents', 'changed_fields']);
    assert.deepEqual(Object.keys(event.payload.resource), ['type', 'id', 'url']);
    assert.deepEqual(Object.keys(event.metadata), [
      'trace_id',
      'correlation_id',
      'schema_version',
      'sequence',
      'actor',
      'caller',
    ]);
    assert.match(event.id, UUID7);
    assert.deepEqual([event.metadata.schema_version, event.metadata.actor], ['1.4', null]);
    assert.deepEqual(event.metadata.caller, { issuer: null, subject: null, client: null });
  });

  it('[EVT-1] is published by every write with a change, with its type', async () => {
    await using shop = await apiUnderTest(SHOP);
    const send = '/api/v1/notes/a';
    const types: string[] = [];
    for (const request of [
      { send: 'POST /api/v1/notes', body: { id: 'a' } },
      { send: `PUT ${send}`, body: { text: 'x' } },
      { send: `PATCH ${send}`, body: { text: 'y' } },
      { send: `DELETE ${send}` },
      { send: `PUT ${send}`, body: { text: 'x' } },
    ]) {
      const { type, payload } = await captureEvent(shop, request);
      assert.equal(payload.resource.id, 'a');
      types.push(type);
    }
    assert.deepEqual(types, ['note.created', 'note.updated', 'note.updated', 'note.deleted', 'note.created']);
  });

  it('[EVT-1] is not published by reads, rejected writes and writes without a change', async () => {
    await using shop = await apiUnderTest(SHOP);
    const { id } = await create(shop, 'products', LAMP);
    const path = `/api/v1/products/${id}`;
    const requests: readonly Request[] = [
      { send: `GET ${path}` },
      { send: `HEAD ${path}` },
      { send: `OPTIONS ${path}` },
      { send: `PATCH ${path}`, body: {} },
      { send: `PATCH ${path}`, body: { name: '' } },
      { send: `PATCH ${path}`, headers: { 'If-Match': '"0"' }, body: { name: 'B' } },
      { send: `PATCH ${path}`, body: { supplier_id: 'missing' } },
      { send: `PATCH ${path}`, body: { status: 'CLOSED' } },
      { send: 'POST /api/v1/products', body: LAMP },
      { send: 'DELETE /api/v1/products/missing' },
    ];
    for (const request of requests) {
      await shop.send(request);
      assert.deepEqual(await shop.newEvents(), [], request.send);
    }
  });

  it('[EVT-2] [URL-9] has an absolute URL of its resource with the version, for any version carrier', async () => {
    await using shop = await apiUnderTest(SHOP);
    const { id } = await create(shop, 'products', LAMP);
    for (const send of ['POST /api/v1/notes', 'POST /api/notes', 'POST /api/notes?api_version=1.4']) {
      const { payload } = await captureEvent(shop, { send, body: { id: `a/b ${send}` } });
      assert.equal(payload.resource.type, 'note');
      assert.equal(
        payload.resource.url,
        `http://127.0.0.1:3000/api/v1/notes/${encodeURIComponent(payload.resource.id)}`,
      );
    }
    const review = await captureEvent(shop, { send: `POST /api/products/${id}/reviews`, body: { stars: 1 } });
    assert.equal(
      review.payload.resource.url,
      `http://127.0.0.1:3000/api/v1/products/${id}/reviews/${review.payload.resource.id}`,
    );
    await using known = await apiUnderTest(SHOP.replace('title:', 'public_url: https://shop.example\ntitle:'));
    const note = await captureEvent(known, { send: 'POST /api/v1/notes', body: { id: 'a' } });
    assert.equal(note.payload.resource.url, 'https://shop.example/api/v1/notes/a');
  });

  it('[EVT-2] has its type and resource in singular snake_case', async () => {
    await using shop = await apiUnderTest(SHOP);
    const event = await captureEvent(shop, { send: 'POST /api/v1/order-items', body: {} });
    assert.deepEqual([event.type, event.payload.resource.type], ['order_item.created', 'order_item']);
  });

  it('[EVT-2] has its parents, in URL order, for every type of change', async () => {
    await using desk = await apiUnderTest(LOUD);
    await create(desk, 'notes', { id: 'n' });
    await create(desk, 'notes/n/lines', { id: 'l' });
    const path = '/api/v1/notes/n/lines/l/words';
    for (const request of [
      { send: `POST ${path}`, body: { id: 'w' } },
      { send: `PATCH ${path}/w`, body: { text: 'x' } },
      { send: `DELETE ${path}/w` },
    ]) {
      const { payload } = await captureEvent(desk, request);
      const parents = payload.parents.map(({ type, id }) => `${type} ${id}`);
      assert.deepEqual(parents, ['line l', 'note n'], request.send);
    }
  });

  it('[EVT-2] of a cascaded delete has its parents', async () => {
    await using desk = await apiUnderTest(LOUD);
    await create(desk, 'notes', { id: 'n' });
    await create(desk, 'notes/n/lines', { id: 'l' });
    await create(desk, 'notes/n/lines/l/words', { id: 'w' });
    await desk.send({ send: 'DELETE /api/v1/notes/n' });
    const published = (await desk.newEvents()).map(({ type, payload }) => [
      type,
      new URL(payload.resource.url).pathname,
      payload.parents
        .map(({ id }) => id)
        .toSorted()
        .join(' '),
    ]);
    assert.deepEqual(published, [
      ['word.deleted', '/api/v1/notes/n/lines/l/words/w', 'l n'],
      ['line.deleted', '/api/v1/notes/n/lines/l', 'n'],
      ['note.deleted', '/api/v1/notes/n', ''],
    ]);
  });

  const changes: readonly (readonly [body: object, fields: readonly string[]])[] = [
    [{ category: 'x' }, ['category']],
    [{ tags: ['a'], category: 'x' }, ['category', 'tags']],
    [{ category: 'x', price: '5.0', currency: 'EUR' }, ['category']],
    [{ size: { unit: 'cm' } }, ['size']],
    [{ labels: { a: '1' }, cost: 3 }, ['labels']],
    [{ cost: 4 }, []],
    [{ currency: null }, ['currency']],
  ];
  for (const [body, fields] of changes) {
    it(`[EVT-2] lists the changed fields in order, without write-only fields: ${JSON.stringify(body)}`, async () => {
      await using shop = await apiUnderTest(SHOP);
      const { id } = await create(shop, 'products', LAMP);
      const { payload } = await captureEvent(shop, { send: `PATCH /api/v1/products/${id}`, body });
      assert.deepEqual(payload.changed_fields, fields);
    });
  }

  it('[EVT-2] lists all fields of a create, including defaults, and none of a delete', async () => {
    await using shop = await apiUnderTest(SHOP);
    const created = await captureEvent(shop, {
      send: 'POST /api/v1/products',
      body: { ...LAMP, tags: [], category: null, cost: 1 },
    });
    assert.deepEqual(created.payload.changed_fields, ['sku', 'name', 'price', 'currency', 'status']);
    const removed = await captureEvent(shop, { send: `DELETE /api/v1/products/${created.payload.resource.id}` });
    assert.deepEqual(removed.payload.changed_fields, []);
  });

  it('[EVT-2] has the time, the correlation id and the trace of its request', async () => {
    await using shop = await apiUnderTest(SHOP);
    shop.clock.advance(1500);
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    const headers = { 'X-Correlation-ID': 'order:7~a', traceparent: `00-${trace}-00f067aa0ba902b7-01` };
    const { payload, metadata } = await captureEvent(shop, { send: 'POST /api/v1/notes', headers, body: { id: 'a' } });
    assert.equal(payload.timestamp, '2026-01-02T03:04:07.178Z');
    assert.deepEqual([metadata.correlation_id, metadata.trace_id], ['order:7~a', trace]);
  });

  it('[ERR-5] [EVT-2] has generated ids for a request without them', async () => {
    await using shop = await apiUnderTest(SHOP);
    const seen = await shop.send({
      send: 'POST /api/v1/notes',
      headers: { 'X-Correlation-ID': 'not valid' },
      body: { id: 'a' },
    });
    const [event] = await shop.newEvents();
    assert.equal(event?.metadata.correlation_id, seen.headers.get('x-correlation-id'));
    assert.match(event?.metadata.trace_id ?? '', /^(?!0{32})[0-9a-f]{32}$/);
  });

  it('[EVT-3b] has a greater sequence than the one before, as 20 digits, so that string order is numeric order', async () => {
    await using shop = await apiUnderTest(SHOP);
    for (let note = 0; note < 12; note++) await shop.send({ send: 'POST /api/v1/notes', body: { id: `${note}` } });
    await shop.send({ send: 'POST /api/v1/notes', body: { id: '0' } });
    await shop.send({ send: 'DELETE /api/v1/notes/0' });
    const events = await shop.newEvents();
    const sequences = events.map(({ metadata }) => metadata.sequence);
    assert.ok(sequences.every((sequence) => /^\d{20}$/.test(sequence)));
    assert.deepEqual(sequences, [...new Set(sequences)].toSorted());
    assert.equal(new Set(events.map(({ id }) => id)).size, 13);
    assert.deepEqual(
      events.map(({ id }) => id),
      events.map(({ id }) => id).toSorted(),
      'ids in the order of the log',
    );
  });

  it('[EVT-1] is not changed by later writes', async () => {
    await using shop = await apiUnderTest(SHOP);
    await shop.send({ send: 'POST /api/v1/notes', body: { id: 'a', text: 'x' } });
    const [before] = await shop.store.events.after(0, 1);
    await shop.send({ send: 'DELETE /api/v1/notes/a' });
    assert.deepEqual((await shop.store.events.after(0, 1))[0], before);
  });
});

describe('the events setting', () => {
  it('[EVT-2] full includes the data: after a change, and before a delete, without write-only fields', async () => {
    await using desk = await apiUnderTest(LOUD);
    const path = '/api/v1/notes/n';
    const created = await captureEvent(desk, { send: 'POST /api/v1/notes', body: { id: 'n', text: 'a', secret: 's' } });
    assert.deepEqual(created.payload.data, { id: 'n', text: 'a', list: [] });
    const updated = await captureEvent(desk, { send: `PATCH ${path}`, body: { list: ['x'], secret: 't' } });
    assert.deepEqual(updated.payload.data, { id: 'n', text: 'a', list: ['x'] });
    assert.deepEqual(updated.payload.changed_fields, ['list']);
    const line = await captureEvent(desk, { send: `POST ${path}/lines`, body: { id: 'l', text: 'b' } });
    assert.deepEqual(line.payload.data, { id: 'l', note_id: 'n', text: 'b' });
    assert.deepEqual(line.payload.changed_fields, ['text'], 'the parent is separate');
    await desk.send({ send: `DELETE ${path}` });
    const gone = await desk.newEvents();
    assert.deepEqual(
      gone.map(({ payload }) => payload.data),
      [line.payload.data, updated.payload.data],
    );
  });

  it('[EVT-2] none publishes nothing', async () => {
    await using desk = await apiUnderTest(LOUD);
    await desk.row({ send: 'POST /api/v1/silent', body: { id: 'a' }, status: 201 });
    await desk.row({ send: 'PATCH /api/v1/silent/a', body: { text: 'x' }, status: 200 });
    await desk.row({ send: 'DELETE /api/v1/silent/a', status: 204 });
  });

  it('[EVT-2] adds the minor version of the contract', async () => {
    await using desk = await apiUnderTest(LOUD);
    const { metadata } = await captureEvent(desk, { send: 'POST /api/v1/notes', body: { id: 'n' } });
    assert.equal(metadata.schema_version, '1.3');
  });
});
