import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { startReceiver } from './receiver.ts';
import { until, webhookScene } from './scene.ts';

const MODEL = `
name: shop
webhooks: { timeout: 10s, retry: [0s, 5s] }
resources:
  notes: { id: client, schema: { type: object, properties: { text: { type: string } } } }
`;

describe('webhooks that fail', () => {
  it('[EVT-6c] delay no other: nine hang, and the tenth is called within a second', async () => {
    await using hanging = await startReceiver(() => undefined);
    const arrivals: number[] = [];
    await using quick = await startReceiver((_request, response) => {
      arrivals.push(performance.now());
      response.writeHead(204).end();
    });
    await using scene = await webhookScene(MODEL);
    for (let index = 0; index < 9; index += 1) await scene.webhook({ url: `${hanging.url}${index}` });
    await scene.webhook({ url: quick.url });
    const committed: number[] = [];
    for (let index = 0; index < 100; index += 1) {
      await scene.send('PUT', `notes/${index}`, { text: 'x' });
      committed.push(performance.now());
    }
    await until(() => arrivals.length === 100);
    const delays = arrivals.map((at, index) => at - (committed[index] ?? 0)).toSorted((one, other) => one - other);
    assert.ok((delays.at(-2) ?? 0) < 1_000, `p99 ${delays.at(-2)} ms`);
    // Each that hangs has its four attempts, and no more.
    assert.ok(hanging.requests.length <= 36);
  });

  it('[EVT-3a] get every event, once the connection is no longer cut', async (context: TestContext) => {
    await using receiver = await startReceiver();
    const target = Number(new URL(receiver.url).port);
    let cuts = 3;
    const sockets = new Set<Socket>();
    // A relay that cuts connections after the first bytes of the request, or of the response.
    const relay = createServer((socket) => {
      const upstream = connect(target, '127.0.0.1');
      for (const each of [socket, upstream]) {
        sockets.add(each);
        each.on('error', () => undefined);
      }
      if (cuts > 0) {
        cuts -= 1;
        const cut = cuts % 2 === 0 ? socket : upstream;
        cut.once('data', () => {
          socket.destroy();
          upstream.destroy();
        });
      }
      socket.pipe(upstream).pipe(socket);
    });
    context.after(() => {
      for (const socket of sockets) socket.destroy();
      relay.close();
    });
    relay.listen(0, '127.0.0.1');
    await once(relay, 'listening');
    const address = relay.address();
    assert.ok(typeof address === 'object' && address !== null);
    await using scene = await webhookScene(MODEL.replace('[0s, 5s]', '[0s, 5s, 5s, 5s, 5s]'));
    const { id } = await scene.webhook({ url: `http://127.0.0.1:${address.port}/` });
    for (let index = 0; index < 5; index += 1) await scene.send('PUT', `notes/${index}`, { text: 'x' });
    await until(async () => {
      // Attempts in flight end before the clock advances.
      await setTimeout(100);
      scene.clock.advance(6_000);
      const listed = await scene.deliveries(id);
      return listed.length === 5 && listed.every(({ status }) => status === 'succeeded');
    });
    assert.equal(new Set(receiver.requests.map(({ event }) => event.id)).size, 5);
    assert.equal(cuts, 0);
  });
});
