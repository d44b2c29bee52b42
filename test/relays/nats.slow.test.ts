import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openNats } from '../../src/events/relays/brokers/nats.ts';
import type { Broker } from '../../src/events/relays/broker.ts';
import type { RelayTarget } from '../../src/model/relay-settings.ts';
import { freePort } from '../free-port.ts';
import { skipWithout } from '../installed-programs.ts';
import { type NatsServer, natsPrograms, startNats } from './nats-server.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { type NatsReader, readNats } from './nats-reader.ts';
import { drain, relayMessage, relayMessages, relayTarget, withoutRepeats } from './relay-driver.ts';

const TIMEOUT = 10_000;

const skip = skipWithout('nats-server');

for (const { version, program } of natsPrograms())
  describe(`a relay to JetStream of ${version}`, { skip }, () => {
    let server: NatsServer;
    let reader: NatsReader;
    const folder = mkdtempSync(path.join(tmpdir(), 'restwright-nats-'));
    before(async () => {
      server = await startNats({ folder, program });
      reader = await readNats(server.url);
    });
    after(async () => {
      await reader.close();
      await server.kill();
      rmSync(folder, { recursive: true });
    });

    const open = async (name: string, target: Partial<RelayTarget> = {}): Promise<Broker> => {
      const destination = [`${name}.`, { kind: 'collection' }] as const;
      const settings = relayTarget({ kind: 'nats', url: server.url, destination, create: true, ...target });
      const broker = await openNats({ target: settings, timeout: TIMEOUT });
      after(() => broker.close());
      return broker;
    };

    it('[EVT-9a] creates the stream, and stores each event once, in order, with its headers', async () => {
      const broker = await open('first');
      await drain(broker, relayMessages(1_200, 'first.product'));
      const stored = await reader.read('FIRST');
      assert.deepEqual(
        stored.map(({ sequence }) => sequence),
        Array.from({ length: 1_200 }, (_, index) => index + 1),
      );
      const { id, body } = relayMessage(1, 'first.product');
      assert.deepEqual(stored[0]?.headers, {
        'Nats-Msg-Id': id,
        'Content-Type': 'application/json',
        type: 'product.created',
        sequence: '00000000000000000001',
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      });
      assert.equal(stored[0]?.body, body);
      assert.equal(broker.address, `127.0.0.1:${server.port}`);
    });

    it('[EVT-9a] acknowledges events that are sent again, and stores them once', async () => {
      const broker = await open('again');
      await drain(broker, relayMessages(20, 'again.product'));
      const other = await open('again');
      assert.deepEqual(await other.publish(relayMessages(20, 'again.product', 5)), { acknowledged: 20, problem: null });
      assert.deepEqual(
        (await reader.read('AGAIN')).map(({ sequence }) => sequence),
        Array.from({ length: 24 }, (_, index) => index + 1),
      );
    });

    it('[EVT-9a] stores no event behind those after it where one is refused', async () => {
      const broker = await open('refusing');
      await drain(broker, relayMessages(4, 'refusing.product'));
      // Larger than the others: the stream refuses it alone.
      await reader.limitMessageSize('REFUSING', 2_000);
      const large = { ...relayMessage(5, 'refusing.product'), body: 'x'.repeat(4_000) };
      const messages = [large, ...relayMessages(15, 'refusing.product', 6)];
      const result = await broker.publish(messages);
      assert.equal(result.acknowledged, 0);
      assert.match(
        result.problem ?? '',
        /^the stream REFUSING refused an event: message size exceeds maximum allowed$/,
      );
      await reader.limitMessageSize('REFUSING', -1);
      await drain(broker, messages);
      assert.deepEqual(
        withoutRepeats(await reader.read('REFUSING')),
        Array.from({ length: 20 }, (_, index) => index + 1),
      );
    });

    it('[EVT-9a] takes a token from the URL or from a file', async (context) => {
      const data = temporaryDirectory(context);
      const configuration = path.join(data, 'server.conf');
      const credentialsFile = path.join(data, 'token');
      writeFileSync(configuration, 'authorization { token: "a-token" }\n');
      writeFileSync(credentialsFile, 'a-token\n');
      const guarded = await startNats({ folder: data, configuration, program });
      context.after(() => guarded.kill());
      const messages = relayMessages(1, 'token.product');
      const url = guarded.url.replace('//', '//a-token@');
      for (const target of [{ url }, { url: guarded.url, credentialsFile }])
        assert.equal((await (await open('token', target)).publish(messages)).problem, null);
      const refused = await (await open('token', { url: guarded.url })).publish(messages);
      assert.deepEqual(refused, { acknowledged: 0, problem: 'Authorization Violation' });
    });

    it('[EVT-9a] connects to the first of several hosts that answers', async () => {
      const away = await freePort();
      const broker = await open('hosts', { url: `nats://127.0.0.1:${away},127.0.0.1:${server.port}` });
      await drain(broker, relayMessages(3, 'hosts.product'));
      assert.equal(broker.address, `127.0.0.1:${away},127.0.0.1:${server.port}`);
    });
  });
