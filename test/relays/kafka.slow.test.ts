import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Admin, Consumer, MessagesStreamModes } from '@platformatic/kafka';
import { openKafka } from '../../src/events/relays/brokers/kafka.ts';
import type { Broker } from '../../src/events/relays/broker.ts';
import type { RelayTarget } from '../../src/model/relay-settings.ts';
import { skipWithoutFile } from '../installed-programs.ts';
import { FREEZE, sendThroughFreeze } from './broker-faults.ts';
import { KAFKA, type KafkaServer, startKafka } from './kafka-server.ts';
import { drain, relayMessages, relayTarget, withoutRepeats } from './relay-driver.ts';

/** Milliseconds in which a call settles. */
const TIMEOUT = 3_000;

interface Consumed {
  readonly id: string;
  readonly sequence: number;
  readonly key: string;
  readonly partition: number;
}

function integers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

describe('a relay to Kafka', { skip: skipWithoutFile(KAFKA, 'Kafka is'), timeout: 120_000 }, () => {
  let server: KafkaServer;
  const folder = mkdtempSync(path.join(tmpdir(), 'restwright-kafka-'));
  before(async () => {
    server = await startKafka(folder);
  });
  after(async () => {
    await server.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = async (topic: string, target: Partial<RelayTarget> = {}, timeout = TIMEOUT): Promise<Broker> => {
    const settings = relayTarget({ kind: 'kafka', url: server.url, destination: [topic], create: true, ...target });
    const broker = await openKafka({ target: settings, timeout });
    after(() => broker.close());
    return broker;
  };
  const host = (): string => server.url.slice('kafka://'.length);

  /** Reads a topic until a message has been read: the last one. */
  const consume = async (topic: string, last: number): Promise<readonly Consumed[]> => {
    const consumer = new Consumer({ groupId: `reader-of-${topic}`, clientId: 'test', bootstrapBrokers: [host()] });
    const stream = await consumer.consume({ topics: [topic], mode: MessagesStreamModes.EARLIEST, autocommit: false });
    const consumed: Consumed[] = [];
    for await (const { key, headers, partition } of stream) {
      const fields = new Map([...headers].map(([name, value]) => [String(name), String(value)]));
      const sequence = Number(fields.get('sequence'));
      consumed.push({ id: fields.get('message-id') ?? '', sequence, key: String(key), partition });
      if (new Set(consumed.map((each) => each.sequence)).size === last) break;
    }
    await consumer.close(true);
    return consumed;
  };

  it('[EVT-9b] creates the topic, and sends each event once, in order, with its key and its headers', async () => {
    await drain(await open('first'), relayMessages(1_200, 'first'));
    const consumed = await consume('first', 1_200);
    assert.deepEqual(
      consumed.map(({ sequence }) => sequence),
      integers(1_200),
    );
    const [message] = relayMessages(1, 'first');
    assert.deepEqual([consumed[0]?.id, consumed[0]?.key], [message?.id, message?.key]);
  });

  it('[EVT-9b] keeps the order of each resource where a topic has several partitions', async () => {
    const messages = relayMessages(600, 'several').map((message, index) => ({
      ...message,
      key: `product/${index % 20}`,
    }));
    await drain(await open('several', { partitions: 3 }), messages, { block: 50 });
    const consumed = await consume('several', 600);
    assert.equal(new Set(consumed.map(({ partition }) => partition)).size, 3);
    for (const key of new Set(consumed.map((each) => each.key))) {
      const sequences = consumed.filter((each) => each.key === key).map(({ sequence }) => sequence);
      assert.deepEqual(
        sequences,
        sequences.toSorted((one, other) => one - other),
        key,
      );
    }
  });

  it('[EVT-9b] says which topic is missing; with `create` it is made again after it was deleted', async () => {
    const { acknowledged, problem } = await (await open('absent', { create: false })).publish(
      relayMessages(3, 'absent'),
    );
    assert.equal(acknowledged, 0);
    assert.match(problem ?? '', /^the topic absent does not exist; create it \(.*\), or set create: true$/);
    const broker = await open('again');
    await drain(broker, relayMessages(5, 'again'));
    const admin = new Admin({ clientId: 'test', bootstrapBrokers: [host()] });
    await admin.deleteTopics({ topics: ['again'] });
    await admin.close();
    await drain(broker, relayMessages(5, 'again', 6));
    assert.deepEqual(withoutRepeats(await consume('again', 5)), integers(10).slice(5));
  });

  it('[EVT-9b] ends a call in its time while the broker is frozen, and loses and reorders nothing', async () => {
    const broker = await open('frozen', {}, FREEZE.timeout);
    const problems = await sendThroughFreeze(broker, relayMessages(2_000, 'frozen'), server.pid());
    assert.deepEqual([...new Set(problems)], [`Kafka did not answer within ${FREEZE.timeout} ms`]);
    assert.deepEqual(withoutRepeats(await consume('frozen', 2_000)), integers(2_000));
  });

  it('[EVT-9b] loses and reorders nothing while the broker is killed and started again under load', async () => {
    const broker = await open('killed');
    let next = 2_000;
    await drain(broker, relayMessages(8_000, 'killed'), {
      block: 200,
      async onResult(_, sent) {
        if (sent < next || sent === 8_000) return;
        next += 2_000;
        const restarted = server.kill().then(() => server.start());
        await broker.publish(relayMessages(200, 'killed', sent + 1));
        await restarted;
      },
    });
    assert.deepEqual(withoutRepeats(await consume('killed', 8_000)), integers(8_000));
  });
});
