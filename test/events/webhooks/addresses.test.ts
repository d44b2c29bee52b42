import assert from 'node:assert/strict';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import { describe, it } from 'node:test';
import type { WebhookUrlRules } from '../../../src/conventions/events/webhook-url.ts';
import type { SendResult } from '../../../src/events/webhooks/sender.ts';
import { cert, key, fixed, listen, receiver, rules, send, createSender } from './sender-under-test.ts';

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
      const sender = createSender(rules([]));
      assert.equal(await sender.admits(new URL(`https://${host}/`)), false);
      assert.deepEqual(await send(sender, `https://${host}:8443/`), forbidden);
      const address = new URL(`https://${host}/`).hostname.replace(/^\[|\]$/g, '');
      const named = createSender(rules([]), fixed(address));
      assert.equal(await named.admits(new URL('https://name.test/')), false);
      assert.deepEqual(await send(named, 'https://name.test/'), forbidden);
    });
  }

  it('[EVT-7] are public: others are', async () => {
    for (const host of ['93.184.215.14', '8.8.8.8', '[2606:2800:21f::1]', '[::ffff:8.8.8.8]', '172.32.0.1'])
      assert.equal(await createSender(rules([])).admits(new URL(`https://${host}/`)), true, host);
    assert.equal(
      await createSender(rules([]), fixed('8.8.8.8', '2606:2800:21f::1')).admits(new URL('https://a.test')),
      true,
    );
  });

  it('[EVT-7] are all public where a name has several', async () => {
    const sender = createSender(rules([]), fixed('8.8.8.8', '10.0.0.1'));
    assert.equal(await sender.admits(new URL('https://name.test/')), false);
    assert.deepEqual(await send(sender, 'https://name.test/'), forbidden);
  });

  it('[EVT-7] are checked for each connection, so that a resolver that changes its answer reaches nothing', async () => {
    let connections = 0;
    const port = await listen(createServer({ cert, key }).on('connection', () => (connections += 1)));
    const answers = ['8.8.8.8', '127.0.0.1', '127.0.0.1'];
    const sender = createSender(rules([]), async () => [{ address: answers.shift() ?? '127.0.0.1', family: 4 }]);
    const url = `https://receiver.test:${port}/`;
    assert.equal(await sender.admits(new URL(url)), true);
    assert.deepEqual(await send(sender, url), forbidden);
    assert.deepEqual(await send(sender, url), forbidden);
    assert.equal(connections, 0);
  });

  it('[EVT-7] may be those of allow_hosts: a name, an address, a network', async () => {
    const port = await receiver((_request, response) => void response.end('ok'));
    const status = async (given: WebhookUrlRules, host: string): Promise<unknown> => {
      const result = await send(createSender(given), `https://${host}:${port}/`);
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
    const port = await listen(createHttpServer((_request, response) => void response.end('ok')));
    const sender = createSender(rules([], true), fixed('127.0.0.1'));
    for (const host of ['127.0.0.1', 'localhost']) {
      const result = await send(sender, `http://${host}:${port}/`);
      assert.ok(result.kind === 'response', JSON.stringify(result));
    }
    const elsewhere = createSender(rules([], true), fixed('8.8.8.8'));
    assert.deepEqual(await send(elsewhere, `http://localhost:${port}/`), forbidden);
  });
});
