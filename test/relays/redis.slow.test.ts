import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createClient } from '@redis/client';
import type { Broker } from '../../src/events/relays/broker.ts';
import { openRedis } from '../../src/events/relays/brokers/redis.ts';
import type { RelayTarget } from '../../src/model/relay-settings.ts';
import { skipWithout } from '../installed-programs.ts';
import { type RedisServer, startRedis } from '../redis-server.ts';
import { drain, relayMessage, relayMessages, relayTarget } from './relay-driver.ts';

const TIMEOUT = 10_000;

const numbers = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

describe('a relay to Redis Streams', { skip: skipWithout('redis-server') }, () => {
  let server: RedisServer;
  let operator: ReturnType<typeof createClient>;
  before(async () => {
    server = await startRedis();
    operator = createClient({ url: server.url });
    await operator.connect();
  });
  after(async () => {
    operator.destroy();
    await server.kill();
  });

  const open = async (stream: string, target: Partial<RelayTarget> = {}): Promise<Broker> => {
    const settings = relayTarget({ kind: 'redis', url: server.url, destination: [stream], create: true, ...target });
    const broker = await openRedis({ target: settings, timeout: TIMEOUT });
    after(() => broker.close());
    return broker;
  };
  const readEntries = async (stream: string): Promise<readonly Readonly<Record<string, string>>[]> =>
    ((await operator.xRange(stream, '-', '+')) ?? []).map(({ id, message }) => ({ entry: id, ...message }));
  const readSequences = async (stream: string): Promise<number[]> =>
    (await readEntries(stream)).map(({ sequence }) => Number(sequence));

  it('[EVT-9d] creates the stream, and stores each event once, in order, with its fields', async () => {
    const broker = await open('first');
    await drain(broker, relayMessages(1_200, 'first'));
    assert.deepEqual(await readSequences('first'), numbers(1, 1_200));
    const { id, type, contentType, traceparent, body } = relayMessage(1, 'first');
    const sequence = '00000000000000000001';
    assert.deepEqual((await readEntries('first'))[0], {
      entry: '1-0',
      id,
      type,
      sequence,
      'content-type': contentType,
      traceparent,
      data: body,
    });
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
});
