import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest, type ExchangeRow, type Seen } from '../../support/api-under-test.ts';
import { NOTES } from '../../support/raced-notes.ts';
import { replacing } from '../../support/replacing.ts';
import { create } from '../../models/shop-model.ts';

type Request = Pick<ExchangeRow, 'send' | 'body'> & { readonly headers: Readonly<Record<string, string>> };

const KEY = { 'Idempotency-Key': '"9f1c"' };
const PATCH = 'PATCH /api/v1/notes/a';

/** Two APIs on one database, like two processes, with a note. */
interface TwoProcesses extends AsyncDisposable {
  readonly one: ApiUnderTest;
  readonly other: ApiUnderTest;
  /** Path of the note. */
  readonly tag: string;
  /** Runs a function after the first process has looked up the key and before it reads the row. */
  beforeNextLook(act: () => Promise<void>): void;
}

async function twoProcesses(): Promise<TwoProcesses> {
  const other = await apiUnderTest(NOTES);
  const acts: (() => Promise<void>)[] = [];
  const { store } = other;
  const one = await apiUnderTest(NOTES, {
    breaking: () =>
      replacing(store, {
        async item(plan) {
          await acts.shift()?.();
          return store.rows.item(plan);
        },
      }),
  });
  await create(other, 'notes', { id: 'a', text: 'old' });
  const { headers } = await other.send({ send: 'GET /api/v1/notes/a' });
  return {
    one,
    other,
    tag: headers.get('etag') ?? assert.fail('no tag'),
    beforeNextLook: (act) => void acts.push(act),
    async [Symbol.asyncDispose]() {
      await one.close();
      await other.close();
    },
  };
}

describe('a request with an Idempotency-Key that another process runs concurrently', () => {
  const patch = (tag: string): object => ({
    method: 'PATCH',
    path: '/notes/a',
    headers: { 'If-Match': tag },
    body: { kind: 'x' },
  });
  const jsonPatch = [
    { op: 'test', path: '/text', value: 'old' },
    { op: 'replace', path: '/text', value: 'new' },
  ];
  const requests: readonly (readonly [title: string, request: (tag: string) => Request])[] = [
    ['its ETag is outdated', (tag) => ({ send: PATCH, headers: { 'If-Match': tag }, body: { kind: 'x' } })],
    [
      'its ETag is outdated before it sends its body',
      (tag) => ({ send: PATCH, headers: { 'If-Match': tag, Expect: '100-continue' }, body: { kind: 'x' } }),
    ],
    [
      'the tests of its JSON patch no longer pass',
      () => ({ send: PATCH, headers: { 'Content-Type': 'application/json-patch+json' }, body: jsonPatch }),
    ],
    [
      'the ETag in its atomic batch is outdated',
      (tag) => ({ send: 'POST /api/v1/batches', headers: {}, body: { operations: [patch(tag)] } }),
    ],
    [
      'the ETag in its independent batch is outdated',
      (tag) => ({ send: 'POST /api/v1/batches', headers: {}, body: { atomic: false, operations: [patch(tag)] } }),
    ],
  ];
  for (const [title, request] of requests) {
    it(`[MET-12] gets that response although ${title}: step 13 precedes 16 and 18`, async () => {
      await using desk = await twoProcesses();
      const { send, headers, body } = request(desk.tag);
      const keyed = { send, headers: { ...headers, ...KEY }, body };
      const done: Seen[] = [];
      desk.beforeNextLook(async () => void done.push(await desk.other.send(keyed)));
      const answer = await desk.one.send(keyed);
      const first = done[0] ?? assert.fail('the other process was not asked');
      assert.ok(first.status < 300, first.text);
      assert.equal(first.headers.get('idempotent-replayed'), undefined);
      assert.deepEqual([answer.status, answer.text], [first.status, first.text]);
      assert.equal(answer.headers.get('idempotent-replayed'), 'true');
    });
  }

  it('[MET-12] is 422 if the other request differs', async () => {
    await using desk = await twoProcesses();
    const request = { send: PATCH, headers: { ...KEY, 'If-Match': desk.tag } };
    desk.beforeNextLook(async () => void (await desk.other.send({ ...request, body: { kind: 'y' } })));
    const { status, body } = await desk.one.send({ ...request, body: { kind: 'x' } });
    assert.deepEqual([status, body['errorCode']], [422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('[CACHE-3] is 412 if the other request had no key', async () => {
    await using desk = await twoProcesses();
    desk.beforeNextLook(async () => void (await desk.other.send({ send: PATCH, body: { kind: 'y' } })));
    const headers = { ...KEY, 'If-Match': desk.tag };
    assert.equal((await desk.one.send({ send: PATCH, headers, body: { kind: 'x' } })).status, 412);
  });
});
