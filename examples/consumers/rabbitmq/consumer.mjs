import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { Connection } from 'rabbitmq-client';

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

const connection = new Connection(process.env.RABBITMQ_URL ?? 'amqp://guest:guest@127.0.0.1:5672');
connection.on('error', (error) => process.stderr.write(`${error}\n`));
// The queue keeps what is not acknowledged. For the order, one process at a time gets its messages.
connection
  .createConsumer(
    {
      queue: name,
      queueOptions: { durable: true, arguments: { 'x-queue-type': 'quorum', 'x-single-active-consumer': true } },
      exchanges: [{ exchange: 'shop', type: 'topic', durable: true }],
      queueBindings: [{ exchange: 'shop', routingKey: '#' }],
      qos: { prefetchCount: 100 },
      concurrency: 1,
    },
    // The client acknowledges a message when this returns, and rejects it when this throws.
    async ({ body }) => handle(JSON.parse(body)),
  )
  .on('error', (error) => process.stderr.write(`${error}\n`));
