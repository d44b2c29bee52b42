import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { Consumer, MessagesStreamFallbackModes, MessagesStreamModes } from '@platformatic/kafka';

const name = process.env.CONSUMER ?? 'audit';
const file = `${name}.log`;
const topic = process.env.TOPIC ?? 'shop.events';
const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
const handled = new Set(lines.map((line) => line.split(' ')[3]));

/** Handles an event once: its effect and its id are stored in one step. Here both are a line of a file. */
function handle({ id, type, payload: { resource }, metadata: { sequence } }) {
  if (handled.has(id)) return;
  const line = `${sequence} ${type} ${resource.type}/${resource.id} ${id}\n`;
  process.stdout.write(line);
  appendFileSync(file, line);
  handled.add(id);
}

const consumer = new Consumer({
  clientId: name,
  bootstrapBrokers: (process.env.KAFKA_BROKERS ?? '127.0.0.1:9092').split(','),
  groupId: name,
  // A process that starts again gets its partitions immediately. Each process of a group has another number.
  groupInstanceId: `${name}-${process.env.INSTANCE ?? 1}`,
});
// Kafka stores the position of the group when it is committed.
const messages = await consumer.consume({
  topics: [topic],
  mode: MessagesStreamModes.COMMITTED,
  fallbackMode: MessagesStreamFallbackModes.EARLIEST,
  autocommit: false,
});
for await (const message of messages) {
  handle(JSON.parse(message.value));
  await message.commit();
}
