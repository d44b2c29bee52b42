import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, nanos } from '@nats-io/transport-node';

const name = process.env.CONSUMER ?? 'audit';
const file = `${name}.log`;
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

const connection = await connect({ servers: process.env.NATS_URL ?? 'nats://127.0.0.1:4222' });
const manager = await jetstreamManager(connection);
// NATS stores the position under this name. One message at a time keeps the order when one is delivered again.
await manager.consumers.add('SHOP', {
  durable_name: name,
  ack_policy: AckPolicy.Explicit,
  ack_wait: nanos(5_000),
  max_ack_pending: 1,
});
const consumer = await jetstream(connection).consumers.get('SHOP', name);
for await (const message of await consumer.consume()) {
  handle(message.json());
  message.ack();
}
