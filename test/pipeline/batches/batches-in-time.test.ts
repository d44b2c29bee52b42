import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineModel, resource } from '../../../src/model/typescript/define-model.ts';
import type { Store } from '../../../src/stores/store.ts';
import { type ApiUnderTest, apiUnderTest, type Seen } from '../support/api-under-test.ts';
import { before } from '../support/rival.ts';
import { SHOP } from '../models/shop-model.ts';

const HANDLER_TIMEOUT = 30_000;
const KEY = { 'Idempotency-Key': 'k' };
const operations = ['a', 'b', 'c', 'd'].map((id) => ({ method: 'POST', path: '/notes', body: { id } }));
const send = 'POST /api/v1/batches';

interface Slow extends AsyncDisposable {
  readonly shop: ApiUnderTest;
  /** Duration of each following write in milliseconds. */
  eachWriteTakes(time: number): void;
}

async function slowShop(): Promise<Slow> {
  let time = 0;
  const slow = (store: Store): Store => before(store, () => shop.clock.advance(time));
  const shop: ApiUnderTest = await apiUnderTest(SHOP, { breaking: slow });
  return {
    shop,
    eachWriteTakes: (milliseconds) => (time = milliseconds),
    [Symbol.asyncDispose]: () => shop.close(),
  };
}

interface Result {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly errorCode?: string };
}

function readResults(seen: Seen): readonly Result[] {
  return seen.body['results'];
}

const statuses = (seen: Seen): readonly number[] => readResults(seen).map(({ status }) => status);

describe('a batch that is not atomic and exceeds the handler timeout', () => {
  it('[ERR-7] [MET-13] starts no operation near the timeout, and responds with its results before it', async () => {
    await using slow = await slowShop();
    const { shop } = slow;
    slow.eachWriteTakes(HANDLER_TIMEOUT / 3);
    const made = await shop.row({
      send,
      body: { atomic: false, operations },
      status: 201,
      has: { status: 'partially_failed' },
      events: ['note.created', 'note.created'],
    });
    assert.deepEqual(statuses(made), [201, 201, 503, 503]);
    for (const { headers, body } of readResults(made).slice(2)) {
      assert.equal(body.errorCode, 'SERVER_TIMEOUT');
      assert.match(headers['Retry-After'] ?? '', /^\d+$/);
    }
    const place = made.headers.get('location') ?? '';
    await shop.row({ send: `GET ${place}`, status: 200, expectBody: made.body });
  });

  it('[MET-12] continues with the missing operations when it is repeated with its key', async () => {
    await using slow = await slowShop();
    const { shop } = slow;
    const request = { send, headers: KEY, body: { atomic: false, operations } };
    slow.eachWriteTakes(HANDLER_TIMEOUT / 3);
    await shop.row({ ...request, status: 201, events: ['note.created', 'note.created'] });
    const rest = await shop.row({
      ...request,
      status: 201,
      expectHeaders: { 'Idempotent-Replayed': null },
      events: ['note.created', 'note.created'],
    });
    assert.deepEqual(statuses(rest), [201, 201, 201, 201]);
    assert.deepEqual(
      readResults(rest).map(({ headers }) => headers['Idempotent-Replayed'] ?? null),
      ['true', 'true', null, null],
    );
    const again = await shop.row({ ...request, status: 201, expectHeaders: { 'Idempotent-Replayed': 'true' } });
    assert.deepEqual(again.body, rest.body);
  });

  it('[ERR-7] does not wait for an operation that hangs, and does not commit it later', async () => {
    const held = Promise.withResolvers<void>();
    await using desk = await apiUnderTest(
      defineModel({
        name: 'desk',
        limits: { handler_timeout: '400ms' },
        resources: {
          notes: resource({
            id: 'client',
            schema: { type: 'object', properties: { text: { type: 'string' } } },
            before: { create: async ({ text }) => (text === 'wait' ? await held.promise : undefined) },
          }),
        },
      }),
    );
    const note = (id: string, text: string): object => ({ method: 'POST', path: '/notes', body: { id, text } });
    const body = { atomic: false, operations: [note('a', 'go'), note('b', 'wait')] };
    const made = await desk.row({ send, body, status: 201, events: ['note.created'] });
    assert.deepEqual(statuses(made), [201, 503]);
    desk.clock.advance(400);
    held.resolve();
    // The next write runs only after the blocked one.
    await desk.row({ send: 'POST /api/v1/notes', body: { id: 'c' }, status: 201, events: ['note.created'] });
    await desk.row({ send: 'GET /api/v1/notes/b', status: 404 });
  });
});
