import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { startOwnPostgres } from '../../../postgres-server.ts';
import type { Direction } from '../../../tcp-relay.ts';
import { type Instance, NOTES, openInstance, relayTo } from '../instance.ts';

const server = await startOwnPostgres();
const { relay, url } = await relayTo(server);
after(async () => {
  await relay.close();
  await server.stop();
});

/** The ids of all rows, and of the rows in events. */
async function written({ send, store }: Instance): Promise<readonly (readonly string[])[]> {
  const { body } = await send({ send: 'GET /api/v1/notes' });
  const events = await store.events.after(0, 1_000);
  return [body.data.map(({ id }: { readonly id: string }) => id), events.map(({ payload }) => payload.resource.id)];
}

const KEY = { 'Idempotency-Key': '"9f1c"' };

describe('a write whose connection to PostgreSQL is cut at its commit', () => {
  const cases: readonly (readonly [what: string, direction: Direction, text: string, made: boolean])[] = [
    ['after the commit, before its answer', 'answer', 'COMMIT', true],
    ['before the commit', 'request', 'commit\0', false],
  ];
  for (const [what, direction, text, made] of cases) {
    it(`[ERR-7] [MET-12] is reported as unknown, and made once with its Idempotency-Key: ${what}`, async () => {
      const schema = `cut_${direction}`;
      const [instance, other] = [await openInstance(url(schema)), await openInstance(server.url(schema))];
      try {
        const post = { send: 'POST /api/v1/notes', headers: KEY, body: { id: 'a', text: 'x' } };
        const cut = relay.cutAt(direction, text);
        const { status, body, headers } = await instance.send(post);
        await cut;
        assert.deepEqual([status, body.errorCode], [503, 'SERVER_OUTCOME_UNKNOWN']);
        assert.match(body.errorMessage, /Idempotency-Key/);
        assert.equal(headers.get('retry-after'), '1');
        assert.deepEqual(await written(other), made ? [['a'], ['a']] : [[], []]);
        for (const [each, replayed] of [
          [other, made],
          [instance, true],
        ] as const) {
          const again = await each.send(post);
          assert.equal(again.status, 201);
          assert.equal(again.headers.get('idempotent-replayed') === 'true', replayed);
        }
        assert.deepEqual(await written(instance), [['a'], ['a']]);
      } finally {
        await instance.close();
        await other.close();
      }
    });
  }

  it('[ERR-7] is reported as unknown before its time is over, where nothing is answered', async () => {
    const instance = await openInstance(url('silent'), `${NOTES}limits: { handler_timeout: 1s }`);
    const post = { send: 'POST /api/v1/notes', body: { id: 'a', text: 'x' } };
    try {
      assert.equal((await instance.send(post)).status, 201);
      relay.isSilent = true;
      const begun = performance.now();
      const { status, body } = await instance.send({ ...post, body: { id: 'b' } });
      assert.deepEqual([status, body.errorCode], [503, 'SERVER_OUTCOME_UNKNOWN']);
      assert.ok(performance.now() - begun < 1_000);
    } finally {
      relay.isSilent = false;
      relay.cutAll();
      await instance.close();
    }
  });

  it('[ERR-7] is reported as not made, where the connection is lost before that', async () => {
    const instance = await openInstance(url('before'));
    const post = { send: 'POST /api/v1/notes', body: { id: 'a', text: 'x' } };
    try {
      void relay.cutAt('request', 'insert into');
      const { status, body } = await instance.send(post);
      assert.deepEqual([status, body.errorCode], [503, 'SERVER_UNAVAILABLE']);
      assert.match(body.errorMessage, /nothing was changed/);
      assert.equal((await instance.send(post)).status, 201);
    } finally {
      await instance.close();
    }
  });
});
