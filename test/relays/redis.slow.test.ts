import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { after, before, describe, it } from 'node:test';
import { createClient } from '@redis/client';
import type { Broker } from '../../src/events/relays/broker.ts';
import { openRedis } from '../../src/events/relays/brokers/redis.ts';
import type { RelayTarget } from '../../src/model/relay-settings.ts';
import { skipWithout } from '../installed-programs.ts';
import { type RedisServer, startRedis } from '../redis-server.ts';
import { testFaults } from './broker-faults.ts';
import { drain, relayMessage, relayMessages, relayTarget } from './relay-driver.ts';

const TIMEOUT = 3_000;

const numbers = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

describe('a relay to Redis Streams', { skip: skipWithout('redis-server') }, () => {
  let server: RedisServer;
  let operator: ReturnType<typeof createClient>;
  const folder = mkdtempSync(path.join(tmpdir(), 'restwright-redis-'));
  // On disk: what it has acknowledged is there when it starts again.
  const onDisk = ['--appendonly', 'yes', '--appendfsync', 'always', '--dir', folder];
  const connectOperator = async (): Promise<void> => {
    operator = createClient({ url: server.url });
    operator.on('error', () => undefined);
    await operator.connect();
  };
  before(async () => {
    server = await startRedis(undefined, onDisk);
    await connectOperator();
  });
  after(async () => {
    operator.destroy();
    await server.kill();
    rmSync(folder, { recursive: true });
  });

  const open = async (stream: string, target: Partial<RelayTarget> = {}): Promise<Broker> => {
    const settings = relayTarget({ kind: 'redis', url: server.url, destination: [stream], create: true, ...target });
    const broker = await openRedis({ target: settings, timeout: TIMEOUT });
    after(() => broker.close());
    return broker;
  };
  const readSequences = async (stream: string): Promise<number[]> =>
    ((await operator.xRange(stream, '-', '+')) ?? []).map(({ message }) => Number(message['sequence']));

  it('[EVT-9d] creates the stream, and stores each event once, in order, with its fields', async () => {
    const broker = await open('first');
    await drain(broker, relayMessages(1_200, 'first'));
    assert.deepEqual(await readSequences('first'), numbers(1, 1_200));
    const { id, type, contentType, traceparent, body } = relayMessage(1, 'first');
    const sequence = '00000000000000000001';
    assert.deepEqual(
      await operator
        .xRange('first', '1-0', '1-0')
        .then((entries) => (entries ?? []).map((each) => ({ ...each, message: { ...each.message } }))),
      [{ id: '1-0', message: { id, type, sequence, 'content-type': contentType, traceparent, data: body } }],
    );
    assert.equal(broker.address, server.url.slice('redis://'.length));
  });

  it('[EVT-9d] acknowledges events that are sent again, and stores them once', async () => {
    await drain(await open('again'), relayMessages(20, 'again'));
    const other = await open('again');
    assert.deepEqual(await other.publish(relayMessages(20, 'again', 5)), { acknowledged: 20, problem: null });
    assert.deepEqual(await readSequences('again'), numbers(1, 24));
  });

  it('[EVT-9d] never counts an event as sent that Redis refuses because a later one is stored', async () => {
    const broker = await open('passed');
    await drain(broker, relayMessages(4, 'passed'));
    // The trap: an entry that was refused for want of memory, while the next one was stored.
    await operator.xAdd('passed', '6-0', { id: relayMessage(6, 'passed').id });
    assert.deepEqual(await broker.publish(relayMessages(10, 'passed', 5)), {
      acknowledged: 0,
      problem: 'the stream passed has entries after 5-0, and not 5-0: relay to a stream without other writers',
    });
    assert.deepEqual(await broker.publish(relayMessages(5, 'passed', 6)), { acknowledged: 5, problem: null });
  });

  it('[EVT-9d] goes on where Redis is out of memory, once there is room, and loses no entry', async () => {
    const broker = await open('memory');
    await drain(broker, relayMessages(10, 'memory'));
    await operator.configSet({ 'maxmemory-policy': 'noeviction', maxmemory: '1' });
    const messages = relayMessages(20, 'memory', 11);
    const { acknowledged, problem } = await broker.publish(messages);
    assert.equal(acknowledged, 0);
    assert.match(problem ?? '', /used memory > 'maxmemory'/);
    await operator.configSet({ maxmemory: '0' });
    await drain(broker, messages);
    assert.deepEqual(await readSequences('memory'), numbers(1, 30));
  });

  it('[EVT-9d] reports refused credentials without them, and a missing stream with its remedy', async () => {
    const refused = await open('refused', { url: server.url.replace('redis://', 'redis://user:s3cret@') });
    const { problem } = await refused.publish(relayMessages(1, 'refused'));
    assert.match(problem ?? '', /WRONGPASS/);
    assert.doesNotMatch(problem ?? '', /s3cret/);
    const plain = await open('absent', { create: false });
    const missing = await plain.publish(relayMessages(1, 'absent'));
    assert.match(
      missing.problem ?? '',
      /^the stream absent does not exist; create it \(XGROUP CREATE .*\), or set create: true$/,
    );
  });

  testFaults({
    clause: 'EVT-9d',
    timeout: TIMEOUT,
    open,
    destination: (name) => name,
    kill: () => server.kill(),
    start: async () => {
      server = await startRedis(Number(new URL(server.url).port), onDisk);
    },
    signal: (name) => process.kill(server.pid, name),
    async read(name) {
      operator.destroy();
      await connectOperator();
      return readSequences(name);
    },
  });
});
