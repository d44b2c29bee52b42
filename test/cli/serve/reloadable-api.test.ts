import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ReloadableApi } from '../../../src/cli/serve/reloadable-api.ts';
import type { StartedApi } from '../../../src/start-api.ts';
import { abandon, type ApiResponse, isStreamed, type RawRequest } from '../../../src/exchange/handler.ts';
import type { Store } from '../../../src/stores/store.ts';

const request: RawRequest = { method: 'GET', target: '/', headers: [], body: null, httpVersion: '1.1', peer: '::1' };

/** An API that responds with its name after `respond()`, and records whether it is closed. */
function fakeApi(name: string, body: ApiResponse['body'] = name): StartedApi & { respond(): void; closed(): boolean } {
  const refused = { status: 500, headers: [], body: name };
  const response = { status: 200, headers: [], body } as ApiResponse;
  const { promise, resolve } = Promise.withResolvers<ApiResponse>();
  let closed = false;
  const close = async (): Promise<void> => {
    closed = true;
  };
  const unused = (): never => assert.fail('not used in this test');
  const store: Store = {
    rows: {
      item: unused,
      wasVisible: unused,
      list: unused,
      lookup: unused,
      related: unused,
      missingAncestor: unused,
      missingReferences: unused,
    },
    writes: { commit: unused, pending: 0 },
    bookmarks: { get: unused },
    idempotencyRecords: { find: unused },
    stamps: {
      rowStamp: unused,
      knownRowStamp: unused,
      rowStampAhead: unused,
      resourceStamps: unused,
      partitionStamp: unused,
      settledRevision: unused,
    },
    events: {
      after: unused,
      list: unused,
      types: unused,
      lookup: unused,
      find: unused,
      lastSequence: unused,
      range: unused,
      nextExpired: unused,
    },
    newestTime: unused,
    deliveries: {
      register: unused,
      reader: unused,
      lease: unused,
      positions: unused,
      storedAfter: unused,
      waiting: unused,
      due: unused,
      openResources: unused,
      list: unused,
      isBehind: unused,
      expired: unused,
    },
    secret: unused,
    cacheEpoch: unused,
    ping: unused,
    close,
  };
  return {
    api: {
      handle: () => promise,
      refuse: () => refused,
      servesMetrics: false,
      consoleFiles: null,
      webhooks: null,
      foreignChanges: null,
      relays: { all: [], subscriptions: [], rows: null },
      agents: null,
      onMount: () => undefined,
      endFeeds: () => Promise.resolve(),
      importRows: unused,
      exportRows: unused,
      csv: unused,
      get model() {
        return unused();
      },
    },
    store,
    close,
    [Symbol.asyncDispose]: close,
    respond: () => resolve(response),
    closed: () => closed,
  };
}

async function nextIteration(): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}

describe('an API that is reloaded while it serves', () => {
  it('completes each request with the API that it started with, and closes that API after its last response', async () => {
    const [first, second] = [fakeApi('first'), fakeApi('second')];
    const api = new ReloadableApi(first);
    const started = api.handle(request);
    api.reload(second);
    await nextIteration();
    assert.equal(first.closed(), false);
    second.respond();
    assert.equal((await api.handle(request)).body, 'second');
    first.respond();
    assert.equal((await started).body, 'first');
    await nextIteration();
    assert.equal(first.closed(), true);
    assert.equal(second.closed(), false);
  });

  it('[MET-13] completes a streamed response with the API that it started with', async () => {
    const more = Promise.withResolvers<void>();
    const body = async function* body(): AsyncGenerator<string> {
      yield 'a';
      await more.promise;
      yield 'b';
    };
    const [first, second] = [fakeApi('first', body()), fakeApi('second')];
    const api = new ReloadableApi(first);
    first.respond();
    const started = await api.handle(request);
    assert.ok(isStreamed(started));
    const chunks = started.body[Symbol.asyncIterator]();
    await chunks.next();
    api.reload(second);
    await nextIteration();
    assert.equal(first.closed(), false);
    more.resolve();
    assert.equal((await chunks.next()).value, 'b');
    assert.equal((await chunks.next()).done, true);
    await nextIteration();
    assert.equal(first.closed(), true);
  });

  it('[MET-13] closes an API whose streamed response is stopped before it is read', async () => {
    const body = (async function* body(): AsyncGenerator<string> {
      yield 'a';
    })();
    const [first, second] = [fakeApi('first', body), fakeApi('second')];
    const api = new ReloadableApi(first);
    first.respond();
    const started = await api.handle(request);
    api.reload(second);
    await nextIteration();
    assert.equal(first.closed(), false);
    abandon(started);
    await nextIteration();
    assert.equal(first.closed(), true);
  });

  it('closes an idle API immediately, and the current one on close', async () => {
    const [first, second] = [fakeApi('first'), fakeApi('second')];
    const api = new ReloadableApi(first);
    api.reload(second);
    await nextIteration();
    assert.equal(first.closed(), true);
    await api.close(1_000);
    assert.equal(second.closed(), true);
  });
});
