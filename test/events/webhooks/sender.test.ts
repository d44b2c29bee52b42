import assert from 'node:assert/strict';
import { createServer as createHttpServer, type IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { cert, key, NAMED, fixed, listen, receiver, rules, send, createSender } from './sender-under-test.ts';

describe('the sender of webhooks', () => {
  it('posts a body with its header fields', async () => {
    const received: { headers: IncomingHttpHeaders; body: string; target: string }[] = [];
    const port = await receiver((request, response) => {
      const take = async (): Promise<void> => {
        const body = await text(request);
        received.push({ headers: request.headers, body, target: `${request.method} ${request.url}` });
        response.writeHead(202).end('thanks');
      };
      void take();
    });
    const headers = { 'content-type': 'application/json', traceparent: '00-1-2-01' };
    const result = await send(createSender(NAMED), `https://receiver.test:${port}/a?b=1`, { headers, body: '{"ü":1}' });
    assert.deepEqual(result, { kind: 'response', status: 202, retryAfter: null, body: 'thanks' });
    const [first] = received;
    assert.equal(first?.target, 'POST /a?b=1');
    assert.equal(first?.body, '{"ü":1}');
    assert.equal(first?.headers['content-length'], '8');
    assert.equal(first?.headers['user-agent'], 'Restwright/1.0');
    assert.equal(first?.headers.host, `receiver.test:${port}`);
    assert.equal(first?.headers['traceparent'], '00-1-2-01');
  });

  it('keeps connections alive, and replaces one that the receiver has closed', async () => {
    const ports = new Set<number | undefined>();
    const server = createServer({ cert, key }, (request, response) => {
      ports.add(request.socket.remotePort);
      response.end();
    });
    const port = await listen(server);
    const sender = createSender(NAMED);
    for (let count = 0; count < 3; count += 1) await send(sender, `https://receiver.test:${port}/`);
    assert.equal(ports.size, 1);
    server.closeAllConnections();
    const result = await send(sender, `https://receiver.test:${port}/`);
    assert.equal(result.kind, 'response');
    assert.equal(ports.size, 2);
  });

  it('[EVT-5b] returns Retry-After, and follows no redirect', async () => {
    const targets: (string | undefined)[] = [];
    const port = await receiver((request, response) => {
      targets.push(request.url);
      response.writeHead(307, { location: '/elsewhere', 'retry-after': '7' }).end();
    });
    const result = await send(createSender(NAMED), `https://receiver.test:${port}/`);
    assert.deepEqual(result, { kind: 'response', status: 307, retryAfter: '7', body: '' });
    assert.deepEqual(targets, ['/']);
  });

  it('[EVT-4c] retains the first KiB of a response, without a character that was cut', async () => {
    const port = await receiver((_request, response) => void response.end(`a${'é'.repeat(2_000)}`));
    const result = await send(createSender(NAMED), `https://receiver.test:${port}/`);
    assert.ok(result.kind === 'response');
    assert.equal(result.body, `a${'é'.repeat(511)}`);
  });

  it('connects to the next address of a name where one cannot be reached', async () => {
    const port = await receiver((_request, response) => void response.writeHead(202).end());
    for (const addresses of [
      ['127.0.0.9', '127.0.0.1'],
      ['::1', '127.0.0.1'],
      ['127.0.0.9', '127.0.0.8', '127.0.0.1'],
    ]) {
      const result = await send(createSender(NAMED, fixed(...addresses)), `https://receiver.test:${port}/`);
      assert.deepEqual(result, { kind: 'response', status: 202, retryAfter: null, body: '' }, addresses.join());
    }
    const result = await send(createSender(NAMED, fixed('127.0.0.9', '127.0.0.8')), `https://receiver.test:${port}/`);
    assert.deepEqual(result, { kind: 'failure', reason: 'refused' });
  });

  it('[EVT-5b] returns a 101 at once: nothing was asked to switch protocols', async () => {
    const port = await listen(
      createTcpServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () =>
          socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
        );
      }),
    );
    const sender = createSender(rules([], true));
    const result = await send(sender, `http://127.0.0.1:${port}/`, { timeout: 30_000 });
    assert.deepEqual(result, { kind: 'response', status: 101, retryAfter: null, body: '' });
  });

  it('stops to read a response after 64 KiB', async () => {
    const closed = Promise.withResolvers<void>();
    const port = await receiver((_request, response) => {
      response.on('close', closed.resolve);
      const write = (): void => void (response.destroyed || (response.write('x'.repeat(16_384)), setImmediate(write)));
      write();
    });
    const result = await send(createSender(NAMED), `https://receiver.test:${port}/`);
    assert.ok(result.kind === 'response');
    assert.equal(result.status, 200);
    await closed.promise;
  });

  it('[EVT-6a] limits the time of the whole exchange', async () => {
    const hangs = await receiver(() => undefined);
    const trickles = await receiver((_request, response) => {
      const timer = setInterval(() => response.write('x'), 10);
      response.on('close', () => clearInterval(timer));
    });
    const silent = await listen(createTcpServer(() => undefined));
    for (const port of [hangs, trickles, silent]) {
      const result = await send(createSender(NAMED), `https://receiver.test:${port}/`, { timeout: 80 });
      assert.deepEqual(result, { kind: 'failure', reason: 'timeout' });
    }
    const never = createSender(NAMED, () => new Promise(() => undefined));
    assert.deepEqual(await send(never, 'https://receiver.test/', { timeout: 80 }), {
      kind: 'failure',
      reason: 'timeout',
    });
  });

  it('says why there was no response', async () => {
    const plain = await listen(createHttpServer((_request, response) => void response.end()));
    const cut = await listen(createTcpServer((socket) => socket.destroy()));
    const unused = await listen(createTcpServer());
    const reason = async (url: string, sender = createSender(NAMED)): Promise<unknown> => {
      const result = await send(sender, url);
      return result.kind === 'failure' ? result.reason : result;
    };
    assert.equal(await reason(`https://receiver.test:${plain}/`), 'tls');
    assert.equal(await reason(`https://receiver.test:${cut}/`), 'connection');
    assert.equal(await reason(`https://receiver.test:1/`), 'refused');
    const other = rules(['other.test']);
    const port = await receiver((_request, response) => void response.end());
    assert.equal(await reason(`https://other.test:${port}/`, createSender(other)), 'tls');
    const failing = createSender(NAMED, () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })));
    assert.equal(await reason(`https://receiver.test:${unused}/`, failing), 'unresolved');
  });
});
