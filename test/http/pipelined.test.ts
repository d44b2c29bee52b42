import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { ConnectionTurns } from '../../src/http/connection-turns.ts';
import { createListener } from '../../src/http/listener.ts';
import type { RawRequest } from '../../src/exchange/handler.ts';
import { fakeServer, limits, refuse } from './fake-server.ts';
import { sendRaw } from './raw-client.ts';

const COUNT = 1_200;
const get = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const pipelined = Array.from({ length: COUNT }, (_, index) => get(`/${index}`)).join('');
const expected = Array.from({ length: COUNT }, (_, index) => `/${index}`);

/** A handler that lets another client send a request while the first one is handled. */
function recording(other: () => net.Socket) {
  const targets: string[] = [];
  const handle = ({ target }: RawRequest) => {
    if (target === '/0') other().write(get('/other'));
    targets.push(target);
    return { status: 200, headers: ['Content-Type', 'text/plain'], body: target } as const;
  };
  return { targets, handle };
}

async function connect(port: number): Promise<net.Socket> {
  const socket = net.connect({ port, host: '127.0.0.1' });
  await once(socket, 'connect');
  return socket;
}

describe('pipelined requests', () => {
  it('[LIM-1] of one connection let others come first after 100 in a row, and keep their order', async () => {
    let other: net.Socket | null = null;
    const { targets, handle } = recording(() => other ?? assert.fail());
    await using server = await fakeServer({ handle });
    other = await connect(server.port);
    const responses = await sendRaw(server.port, [pipelined], { responses: COUNT, timeout: 20_000 });
    assert.deepEqual(
      responses.map(({ body }) => body),
      expected,
    );
    assert.deepEqual(
      targets.filter((target) => target !== '/other'),
      expected,
    );
    const place = targets.indexOf('/other');
    assert.ok(place >= 0 && place <= 200, `the other request is handled at place ${place}`);
    other.destroy();
  });

  it('[LIM-1] do the same in a host application', async () => {
    let other: net.Socket | null = null;
    const { targets, handle } = recording(() => other ?? assert.fail());
    const server = createServer(createListener({ handle, refuse, model: { basePath: '', limits } }));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    other = await connect(port);
    const responses = await sendRaw(port, [pipelined], { responses: COUNT, timeout: 20_000 });
    assert.deepEqual(
      responses.map(({ body }) => body),
      expected,
    );
    const place = targets.indexOf('/other');
    assert.ok(place >= 0 && place <= 200, `the other request is handled at place ${place}`);
    other.destroy();
    server.close();
  });

  it('[LIM-1] with bodies are read whole, in order', async () => {
    await using server = await fakeServer();
    const posts = Array.from(
      { length: 300 },
      (_, index) =>
        `POST /${index} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n${String(index).padStart(5, '0')}`,
    );
    const responses = await sendRaw(server.port, [posts.join('')], { responses: 300, timeout: 20_000 });
    assert.deepEqual(
      responses.map(({ body }) => Number(body)),
      posts.map((_, index) => index),
    );
  });
});

describe('the turns of connections', () => {
  /** A socket whose reading is recorded. */
  function fakeSocket() {
    const seen: string[] = [];
    const socket = Object.assign(new net.Socket(), {
      pause: () => void seen.push('pause'),
      resume: () => void seen.push('resume'),
    });
    return { socket, seen };
  }

  it('have 100 requests each, one connection in an iteration, and stop the reading of those that wait', async () => {
    const turns = new ConnectionTurns(() => 1);
    const [one, two] = [fakeSocket(), fakeSocket()];
    const handled: string[] = [];
    for (let index = 0; index < 250; index += 1) turns.take(one.socket, () => void handled.push('one'));
    for (let index = 0; index < 150; index += 1) turns.take(two.socket, () => void handled.push('two'));
    const counts = () => ['one', 'two'].map((name) => handled.filter((each) => each === name).length);
    assert.deepEqual(counts(), [100, 100]);
    assert.deepEqual([one.seen, two.seen], [['pause'], ['pause']]);
    const steps: (readonly number[])[] = [];
    for (let step = 0; step < 6; step += 1) {
      await setImmediate();
      steps.push(counts());
    }
    const distinct = [...new Set(steps.map(String))].map((text) => text.split(',').map(Number));
    assert.deepEqual(distinct.slice(-3), [
      [200, 100],
      [200, 150],
      [250, 150],
    ]);
    assert.deepEqual(
      [one.seen, two.seen],
      [
        ['pause', 'resume'],
        ['pause', 'resume'],
      ],
    );
  });

  it('drop the requests of a connection that is closed', async () => {
    const turns = new ConnectionTurns(() => 1);
    const { socket } = fakeSocket();
    let handled = 0;
    for (let index = 0; index < 150; index += 1) turns.take(socket, () => (handled += 1));
    socket.destroy();
    for (let step = 0; step < 4; step += 1) await setImmediate();
    assert.equal(handled, 100);
  });
});
