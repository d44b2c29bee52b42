import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { after, before, describe, it } from 'node:test';
import { DiscardPolicy } from '@nats-io/jetstream';
import { openNats } from '../../src/events/relays/brokers/nats.ts';
import type { Broker } from '../../src/events/relays/broker.ts';
import type { RelayTarget } from '../../src/model/relay-settings.ts';
import { freePort } from '../free-port.ts';
import { skipWithout } from '../installed-programs.ts';
import { type NatsServer, startNats } from './nats-server.ts';
import { type NatsReader, readNats } from './nats-reader.ts';
import { testFaults } from './broker-faults.ts';
import { drain, relayMessage, relayMessages, relayTarget, withoutRepeats } from './relay-driver.ts';

const TIMEOUT = 3_000;

describe('a relay to NATS JetStream', { skip: skipWithout('nats-server') }, () => {
  let server: NatsServer;
  let reader: NatsReader;
  const folder = mkdtempSync(path.join(tmpdir(), 'restwright-nats-'));
  const connectReader = async (): Promise<void> => {
    reader = await readNats(server.url);
  };
  before(async () => {
    server = await startNats({ folder });
    await connectReader();
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
    assert.match(result.problem ?? '', /^the stream REFUSING refused an event: message size exceeds maximum allowed$/);
    await reader.limitMessageSize('REFUSING', -1);
    await drain(broker, messages);
    assert.deepEqual(
      withoutRepeats(await reader.read('REFUSING')),
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
  });

  it('[EVT-9a] goes on where a stream is full, once there is room', async () => {
    const broker = await open('full');
    await drain(broker, relayMessages(10, 'full.product'));
    await reader.manager.streams.update('FULL', { max_msgs: 10, discard: DiscardPolicy.New });
    const messages = relayMessages(20, 'full.product', 11);
    const { acknowledged, problem } = await broker.publish(messages);
    assert.equal(acknowledged, 0);
    assert.match(problem ?? '', /^the stream FULL refused an event: maximum messages exceeded$/);
    await reader.manager.streams.update('FULL', { max_msgs: -1 });
    await drain(broker, messages);
    assert.deepEqual(
      withoutRepeats(await reader.read('FULL')),
      Array.from({ length: 30 }, (_, index) => index + 1),
    );
  });

  it('[EVT-9a] connects to one of several hosts', async () => {
    const away = await freePort();
    const broker = await open('hosts', { url: `nats://127.0.0.1:${away},127.0.0.1:${server.port}` });
    await drain(broker, relayMessages(3, 'hosts.product'));
    assert.equal(broker.address, `127.0.0.1:${away},127.0.0.1:${server.port}`);
  });

  it('[EVT-9a] makes a stream again that was deleted; without `create` it says how to', async () => {
    const broker = await open('deleted');
    await drain(broker, relayMessages(5, 'deleted.product'));
    await reader.manager.streams.delete('DELETED');
    const plain = await open('deleted', { create: false });
    const { problem } = await plain.publish(relayMessages(5, 'deleted.product', 6));
    assert.match(problem ?? '', /create it \(nats stream add DELETED --subjects "deleted\.>"\), or set create: true$/);
    await drain(broker, relayMessages(5, 'deleted.product', 6));
    assert.deepEqual(withoutRepeats(await reader.read('DELETED')), [6, 7, 8, 9, 10]);
  });

  testFaults({
    clause: 'EVT-9a',
    timeout: TIMEOUT,
    open,
    destination: (name) => `${name}.product`,
    kill: () => server.kill(),
    start: async () => {
      server = await startNats({ folder, port: server.port });
    },
    signal: (name) => process.kill(server.pid, name),
    async read(name) {
      await reader.close();
      await connectReader();
      return withoutRepeats(await reader.read(name.toUpperCase()));
    },
  });
});
