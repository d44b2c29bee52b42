import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { describe, it } from 'node:test';
import { createClient, isRequestError } from '../../../src/client/client.ts';
import type { AnyEvent } from './any-event.ts';
import { SeededRandom } from '../../../store-suite/seeded-random.ts';
import { as, callerTokens } from '../../pipeline/support/caller-tokens.ts';
import { served } from './followed-feed.ts';

const MODEL = `
name: desk
auth:
  issuers: [{ name: test, issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }]
limits: { rate: false }
resources:
  notes:
    id: client
    events: full
    access: { rows: { read: { tenant: $caller.claims.tenant } } }
    schema: { type: object, properties: { text: { type: string }, tenant: { type: string } } }
`;
const of = (tenant: string) =>
  as({ subject: tenant, scopes: ['events:read', 'notes:read', 'notes:write'], claims: { tenant } });
const tokenOf = (tenant: string): string => of(tenant)['Authorization']?.slice('Bearer '.length) ?? '';

/**
 * A relay that passes on bytes, and cuts each connection somewhere, at the end of what it has passed on or by a reset.
 */
async function cuttingRelay(
  port: number,
  random: SeededRandom,
): Promise<AsyncDisposable & { readonly port: number; readonly cuts: () => number }> {
  let cuts = 0;
  const sockets = new Set<net.Socket>();
  const server = net.createServer((client) => {
    const upstream = net.connect(port, '127.0.0.1');
    let left = 1 + random.integer(4_000);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(socket);
          client.destroy();
          upstream.destroy();
        });
    }
    client.pipe(upstream);
    upstream.on('data', (chunk: Buffer) => {
      client.write(chunk.subarray(0, left));
      left -= chunk.length;
      if (left > 0) return;
      cuts += 1;
      if (random.oneIn(2)) client.end(() => client.destroy());
      else client.resetAndDestroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return {
    port: address.port,
    cuts: () => cuts,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

describe('a client that follows the feed', () => {
  it('[EVT-3a] [EVT-8b] misses nothing and gets nothing twice, wherever its connections are cut', async () => {
    const random = new SeededRandom(29);
    await using api = await served(MODEL, { tokens: callerTokens() });
    await using relay = await cuttingRelay(api.port, random);
    const client = createClient<AnyEvent>({
      url: `http://127.0.0.1:${relay.port}/api`,
      token: tokenOf('a'),
      platform: { wait: () => new Promise((resolve) => void setImmediate(resolve)) },
    });
    const written = 150;
    const write = async (): Promise<void> => {
      for (let at = 0; at < written; at += 1) {
        const tenant = random.oneIn(3) ? 'b' : 'a';
        const text = random.oneIn(2) ? 'line\u2028\u2029 é\n' : 'x'.repeat(random.integer(900));
        await api.send({ send: 'POST /api/v1/notes', headers: of(tenant), body: { id: `n${at}`, tenant, text } });
      }
      await api.send({ send: 'POST /api/v1/notes', headers: of('a'), body: { id: 'last', tenant: 'a' } });
    };
    const writing = write();
    const got: string[] = [];
    for await (const { payload } of client.$events({ resources: ['notes'], after: '0' })) {
      got.push(payload.resource.id);
      assert.equal(payload.data?.['tenant'], 'a');
      if (payload.resource.id === 'last') break;
    }
    await writing;
    const logged = await api.store.events.list({ after: 0, limit: 1_000 });
    const expected = logged.filter(({ event }) => event.payload.data?.['tenant'] === 'a');
    assert.deepEqual(
      got,
      expected.map(({ event }) => event.payload.resource.id),
    );
    assert.ok(relay.cuts() > 10, `${relay.cuts()} cuts`);
  });

  it('[EVT-8b] ends with its signal, and with an error that would stay the same', async () => {
    await using api = await served(MODEL, { tokens: callerTokens() });
    const url = `http://127.0.0.1:${api.port}/api`;
    const controller = new AbortController();
    const client = createClient<AnyEvent>({ url, token: tokenOf('a') });
    const followed = client.$events({ signal: controller.signal })[Symbol.asyncIterator]();
    const waiting = followed.next();
    setTimeout(() => controller.abort(new Error('enough')), 100);
    await assert.rejects(Promise.resolve(waiting), /enough/);
    const lost = client.$events({ after: '77' })[Symbol.asyncIterator]();
    await assert.rejects(
      Promise.resolve(lost.next()),
      (error: unknown) => isRequestError(error) && error.kind === 'REQUEST_HEADER_INVALID',
    );
    const nameless = createClient<AnyEvent>({ url }).$events()[Symbol.asyncIterator]();
    await assert.rejects(
      Promise.resolve(nameless.next()),
      (error: unknown) => isRequestError(error) && error.kind === 'AUTH_REQUIRED',
    );
  });
});
