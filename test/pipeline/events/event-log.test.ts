import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { Ajv } from 'ajv';
import type { EventLog } from '../../../src/stores/store.ts';
import { type ApiUnderTest, apiUnderTest, type Seen, type Setting, START } from '../support/api-under-test.ts';
import { at, changedLog, withoutFirst } from '../support/changed-log.ts';
import { as, callerTokens } from '../support/caller-tokens.ts';
import { SHOP } from '../models/shop-model.ts';

const AUTH = `
auth:
  issuers: [{ name: test, issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }]
limits: { rate: false }
`;
const MODEL = `
name: desk
version: 2.0.0
default_version: 2
${AUTH}
resources:
  notes:
    id: client
    events: full
    access: { rows: { read: { tenant: $caller.claims.tenant }, update: true }, fields: { cost: { read: { scope: notes:cost } } } }
    schema: { type: object, properties: { text: { type: string }, tenant: { type: string }, cost: { type: integer } } }
  places: { id: client, schema: { type: object, properties: { text: { type: string } } } }
versions:
  1.0.0:
    changes:
      - { resource: notes, collection: memos, singular: memo }
      - { resource: notes, rename: { body: text } }
`;

const SCOPES = ['events:read', 'notes:read', 'notes:write', 'places:read', 'places:write'];
const of = (tenant: string, ...more: string[]) =>
  as({ subject: `of ${tenant}`, scopes: [...SCOPES, ...more], claims: { tenant } });

const open = (setting: Setting = {}): Promise<ApiUnderTest> =>
  apiUnderTest(MODEL, { tokens: callerTokens(), ...setting });

/** Sends a request that succeeds. */
async function done(
  api: ApiUnderTest,
  send: string,
  headers: Readonly<Record<string, string>> = {},
  body?: unknown,
): Promise<Seen> {
  const got = await api.send({ send, headers, body });
  assert.ok(got.status < 300, `${send}: ${got.status} ${got.text}`);
  return got;
}

/** Sends a request that fails. */
async function refused(
  api: ApiUnderTest,
  send: string,
  status: number,
  errorCode: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const got = await api.send({ send, headers });
  assert.deepEqual([got.status, got.body.errorCode], [status, errorCode], `${send}: ${got.text}`);
}

/** Creates suppliers in an API without authentication. */
async function suppliers(api: ApiUnderTest, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await done(api, 'POST /api/v1/suppliers', {}, { name: `s${index}` });
}

const typesOf = ({ body }: Seen): readonly string[] => body.data.map(({ type }: { readonly type: string }) => type);
const sequencesOf = ({ body }: Seen): readonly number[] =>
  body.data.map((event: { readonly metadata: { readonly sequence: string } }) => Number(event.metadata.sequence));

/** A log whose first event is there so many times. */
function repeating(events: EventLog, count: number): EventLog {
  return changedLog(events, {
    async list({ after, limit }) {
      const [first, second] = await events.list({ after: 0, limit: 2 });
      assert.ok(first !== undefined && second !== undefined);
      const length = Math.min(limit, count + 1 - after);
      return Array.from({ length }, (_, index) => {
        const sequence = after + index + 1;
        return at(sequence > count ? second : first, sequence);
      });
    },
  });
}

describe('the event log', () => {
  it('[EVT-8a] has the envelopes themselves, in the order of their sequence, page by page', async () => {
    await using api = await apiUnderTest(SHOP);
    await suppliers(api, 7);
    const logged = await api.store.events.list({ after: 0, limit: 10 });
    const texts: string[] = [];
    let next: string | undefined = '/api/v1/events?limit=3';
    const counts: number[] = [];
    while (next !== undefined) {
      const got: Seen = await done(api, `GET ${next}`);
      const { data, page, links } = got.body;
      counts.push(page.count);
      texts.push(...data.map((event: unknown) => JSON.stringify(event)));
      assert.deepEqual([page.technique, page.limit, page.prev_cursor], ['cursor', 3, null]);
      assert.deepEqual(
        [page.has_more, page.next_cursor === null],
        [links.next !== undefined, links.next === undefined],
      );
      ({ next } = links);
    }
    assert.deepEqual(counts, [3, 3, 1]);
    assert.deepEqual(
      texts,
      logged.map(({ json }) => json),
    );
    await refused(api, 'GET /api/v1/events?sort=-sequence', 400, 'REQUEST_PARAMETER_UNKNOWN');
    for (const method of ['POST', 'QUERY', 'PUT', 'DELETE'])
      await refused(api, `${method} /api/v1/events`, 405, 'REQUEST_METHOD_NOT_ALLOWED');
  });

  it('[EVT-8a] is filtered by type, resource and time', async () => {
    await using api = await apiUnderTest(SHOP);
    await suppliers(api, 2);
    api.clock.advance(1_000);
    await done(api, 'POST /api/v1/notes', {}, { id: 'a', text: 'x' });
    await done(api, 'PUT /api/v1/notes/a', {}, { text: 'y' });
    const rows: readonly (readonly [query: string, types: readonly string[]])[] = [
      ['type=note.updated', ['note.updated']],
      ['type=note.updated&type=supplier.created', ['supplier.created', 'supplier.created', 'note.updated']],
      ['resource_type=note', ['note.created', 'note.updated']],
      ['collection=notes', ['note.created', 'note.updated']],
      ['collection=notes&collection=suppliers&type=supplier.created', ['supplier.created', 'supplier.created']],
      ['resource_type=note&type=note.created', ['note.created']],
      ['resource_type=note&type=supplier.created', []],
      ['resource_id=a', ['note.created', 'note.updated']],
      ['resource_id=a&type=note.deleted', []],
      [`start_time=${new Date(START + 1_000).toISOString()}`, ['note.created', 'note.updated']],
      [
        `before=${new Date(START + 1_000).toISOString()}&type=supplier.created`,
        ['supplier.created', 'supplier.created'],
      ],
    ];
    for (const [query, types] of rows)
      assert.deepEqual(typesOf(await done(api, `GET /api/v1/events?${query}`)), types, query);
    for (const [query, errorCode] of [
      ['type=note.changed', 'QUERY_FILTER_INVALID'],
      ['resource_type=notes', 'QUERY_FILTER_INVALID'],
      ['collection=note', 'QUERY_FILTER_INVALID'],
      ['resource_id=a&resource_id=b', 'REQUEST_PARAMETER_DUPLICATED'],
      ['start_time=yesterday', 'PAGINATION_POSITION_INVALID'],
      ['limit=0', 'PAGINATION_LIMIT_INVALID'],
    ] as const)
      await refused(api, `GET /api/v1/events?${query}`, 400, errorCode);
    const { body } = await api.send({ send: 'GET /api/v1/events?type=note.create' });
    assert.match(body.details[0].message, /did you mean "note.created"/);
    const operator = await api.send({ send: 'GET /api/v1/events?type[in]=note.created' });
    assert.match(operator.body.details[0].message, /did you mean "type"/);
  });

  it('[EVT-8a] [PAGE-6] continues by a cursor with its filters, and refuses one of another collection or with other filters', async () => {
    await using api = await apiUnderTest(SHOP);
    await suppliers(api, 3);
    const first = await done(api, 'GET /api/v1/events?type=supplier.created&limit=2');
    await done(api, 'POST /api/v1/notes', {}, { id: 'a' });
    const cursor = String(first.body.page.next_cursor);
    assert.deepEqual(sequencesOf(await done(api, `GET /api/v1/events?after=${cursor}`)), [3]);
    const list = await done(api, 'GET /api/v1/suppliers?limit=1');
    await refused(api, `GET /api/v1/events?after=${list.body.page.next_cursor}`, 400, 'PAGINATION_CURSOR_INVALID');
    await refused(api, `GET /api/v1/suppliers?after=${cursor}`, 400, 'PAGINATION_CURSOR_INVALID');
    await refused(api, 'GET /api/v1/events?after=3', 400, 'PAGINATION_CURSOR_INVALID');
    await refused(api, `GET /api/v1/events?after=${cursor}&type=note.created`, 400, 'PAGINATION_CURSOR_MISMATCH');
  });

  it('[EVT-8a] has a cursor after each page, also an empty one, for the events that are logged later', async () => {
    await using api = await apiUnderTest(SHOP);
    const end = async (query: string): Promise<string> => {
      const { page } = (await done(api, `GET /api/v1/events${query}`)).body;
      assert.ok(page.next_cursor === null || page.next_cursor === page.end_cursor);
      return `?after=${page.end_cursor}`;
    };
    const empty = await end('');
    await suppliers(api, 3);
    const incomplete = await end(empty);
    const [complete, filtered] = [await end('?limit=2'), await end('?type=note.created')];
    assert.equal(await end(incomplete), incomplete, 'while nothing is logged, it stays the same');
    await done(api, 'POST /api/v1/notes', {}, { id: 'a' });
    for (const [query, sequences] of [
      [empty, [1, 2, 3, 4]],
      [complete, [3, 4]],
      [incomplete, [4]],
      [filtered, [4]],
    ] as const)
      assert.deepEqual(sequencesOf(await done(api, `GET /api/v1/events${query}`)), sequences, query);
    const list = await done(api, 'GET /api/v1/suppliers');
    assert.equal('end_cursor' in list.body.page, false, 'other collections have none');
  });

  it('[EVT-8a] [EVT-8c] continues after what was read, also where nothing of it was shown', async () => {
    const removed = { count: 0 };
    await using api = await apiUnderTest(SHOP, {
      breaking: (store) => ({ ...store, events: withoutFirst(store.events, removed) }),
    });
    const start = await done(api, 'GET /api/v1/events');
    await suppliers(api, 4);
    const none = await done(api, 'GET /api/v1/events?type=note.created');
    removed.count = 4;
    await done(api, `GET /api/v1/events?after=${none.body.page.end_cursor}`);
    const lost = `GET /api/v1/events?after=${start.body.page.end_cursor}`;
    await refused(api, lost, 410, 'EVENT_POSITION_EXPIRED');
  });

  it('[EVT-8a] [NEG-1] has the cursor after a page as X-End-Cursor in formats without metadata', async () => {
    await using api = await apiUnderTest(SHOP);
    await suppliers(api, 1);
    const read = (query: string, headers: Readonly<Record<string, string>> = {}): Promise<Seen> =>
      api.send({ send: `GET /api/v1/events${query}`, headers: { Accept: 'application/x-ndjson', ...headers } });
    const first = await read('?type=note.created');
    const etag = first.headers.get('etag') ?? '';
    assert.equal((await read('?type=note.created', { 'If-None-Match': etag })).status, 304);
    await suppliers(api, 1);
    const second = await read('?type=note.created', { 'If-None-Match': etag });
    assert.deepEqual([second.status, second.text], [200, ''], 'the ETag is also that of the cursor');
    assert.notEqual(second.headers.get('x-end-cursor'), first.headers.get('x-end-cursor'));
    const batch = { Accept: 'application/cloudevents-batch+json' };
    const rest = await read(`?after=${first.headers.get('x-end-cursor')}`, batch);
    assert.equal(rest.text, '[]');
    assert.equal((await read('', { Accept: 'application/json' })).headers.has('x-end-cursor'), false);
  });

  it('[EVT-3b] [EVT-8a] has no event of which an earlier one was logged while it was read', async () => {
    const untils: (number | undefined)[] = [];
    await using api = await apiUnderTest(SHOP, {
      breaking: (store) => ({
        ...store,
        events: changedLog(store.events, {
          list: (query) => {
            untils.push(query.until);
            return store.events.list(query);
          },
        }),
      }),
    });
    await suppliers(api, 3);
    await done(api, 'GET /api/v1/events?type=supplier.created&type=note.created');
    assert.deepEqual(
      untils.filter((until) => until !== undefined),
      [3],
    );
  });

  it('[EVT-8a] has each event by its id, and answers 304 where it is current', async () => {
    await using api = await apiUnderTest(SHOP);
    await suppliers(api, 1);
    const [logged] = await api.store.events.list({ after: 0, limit: 1 });
    assert.ok(logged !== undefined);
    const found = await done(api, `GET /api/v1/events/${logged.event.id}`);
    assert.equal(found.text, logged.json);
    const etag = found.headers.get('etag') ?? '';
    const headers = { 'If-None-Match': etag };
    const again = await api.send({ send: `GET /api/v1/events/${logged.event.id}`, headers });
    assert.deepEqual([again.status, again.text], [304, '']);
    const head = await done(api, `HEAD /api/v1/events/${logged.event.id}`);
    assert.equal(head.headers.get('etag'), etag);
    for (const id of ['none', '0198c0de-7a1b-7c3d-8e4f-5a6b7c8d9e0f'])
      await refused(api, `GET /api/v1/events/${id}`, 404, 'EVENT_NOT_FOUND');
  });

  it('[EVT-8c] answers 410 where events after the position are no longer stored', async () => {
    const removed = { count: 0 };
    await using api = await apiUnderTest(SHOP, {
      breaking: (store) => ({ ...store, events: withoutFirst(store.events, removed) }),
    });
    await suppliers(api, 4);
    const { body } = await done(api, 'GET /api/v1/events?limit=2');
    const send = `GET ${body.links.next}`;
    removed.count = 2;
    assert.deepEqual(sequencesOf(await done(api, send)), [3, 4]);
    removed.count = 3;
    await refused(api, send, 410, 'EVENT_POSITION_EXPIRED');
    assert.deepEqual(sequencesOf(await done(api, 'GET /api/v1/events')), [4]);
  });

  it('[EVT-10b] [NEG-1] is a batch of CloudEvents and lines of NDJSON, with what a page says in header fields', async () => {
    await using api = await apiUnderTest(SHOP);
    await suppliers(api, 3);
    const schema: object = JSON.parse(
      readFileSync(path.join(import.meta.dirname, '..', '..', 'conventions', 'cloudevents.schema.json'), 'utf8'),
    );
    const isCloudEvent = new Ajv({ strict: false, validateFormats: false }).compile(schema);
    const batch = await done(api, 'GET /api/v1/events?limit=2', { Accept: 'application/cloudevents-batch+json' });
    assert.equal(batch.headers.get('content-type'), 'application/cloudevents-batch+json; charset=utf-8');
    const events = JSON.parse(batch.text);
    assert.equal(events.length, 2);
    for (const event of events) assert.ok(isCloudEvent(event), JSON.stringify(isCloudEvent.errors));
    assert.match(batch.headers.get('link') ?? '', /rel="next"/);
    assert.ok(batch.headers.has('x-next-cursor'));
    const one = await done(api, `GET /api/v1/events/${events[0].id}`, { Accept: 'application/cloudevents+json' });
    const event = JSON.parse(one.text);
    assert.deepEqual(event, events[0]);
    assert.deepEqual([event.type, event.source], ['shop.supplier.created', 'http://127.0.0.1:3000/api']);
    const lines = await done(api, 'GET /api/v1/events', { Accept: 'application/x-ndjson' });
    assert.equal(lines.text.split('\n').filter((line) => line !== '').length, 3);
    await refused(api, 'GET /api/v1/events', 406, 'REQUEST_NOT_ACCEPTABLE', { Accept: 'text/csv' });
  });

  it('[LIM-1] ends a page early where its events have too many bytes', async () => {
    await using api = await apiUnderTest(
      'name: desk\nlimits: { page: { bytes: 4KiB } }\nresources: { notes: { id: client, events: full, schema: { type: object, properties: { text: { type: string } } } } }\n',
    );
    for (const id of ['a', 'b', 'c']) await done(api, 'POST /api/v1/notes', {}, { id, text: 'x'.repeat(1_500) });
    const { body } = await done(api, 'GET /api/v1/events');
    assert.deepEqual([body.page.count, body.page.has_more], [2, true]);
  });
});

describe('who reads the event log', () => {
  it('[AUTH-4a] [EVT-8a] needs the scope events:read, and the root links it for those who have it', async () => {
    await using api = await open();
    await refused(api, 'GET /api/v2/events', 401, 'AUTH_REQUIRED');
    const headers = as({ subject: 'x', scopes: ['notes:read'] });
    await refused(api, 'GET /api/v2/events', 403, 'AUTH_SCOPE_INSUFFICIENT', headers);
    assert.equal((await done(api, 'GET /api/v2', headers)).body.links.events, undefined);
    assert.equal((await done(api, 'GET /api/v2', of('a'))).body.links.events, '/api/v2/events');
  });

  it('[EVT-8d] sees the events of rows that were visible to it before or after, with the fields that it may read', async () => {
    await using api = await open();
    const all = of('a', 'notes:cost');
    await done(api, 'POST /api/v2/notes', all, { id: 'mine', text: 'x', tenant: 'a', cost: 3 });
    await done(api, 'POST /api/v2/notes', of('b'), { id: 'theirs', text: 'y', tenant: 'b' });
    await done(api, 'POST /api/v2/places', all, { id: 'p' });
    const list = await done(api, 'GET /api/v2/events', of('a'));
    assert.deepEqual(typesOf(list), ['note.created', 'place.created']);
    assert.deepEqual(list.body.data[0].payload.data, { id: 'mine', text: 'x', tenant: 'a' });
    assert.deepEqual(list.body.data[0].payload.changed_fields, ['text', 'tenant']);
    assert.doesNotMatch(list.text, /theirs|cost/);
    const whole = await done(api, 'GET /api/v2/events', all);
    assert.equal(whole.body.data[0].payload.data.cost, 3);
    const [, hidden] = await api.store.events.list({ after: 0, limit: 3 });
    const send = `GET /api/v2/events/${hidden?.event.id ?? ''}`;
    await refused(api, send, 404, 'EVENT_NOT_FOUND', of('a'));
    await done(api, send, of('b'));
    const withoutPlaces = as({ subject: 'x', scopes: ['events:read', 'notes:read'], claims: { tenant: 'a' } });
    assert.deepEqual(typesOf(await done(api, 'GET /api/v2/events', withoutPlaces)), ['note.created']);
  });

  it('[EVT-8d] sees that a row has left its sight, without its data', async () => {
    await using api = await open();
    await done(api, 'POST /api/v2/notes', of('a'), { id: 'n', text: 'x', tenant: 'a' });
    await done(api, 'PATCH /api/v2/notes/n', of('a'), { tenant: 'b' });
    const before = await done(api, 'GET /api/v2/events?type=note.updated', of('a'));
    assert.deepEqual(typesOf(before), ['note.updated']);
    assert.equal(before.body.data[0].payload.data, undefined);
    const after = await done(api, 'GET /api/v2/events?type=note.updated', of('b'));
    assert.equal(after.body.data[0].payload.data.tenant, 'b');
    assert.deepEqual(typesOf(await done(api, 'GET /api/v2/events', of('c'))), []);
  });

  it('[EVT-8a] [VER-5a] has its version, whose cursors belong to it', async () => {
    await using api = await open();
    for (const id of ['x', 'y']) await done(api, 'POST /api/v2/notes', of('a'), { id, text: 'x', tenant: 'a' });
    const older = await done(api, 'GET /api/v1/events?type=memo.created&limit=1', of('a'));
    const [event] = older.body.data;
    assert.deepEqual([event.type, event.metadata.schema_version], ['memo.created', '1.0']);
    assert.equal(event.payload.data.body, 'x');
    assert.match(event.payload.resource.url, /\/api\/v1\/memos\/x$/);
    const mixed = `GET /api/v2/events?after=${older.body.page.next_cursor}`;
    await refused(api, mixed, 400, 'PAGINATION_CURSOR_MISMATCH', of('a'));
    await refused(api, 'GET /api/v1/events?type=note.created', 400, 'QUERY_FILTER_INVALID', of('a'));
  });

  it('[EVT-8d] sees what policies cannot judge only with the scope events:admin', async () => {
    await using api = await open({ breaking: (store) => ({ ...store, events: withoutAccess(store.events) }) });
    await done(api, 'POST /api/v2/notes', of('a'), { id: 'x', text: 'x', tenant: 'a' });
    assert.deepEqual(typesOf(await done(api, 'GET /api/v2/events', of('a'))), []);
    assert.deepEqual(typesOf(await done(api, 'GET /api/v2/events', of('z', 'events:admin'))), ['note.created']);
  });

  it('[EVT-8a] is shown few events of many without reading all of them at once', async () => {
    await using api = await open({ breaking: (store) => ({ ...store, events: repeating(store.events, 10_300) }) });
    await done(api, 'POST /api/v2/notes', of('b'), { id: 'theirs', tenant: 'b' });
    await done(api, 'POST /api/v2/notes', of('a'), { id: 'mine', tenant: 'a' });
    const first = await done(api, 'GET /api/v2/events', of('a'));
    assert.deepEqual([first.body.page.count, first.body.page.has_more], [0, true]);
    const second = await done(api, `GET ${first.body.links.next}`, of('a'));
    assert.deepEqual([second.body.page.count, second.body.page.has_more], [1, false]);
  });
});

/** A log of a version that did not store what policies are judged by. */
function withoutAccess(events: EventLog): EventLog {
  return changedLog(events, {
    list: async (query) =>
      (await events.list(query)).map(({ sequence, type, event, json }) => {
        const { data: _data, ...payload } = event.payload;
        return { sequence, type, json, event: { ...event, payload }, access: null };
      }),
  });
}
