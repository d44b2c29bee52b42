import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { Connection } from '../../../src/http/server/connection.ts';
import { IdleTimeout } from '../../../src/http/server/idle-timeout.ts';

const KEEP_ALIVE = 65_000;
const STALLED = 90_000;

describe('IdleTimeout', () => {
  let client: Socket;
  let socket: Socket;
  let connection: Connection;
  let idleTimeout: IdleTimeout;
  const server = createServer();

  beforeEach(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    client = connect(typeof address === 'object' && address !== null ? address.port : 0, '127.0.0.1');
    [[socket]] = await Promise.all([once(server, 'connection') as Promise<[Socket]>, once(client, 'connect')]);
    socket.resume();
    connection = new Connection(socket, () => undefined);
    mock.timers.enable({ apis: ['setInterval'] });
    idleTimeout = new IdleTimeout(() => [connection], { keepAlive: KEEP_ALIVE, stalled: STALLED });
  });

  afterEach(async () => {
    idleTimeout.close();
    mock.timers.reset();
    client.destroy();
    socket.destroy();
    server.close();
    await once(server, 'close');
  });

  it('[URL-8] closes an idle connection after the announced timeout', () => {
    mock.timers.tick(KEEP_ALIVE);
    assert.equal(socket.destroyed, false);
    mock.timers.tick(1_000);
    assert.equal(socket.destroyed, true);
  });

  it('[URL-8] restarts with each byte', async () => {
    mock.timers.tick(KEEP_ALIVE);
    client.write('GET');
    await once(socket, 'data');
    mock.timers.tick(KEEP_ALIVE);
    assert.equal(socket.destroyed, false);
    mock.timers.tick(1_000);
    assert.equal(socket.destroyed, true);
  });

  it('[LIM-1] uses the longer timeout while a request is in progress', () => {
    const request = { method: 'GET', target: '/', headers: [], body: null, httpVersion: '1.1', peer: '' };
    connection.addRequest(request, null, null);
    mock.timers.tick(KEEP_ALIVE * 2);
    assert.deepEqual([socket.destroyed, socket.timeout], [false, STALLED]);
  });

  it('[LIM-1] uses the shorter timeout again after the response', () => {
    socket.setTimeout(STALLED);
    mock.timers.tick(1_000);
    assert.ok(!socket.timeout);
  });

  it('closes nothing once it is closed', () => {
    idleTimeout.close();
    mock.timers.tick(KEEP_ALIVE * 2);
    assert.equal(socket.destroyed, false);
  });
});
