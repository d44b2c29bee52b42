import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { createServer as createTcpServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { parseAllowedHosts, type WebhookUrlRules } from '../../../src/conventions/webhook-url.ts';
import type { Resolve } from '../../../src/events/webhooks/guarded-agents.ts';
import { type SendResult, WebhookSender } from '../../../src/events/webhooks/sender.ts';
import { createCertificate } from './certificate.ts';

const { cert, key } = createCertificate(['DNS:receiver.test', 'DNS:*.receiver.test', 'IP:127.0.0.1']);

function rules(allowed: readonly string[], loopback = false): WebhookUrlRules {
  const parsed = parseAllowedHosts(allowed);
  assert.ok(parsed.kind === 'valid');
  return { allowed: parsed.hosts, loopback };
}

function fixed(...addresses: readonly string[]): Resolve {
  return async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
}

function senderOf(given: WebhookUrlRules, resolve: Resolve = fixed('127.0.0.1')): WebhookSender {
  const sender = new WebhookSender({ rules: given, resolve, ca: cert, userAgent: 'Restwright/1.0' });
  after(() => sender.close());
  return sender;
}

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return address.port;
}

function receiver(listener: RequestListener): Promise<number> {
  return portOf(createServer({ cert, key }, listener));
}

interface Sent {
  readonly timeout?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

function send(sender: WebhookSender, url: string, { timeout = 2_000, headers = {}, body = '{}' }: Sent = {}) {
  return sender.send({ url: new URL(url), headers, body, timeout });
}

const NAMED = rules(['receiver.test']);

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
    const result = await send(senderOf(NAMED), `https://receiver.test:${port}/a?b=1`, { headers, body: '{"ü":1}' });
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
    const port = await portOf(server);
    const sender = senderOf(NAMED);
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
    const result = await send(senderOf(NAMED), `https://receiver.test:${port}/`);
    assert.deepEqual(result, { kind: 'response', status: 307, retryAfter: '7', body: '' });
    assert.deepEqual(targets, ['/']);
  });

  it('[EVT-4c] retains the first KiB of a response, without a character that was cut', async () => {
    const port = await receiver((_request, response) => void response.end(`a${'é'.repeat(2_000)}`));
    const result = await send(senderOf(NAMED), `https://receiver.test:${port}/`);
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
      const result = await send(senderOf(NAMED, fixed(...addresses)), `https://receiver.test:${port}/`);
      assert.deepEqual(result, { kind: 'response', status: 202, retryAfter: null, body: '' }, addresses.join());
    }
    const result = await send(senderOf(NAMED, fixed('127.0.0.9', '127.0.0.8')), `https://receiver.test:${port}/`);
    assert.deepEqual(result, { kind: 'failure', reason: 'refused' });
  });

  it('[EVT-5b] returns a 101 at once: nothing was asked to switch protocols', async () => {
    const port = await portOf(
      createTcpServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () =>
          socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
        );
      }),
    );
    const sender = senderOf(rules([], true));
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
    const result = await send(senderOf(NAMED), `https://receiver.test:${port}/`);
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
    const silent = await portOf(createTcpServer(() => undefined));
    for (const port of [hangs, trickles, silent]) {
      const result = await send(senderOf(NAMED), `https://receiver.test:${port}/`, { timeout: 80 });
      assert.deepEqual(result, { kind: 'failure', reason: 'timeout' });
    }
    const never = senderOf(NAMED, () => new Promise(() => undefined));
    assert.deepEqual(await send(never, 'https://receiver.test/', { timeout: 80 }), {
      kind: 'failure',
      reason: 'timeout',
    });
  });

  it('says why there was no response', async () => {
    const plain = await portOf(createHttpServer((_request, response) => void response.end()));
    const cut = await portOf(createTcpServer((socket) => socket.destroy()));
    const unused = await portOf(createTcpServer());
    const reason = async (url: string, sender = senderOf(NAMED)): Promise<unknown> => {
      const result = await send(sender, url);
      return result.kind === 'failure' ? result.reason : result;
    };
    assert.equal(await reason(`https://receiver.test:${plain}/`), 'tls');
    assert.equal(await reason(`https://receiver.test:${cut}/`), 'connection');
    assert.equal(await reason(`https://receiver.test:1/`), 'refused');
    const other = rules(['other.test']);
    const port = await receiver((_request, response) => void response.end());
    assert.equal(await reason(`https://other.test:${port}/`, senderOf(other)), 'tls');
    const failing = senderOf(NAMED, () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })));
    assert.equal(await reason(`https://receiver.test:${unused}/`, failing), 'unresolved');
  });
});

/** Addresses that no webhook may reach, in the spellings of URLs. */
const FORBIDDEN = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '017700000001',
  '0',
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '169.254.169.254',
  '172.31.255.255',
  '192.0.0.8',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.19.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::1]',
  '[::127.0.0.1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:10.0.0.1]',
  '[64:ff9b::10.0.0.1]',
  '[64:ff9b:1::1]',
  '[::ffff:0:7f00:1]',
  '[1::1]',
  '[200::1]',
  '[4000::1]',
  '[5f00::1]',
  '[e000::1]',
  '[100::1]',
  '[2001::1]',
  '[2001:db8::1]',
  '[2002:7f00:1::]',
  '[3fff::1]',
  '[fc00::1]',
  '[fd12:3456::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
];

describe('addresses of webhooks', () => {
  const forbidden: SendResult = { kind: 'failure', reason: 'forbidden' };

  for (const host of FORBIDDEN) {
    it(`[EVT-7] are public: not ${host}`, async () => {
      const sender = senderOf(rules([]));
      assert.equal(await sender.admits(new URL(`https://${host}/`)), false);
      assert.deepEqual(await send(sender, `https://${host}:8443/`), forbidden);
      const address = new URL(`https://${host}/`).hostname.replace(/^\[|\]$/g, '');
      const named = senderOf(rules([]), fixed(address));
      assert.equal(await named.admits(new URL('https://name.test/')), false);
      assert.deepEqual(await send(named, 'https://name.test/'), forbidden);
    });
  }

  it('[EVT-7] are public: others are', async () => {
    for (const host of ['93.184.215.14', '8.8.8.8', '[2606:2800:21f::1]', '[::ffff:8.8.8.8]', '172.32.0.1'])
      assert.equal(await senderOf(rules([])).admits(new URL(`https://${host}/`)), true, host);
    assert.equal(
      await senderOf(rules([]), fixed('8.8.8.8', '2606:2800:21f::1')).admits(new URL('https://a.test')),
      true,
    );
  });

  it('[EVT-7] are all public where a name has several', async () => {
    const sender = senderOf(rules([]), fixed('8.8.8.8', '10.0.0.1'));
    assert.equal(await sender.admits(new URL('https://name.test/')), false);
    assert.deepEqual(await send(sender, 'https://name.test/'), forbidden);
  });

  it('[EVT-7] are checked for each connection, so that a resolver that changes its answer reaches nothing', async () => {
    let connections = 0;
    const port = await portOf(createServer({ cert, key }).on('connection', () => (connections += 1)));
    const answers = ['8.8.8.8', '127.0.0.1', '127.0.0.1'];
    const sender = senderOf(rules([]), async () => [{ address: answers.shift() ?? '127.0.0.1', family: 4 }]);
    const url = `https://receiver.test:${port}/`;
    assert.equal(await sender.admits(new URL(url)), true);
    assert.deepEqual(await send(sender, url), forbidden);
    assert.deepEqual(await send(sender, url), forbidden);
    assert.equal(connections, 0);
  });

  it('[EVT-7] may be those of allow_hosts: a name, an address, a network', async () => {
    const port = await receiver((_request, response) => void response.end('ok'));
    const status = async (given: WebhookUrlRules, host: string): Promise<unknown> => {
      const result = await send(senderOf(given), `https://${host}:${port}/`);
      return result.kind === 'response' ? result.status : result.reason;
    };
    assert.equal(await status(rules(['127.0.0.1']), '127.0.0.1'), 200);
    assert.equal(await status(rules(['127.0.0.0/8']), 'receiver.test'), 200);
    assert.equal(await status(rules(['receiver.test']), 'receiver.test'), 200);
    assert.equal(await status(rules(['receiver.test']), 'other.receiver.test'), 'forbidden');
    assert.equal(await status(rules(['receiver.test']), '127.0.0.1'), 'forbidden');
    assert.equal(await status(rules(['10.0.0.0/8']), 'receiver.test'), 'forbidden');
  });

  it('[EVT-7] are on this machine by http, where a developer serves', async () => {
    const port = await portOf(createHttpServer((_request, response) => void response.end('ok')));
    const sender = senderOf(rules([], true), fixed('127.0.0.1'));
    for (const host of ['127.0.0.1', 'localhost']) {
      const result = await send(sender, `http://${host}:${port}/`);
      assert.ok(result.kind === 'response', JSON.stringify(result));
    }
    const elsewhere = senderOf(rules([], true), fixed('8.8.8.8'));
    assert.deepEqual(await send(elsewhere, `http://localhost:${port}/`), forbidden);
  });
});
