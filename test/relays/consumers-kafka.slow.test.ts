import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { skipWithoutFile } from '../installed-programs.ts';
import { skipWithoutConsumers } from './consumers/consumer-process.ts';
import { assertOrdered, runConsumers } from './consumers/run-consumers.ts';
import { KAFKA, type KafkaServer, startKafka } from './kafka-server.ts';

/** The events of each resource, in their order. */
function groupByResource(lines: readonly string[]): ReadonlyMap<string | undefined, readonly string[]> {
  return Map.groupBy(lines.toSorted(byResource), (line) => line.split(' ')[2]);
}

/** Leaves the lines of one resource in their order. */
function byResource(one: string, other: string): number {
  const [first = '', second = ''] = [one, other].map((line) => line.split(' ')[2]);
  return first.localeCompare(second);
}

describe('the consumers of Kafka', {
  skip: skipWithoutFile(KAFKA, 'Kafka is') || skipWithoutConsumers(),
  timeout: 180_000,
}, () => {
  let server: KafkaServer;
  const folder = mkdtempSync(path.join(tmpdir(), 'restwright-kafka-'));
  before(async () => {
    server = await startKafka(folder);
  });
  after(async () => {
    await server.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  it('[EVT-9b] in Node.js, Python and Go handle each event once, in order, through a crash', async (context) => {
    const brokers = { KAFKA_BROKERS: server.url.slice('kafka://'.length) };
    const kafka = `kafka: '${server.url}', create: true`;
    const { expected, consumers } = await runConsumers(context, {
      broker: 'kafka',
      relays: `[{ ${kafka}, name: one, topic: one }, { ${kafka}, name: three, topic: three, partitions: 3 }]`,
      groups: { '-one': { ...brokers, TOPIC: 'one' }, '-three': { ...brokers, TOPIC: 'three' } },
    });
    const [one = [], three = []] = ['one', 'three'].map((topic) =>
      consumers.filter(({ name }) => name.endsWith(topic)),
    );
    assertOrdered({ expected, consumers: one });
    for (const { handled, name } of three) assert.deepEqual(groupByResource(handled), groupByResource(expected), name);
  });
});
