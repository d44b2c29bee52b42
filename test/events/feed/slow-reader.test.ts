import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { isStreamed } from '../../../src/exchange/handler.ts';
import type { EventLog } from '../../../src/stores/store.ts';
import { type ApiUnderTest, apiUnderTest, rawRequest } from '../../pipeline/support/api-under-test.ts';
import { at, changedLog, withoutFirst } from '../../pipeline/support/changed-log.ts';
import { SHOP } from '../../pipeline/models/shop-model.ts';

/** The parts of a feed, each when the test takes it. */
async function openFeed(api: ApiUnderTest, lastEventId: string | null = null): Promise<AsyncIterator<string>> {
  const headers = { Accept: 'text/event-stream', ...(lastEventId === null ? {} : { 'Last-Event-ID': lastEventId }) };
  const response = await api.api.handle(rawRequest({ send: 'GET /api/v1/events', headers }));
  assert.ok(isStreamed(response), JSON.stringify(response));
  const parts = response.body[Symbol.asyncIterator]();
  await parts.next();
  return parts;
}

/** A log that has its first event so many times as `length` says. */
function growing(events: EventLog, log: { readonly length: number }): EventLog {
  return changedLog(events, {
    async list({ after, until = log.length, limit }) {
      const [first] = await events.list({ after: 0, limit: 1 });
      assert.ok(first !== undefined);
      const count = Math.max(0, Math.min(limit, Math.min(until, log.length) - after));
      return Array.from({ length: count }, (_, index) => at(first, after + index + 1));
    },
    lastSequence: () => log.length,
  });
}

const codeOf = (part: IteratorResult<string>): string =>
  part.done === true
    ? 'the end'
    : (/^event: error\ndata: .*"errorCode":"([A-Z_]+)"/.exec(part.value)?.[1] ?? part.value);

describe('a slow reader of the feed', () => {
  it('[EVT-8b] gets an error and , ended, where more than 10,000 events were logged while it took nothing', async () => {
    const log = { length: 1 };
    await using api = await apiUnderTest(SHOP, {
      breaking: (store) => ({ ...store, events: growing(store.events, log) }),
    });
    await api.send({ send: 'POST /api/v1/notes', body: { id: 'a' } });
    const [slow, lost, other] = [await openFeed(api), await openFeed(api), await openFeed(api)];
    log.length = 10_001;
    for (let taken = 1; taken < 10_001; ) taken += (String((await other.next()).value).match(/^id: /gm) ?? []).length;
    // It is as far behind as it may be.
    assert.match(String((await slow.next()).value), /^id: /);
    log.length = 10_002;
    await other.next();
    assert.equal(codeOf(await lost.next()), 'SERVER_OVERLOADED');
    assert.equal(codeOf(await lost.next()), 'the end');
    const resumed = await openFeed(api, '1');
    assert.match(String((await resumed.next()).value), /^id: /);
  });

  it('[EVT-8c] gets an error where its events are removed, and 410 where they were before', async () => {
    const removed = { count: 0 };
    await using api = await apiUnderTest(SHOP, {
      breaking: (store) => ({ ...store, events: withoutFirst(store.events, removed) }),
    });
    for (const id of ['a', 'b', 'c']) await api.send({ send: 'POST /api/v1/notes', body: { id } });
    const feed = await openFeed(api, '1');
    removed.count = 2;
    assert.equal(codeOf(await feed.next()), 'EVENT_POSITION_EXPIRED');
    assert.equal(codeOf(await feed.next()), 'the end');
    const headers = { Accept: 'text/event-stream', 'Last-Event-ID': '1' };
    const refused = await api.send({ send: 'GET /api/v1/events', headers });
    assert.deepEqual([refused.status, refused.body.errorCode], [410, 'EVENT_POSITION_EXPIRED']);
  });

  it('[EVT-8b] is ended by its client while it waits, and gets nothing more', async () => {
    await using api = await apiUnderTest(SHOP);
    const feed = await openFeed(api);
    const waiting = feed.next();
    await setTimeout(10);
    assert.equal((await feed.return?.())?.done, true);
    assert.equal((await waiting).done, true);
    await api.send({ send: 'POST /api/v1/notes', body: { id: 'a' } });
    assert.equal((await feed.next()).done, true);
  });

  it('[ERR-1] gets the error of the server as an event where its events cannot be read', async () => {
    const state = { isBroken: false };
    await using api = await apiUnderTest(SHOP, {
      breaking: (store) => ({
        ...store,
        events: changedLog(store.events, {
          list: (query) => {
            if (state.isBroken) throw new Error('the disk is gone');
            return store.events.list(query);
          },
        }),
      }),
    });
    for (const id of ['a', 'b']) await api.send({ send: 'POST /api/v1/notes', body: { id } });
    const feed = await openFeed(api, '1');
    state.isBroken = true;
    const part = await feed.next();
    assert.equal(codeOf(part), 'SERVER_ERROR');
    assert.doesNotMatch(String(part.value), /disk/);
    assert.ok(api.observations.some(({ kind }) => kind === 'error'));
  });
});
