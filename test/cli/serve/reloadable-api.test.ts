import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ReloadableApi } from '../../../src/cli/serve/reloadable-api.ts';
import type { OpenedApi } from '../../../src/cli/open-database.ts';
import { type ApiResponse, isStreamed, type RawRequest } from '../../../src/pipeline/exchange.ts';
import type { Store } from '../../../src/stores/store.ts';

const request: RawRequest = { method: 'GET', target: '/', headers: [], body: null, httpVersion: '1.1', peer: '::1' };

/** An API that answers with its name once it is told to, and notes when its store is closed. */
function named(name: string, body: ApiResponse['body'] = name): OpenedApi & { answer(): void; closed(): boolean } {
  const refused = { status: 500, headers: [], body: name };
  const answer = { status: 200, headers: [], body } as ApiResponse;
  const { promise, resolve } = Promise.withResolvers<ApiResponse>();
  let closed = false;
  const close = async (): Promise<void> => {
    closed = true;
  };
  const unused = (): never => assert.fail('not asked for here');
  const store: Store = {
    rows: {
      item: unused,
      list: unused,
      lookup: unused,
      related: unused,
      missingAncestor: unused,
      missingReferences: unused,
    },
    writes: { commit: unused, pending: 0 },
    bookmarks: { get: unused },
    idempotencyRecords: { find: unused },
    stamps: { rowStamp: unused, resourceStamps: unused },
    events: { after: unused, lastSequence: unused },
    deliveries: { enqueue: unused, claim: unused, settle: unused },
    secret: unused,
    cacheEpoch: unused,
    ping: unused,
    close,
  };
  return {
    api: {
      handle: () => promise,
      refuse: () => refused,
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
    answer: () => resolve(answer),
    closed: () => closed,
  };
}

async function turns(): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}

describe('an API that is exchanged while it serves', () => {
  it('finishes each request with the API that it began with, and closes that one when none is left', async () => {
    const [first, second] = [named('first'), named('second')];
    const api = new ReloadableApi(first);
    const begun = api.handle(request);
    api.reload(second);
    await turns();
    assert.equal(first.closed(), false);
    second.answer();
    assert.equal((await api.handle(request)).body, 'second');
    first.answer();
    assert.equal((await begun).body, 'first');
    await turns();
    assert.equal(first.closed(), true);
    assert.equal(second.closed(), false);
  });

  it('[MET-13] goes on writing an answer in pieces with the API that began it', async () => {
    const more = Promise.withResolvers<void>();
    const body = async function* body(): AsyncGenerator<string> {
      yield 'a';
      await more.promise;
      yield 'b';
    };
    const [first, second] = [named('first', body()), named('second')];
    const api = new ReloadableApi(first);
    first.answer();
    const begun = await api.handle(request);
    assert.ok(isStreamed(begun));
    const pieces = begun.body[Symbol.asyncIterator]();
    await pieces.next();
    api.reload(second);
    await turns();
    assert.equal(first.closed(), false);
    more.resolve();
    assert.equal((await pieces.next()).value, 'b');
    assert.equal((await pieces.next()).done, true);
    await turns();
    assert.equal(first.closed(), true);
  });

  it('closes an idle API at once, and on close the one that serves', async () => {
    const [first, second] = [named('first'), named('second')];
    const api = new ReloadableApi(first);
    api.reload(second);
    await turns();
    assert.equal(first.closed(), true);
    await api.close(1_000);
    assert.equal(second.closed(), true);
  });
});
