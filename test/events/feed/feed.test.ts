import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { TokenVerdict, TokenVerifier } from '../../../src/auth/token-verifier.ts';
import type { ApiUnderTest } from '../../pipeline/support/api-under-test.ts';
import { as, callerTokens } from '../../pipeline/support/caller-tokens.ts';
import { assertDescribed } from '../../pipeline/support/described-responses.ts';
import { SHOP } from '../../pipeline/models/shop-model.ts';
import { DescribedEvents } from '../../describe/asyncapi/described-events.ts';
import { follow, type FollowedFeed, served, until } from './followed-feed.ts';

const AUTH = `
auth:
  issuers: [{ name: test, issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }]
limits: { rate: false, feeds: { per_caller: 2, total: 3 } }
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
    access: { rows: { read: { tenant: $caller.claims.tenant } }, fields: { cost: { read: { scope: notes:cost } } } }
    schema: { type: object, properties: { text: { type: string }, tenant: { type: string }, cost: { type: integer } } }
versions:
  1.0.0:
    changes: [{ resource: notes, collection: memos, singular: memo }, { resource: notes, rename: { body: text } }]
`;

const of = (tenant: string, ...more: string[]) =>
  as({ subject: tenant, scopes: ['events:read', 'notes:read', 'notes:write', ...more], claims: { tenant } });

async function write(
  api: ApiUnderTest,
  send: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const got = await api.send({ send, body, headers });
  assert.ok(got.status < 300, got.text);
}

/** Fails unless the messages of a feed are as AsyncAPI describes them. */
function assertMessagesDescribed(described: DescribedEvents, { messages }: FollowedFeed): void {
  for (const { id, event = '', data } of messages) {
    const name = event === 'error' ? 'feed.error' : `${event}.feed`;
    described.check(name, JSON.parse(data), { event, ...(id === undefined ? {} : { id }) });
  }
}

describe('the live feed', () => {
  it('[EVT-8b] has each event with its sequence, type and envelope, as the log has it', async () => {
    await using api = await served(SHOP);
    await write(api, 'POST /api/v1/notes', { id: 'before' });
    await using feed = await follow(api.port, '/api/v1/events');
    assert.equal(feed.headers.get('content-type'), 'text/event-stream; charset=utf-8');
    assert.equal(feed.headers.get('cache-control'), 'no-store');
    await write(api, 'POST /api/v1/notes', { id: 'a', text: 'line\nbreak' });
    await write(api, 'DELETE /api/v1/notes/a');
    await feed.received(2);
    const logged = await api.store.events.list({ after: 1, limit: 3 });
    assert.deepEqual(
      feed.messages.map(({ id, event, data }) => [id, event, data]),
      logged.map(({ event, json }) => [event.metadata.sequence, event.type, json]),
    );
    assertMessagesDescribed(new DescribedEvents(api.api.model), feed);
    assert.equal(feed.retry(), 3_000);
    const headers = new Map(feed.headers);
    const seen = { status: 200, headers, bytes: Buffer.from(feed.text()), text: feed.text(), body: {} };
    assertDescribed(api.api.model, { method: 'GET', target: '/api/v1/events' }, seen);
  });

  it('[EVT-8b] is filtered, and has no pages', async () => {
    await using api = await served(SHOP);
    await using feed = await follow(api.port, '/api/v1/events?type=note.deleted&type=note.updated&resource_id=b');
    for (const id of ['a', 'b']) {
      await write(api, 'POST /api/v1/notes', { id });
      await write(api, `DELETE /api/v1/notes/${id}`);
    }
    await feed.received(1);
    assert.deepEqual(
      feed.envelopes().map(({ type, payload }) => [type, payload.resource.id]),
      [['note.deleted', 'b']],
    );
    for (const [query, errorCode] of [
      ['limit=3', 'REQUEST_PARAMETER_UNKNOWN'],
      ['after=x', 'REQUEST_PARAMETER_UNKNOWN'],
      ['type=note', 'QUERY_FILTER_INVALID'],
    ] as const) {
      await using refused = await follow(api.port, `/api/v1/events?${query}`);
      await refused.ended;
      assert.deepEqual([refused.status, JSON.parse(refused.text()).errorCode], [400, errorCode]);
    }
  });

  it('[EVT-8b] continues after Last-Event-ID, in any number of digits, and says from where before its first event', async () => {
    await using api = await served(SHOP);
    for (const id of ['a', 'b', 'c']) await write(api, 'POST /api/v1/notes', { id });
    await using feed = await follow(api.port, '/api/v1/events', { 'Last-Event-ID': '1' });
    await feed.received(2);
    await write(api, 'POST /api/v1/notes', { id: 'd' });
    await feed.received(3);
    assert.deepEqual(
      feed.envelopes().map(({ payload }) => payload.resource.id),
      ['b', 'c', 'd'],
    );
    await using from = await follow(api.port, '/api/v1/events', { 'Last-Event-ID': feed.messages.at(-1)?.id ?? '' });
    await until(() => from.text() !== '');
    assert.equal(from.text(), 'retry: 3000\nid: 00000000000000000004\n\n');
    for (const value of ['x', '-1', '1.5', '99999999999999999999', '5']) {
      await using refused = await follow(api.port, '/api/v1/events', { 'Last-Event-ID': value });
      await refused.ended;
      const { errorCode, details } = JSON.parse(refused.text());
      assert.deepEqual([refused.status, errorCode, details[0].field], [400, 'REQUEST_HEADER_INVALID', 'Last-Event-ID']);
    }
  });

  it('[EVT-8b] reads on from the log where the events are no longer in memory', async () => {
    await using api = await served(SHOP);
    const lines = Array.from({ length: 1_500 }, (_, at) => JSON.stringify({ id: `n${at}` })).join('\n');
    await write(api, 'POST /api/v1/notes', lines, { 'Content-Type': 'application/x-ndjson' });
    await using feed = await follow(api.port, '/api/v1/events', { 'Last-Event-ID': '0' });
    await write(api, 'POST /api/v1/notes', { id: 'last' });
    await feed.received(1_501);
    assert.deepEqual(
      feed.messages.map(({ id }) => Number(id)),
      Array.from({ length: 1_501 }, (_, at) => at + 1),
    );
  });

  it('[MET-5] answers HEAD as GET, without a body, and opens nothing', async () => {
    await using api = await served(MODEL, { tokens: callerTokens() });
    for (let round = 0; round < 4; round += 1) {
      const response = await fetch(`http://127.0.0.1:${api.port}/api/v2/events`, {
        method: 'HEAD',
        headers: { Accept: 'text/event-stream', ...of('a') },
      });
      assert.deepEqual([response.status, await response.text()], [200, '']);
      assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
      assert.equal(response.headers.get('content-length'), null);
    }
  });

  it('[MET-5] [EVT-8b] refuses a position in HEAD as in GET', async () => {
    await using api = await served(SHOP);
    const statuses = ['GET', 'HEAD'].map(async (method) => {
      const headers = { Accept: 'text/event-stream', 'Last-Event-ID': '1' };
      const { status } = await fetch(`http://127.0.0.1:${api.port}/api/v1/events`, { method, headers });
      return status;
    });
    assert.deepEqual(await Promise.all(statuses), [400, 400]);
  });

  it('[EVT-8b] reads the log for no one once a reader was refused', async () => {
    await using api = await served(SHOP);
    let reads = 0;
    const { events } = api.store;
    const list = events.list.bind(events);
    events.list = (query) => {
      reads += 1;
      return list(query);
    };
    await using refused = await follow(api.port, '/api/v1/events', { 'Last-Event-ID': '1' });
    assert.equal(refused.status, 400);
    await setTimeout(200);
    assert.ok(reads <= 1, `${reads} reads`);
  });

  it('[NEG-7] is never compressed, and proxies are told not to collect it', async () => {
    await using api = await served(SHOP);
    await using feed = await follow(api.port, '/api/v1/events', { 'Accept-Encoding': 'br, gzip, zstd' });
    assert.deepEqual([feed.headers.get('content-encoding'), feed.headers.get('x-accel-buffering')], [null, 'no']);
    await write(api, 'POST /api/v1/notes', { id: 'a', text: 'x'.repeat(5_000) });
    await feed.received(1);
  });

  it('[EVT-8b] has a heartbeat every 15 seconds, from which a reader who sees nothing continues', async ({
    mock: { timers },
  }) => {
    timers.enable({ apis: ['setInterval'] });
    await using api = await served(SHOP);
    await using feed = await follow(api.port, '/api/v1/events?type=note.deleted');
    await write(api, 'POST /api/v1/notes', { id: 'a' });
    api.clock.advance(14_000);
    timers.tick(1_000);
    await setTimeout(50);
    assert.doesNotMatch(feed.text(), /heartbeat/);
    api.clock.advance(1_000);
    timers.tick(1_000);
    await until(() => feed.text().includes('heartbeat'));
    assert.match(feed.text(), /: heartbeat\nid: 00000000000000000001\n\n$/);
    assert.deepEqual(feed.messages, []);
    timers.reset();
  });
});

describe('who follows the feed', () => {
  it('[EVT-8d] [REP-11b] sees the events of rows that it may see, with the fields that it may read, in its version', async () => {
    await using api = await served(MODEL, { tokens: callerTokens() });
    await using mine = await follow(api.port, '/api/v2/events', of('a'));
    await using older = await follow(api.port, '/api/v1/events?type=memo.created', of('a'));
    await using theirs = await follow(api.port, '/api/v2/events', of('b', 'notes:cost'));
    await write(api, 'POST /api/v2/notes', { id: 'x', text: 'of b', tenant: 'b', cost: 4 }, of('b', 'notes:cost'));
    await write(api, 'POST /api/v2/notes', { id: 'y', text: 'of a', tenant: 'a', cost: 3 }, of('a', 'notes:cost'));
    await Promise.all([mine.received(1), older.received(1), theirs.received(1)]);
    assert.deepEqual(
      mine.envelopes().map(({ payload }) => payload.data),
      [{ id: 'y', text: 'of a', tenant: 'a' }],
    );
    assert.deepEqual(
      older.envelopes().map(({ type, payload }) => [type, payload.data?.['body']]),
      [['memo.created', 'of a']],
    );
    assert.deepEqual(
      theirs.envelopes().map(({ payload }) => payload.data?.['cost']),
      [4],
    );
    assert.doesNotMatch(mine.text() + older.text(), /of b|cost/);
    const { model } = api.api;
    for (const feed of [mine, theirs]) assertMessagesDescribed(new DescribedEvents(model), feed);
    assertMessagesDescribed(new DescribedEvents(model, '1.0.0'), older);
  });

  it('[EVT-8b] has so many feeds at a time, and the process so many in all', async () => {
    await using api = await served(MODEL, { tokens: callerTokens() });
    await using one = await follow(api.port, '/api/v2/events', of('a'));
    const second = await follow(api.port, '/api/v2/events', of('a'));
    const refusal = async (headers: Readonly<Record<string, string>>): Promise<readonly unknown[]> => {
      await using refused = await follow(api.port, '/api/v2/events', headers);
      await refused.ended;
      return [refused.status, JSON.parse(refused.text()).errorCode, refused.headers.has('retry-after')];
    };
    assert.deepEqual(await refusal(of('a')), [429, 'RATE_LIMIT_EXCEEDED', true]);
    await using other = await follow(api.port, '/api/v2/events', of('b'));
    assert.deepEqual(await refusal(of('c')), [503, 'SERVER_OVERLOADED', true]);
    await second[Symbol.asyncDispose]();
    await setTimeout(50);
    await using again = await follow(api.port, '/api/v2/events', of('a'));
    assert.deepEqual([one.status, other.status, again.status], [200, 200, 200]);
  });

  it('[EVT-8b] is told of the end of its token, with which the feed ends', async ({ mock: { timers } }) => {
    timers.enable({ apis: ['setInterval'] });
    const verdicts = new Map<string, TokenVerdict>();
    const known = callerTokens();
    const tokens: TokenVerifier = { verify: (token) => verdicts.get(token) ?? known.verify(token) };
    await using api = await served(MODEL, { tokens });
    const [expired, revoked] = [of('a'), of('b')];
    await using first = await follow(api.port, '/api/v2/events', expired);
    await using second = await follow(api.port, '/api/v2/events', revoked);
    await using third = await follow(api.port, '/api/v2/events', of('c'));
    const tokenOf = (headers: Readonly<Record<string, string>>): string => headers['Authorization']?.slice(7) ?? '';
    verdicts.set(tokenOf(expired), { kind: 'expired' });
    verdicts.set(tokenOf(revoked), { kind: 'invalid', reason: 'it was revoked' });
    verdicts.set(tokenOf(of('c')), { kind: 'unavailable' });
    timers.tick(5_000);
    await Promise.all([first.ended, second.ended]);
    const ends = [first, second].map(({ messages }) =>
      messages.map(({ event, id, data }) => [event, id, JSON.parse(data).errorCode]),
    );
    assert.deepEqual(ends, [
      [['error', undefined, 'AUTH_TOKEN_EXPIRED']],
      [['error', undefined, 'AUTH_TOKEN_INVALID']],
    ]);
    for (const feed of [first, second]) assertMessagesDescribed(new DescribedEvents(api.api.model), feed);
    assert.deepEqual(third.messages, []);
    timers.reset();
  });

  it('[LIM-3] ends at a shutdown, which waits for no feed', async () => {
    await using api = await served(SHOP);
    await using feed = await follow(api.port, '/api/v1/events');
    await write(api, 'POST /api/v1/notes', { id: 'a' });
    await feed.received(1);
    const begun = performance.now();
    assert.equal(await api.stop(), 0);
    assert.ok(performance.now() - begun < 2_000);
    await feed.ended;
  });
});
