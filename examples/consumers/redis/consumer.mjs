import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { createClient } from '@redis/client';

const name = process.env.CONSUMER ?? 'audit';
const file = `${name}.log`;
const stream = 'shop:events';
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

const client = createClient({ url: process.env.REDIS_URL ?? 'redis://127.0.0.1:6379' });
client.on('error', (error) => process.stderr.write(`${error}\n`));
await client.connect();
try {
  await client.xGroupCreate(stream, name, '0', { MKSTREAM: true });
} catch (error) {
  if (!error.message.startsWith('BUSYGROUP')) throw error;
}

/** Handles entries, and acknowledges them: Redis stores the position of the group. */
async function take(entries) {
  for (const { message } of entries) handle(JSON.parse(message.data));
  if (entries.length > 0)
    await client.xAck(
      stream,
      name,
      entries.map(({ id }) => id),
    );
}

// First what an earlier process has read and not acknowledged. For the order, a group has one process.
for (let next = '0-0', isFirst = true; isFirst || next !== '0-0'; isFirst = false) {
  const { nextId, messages } = await client.xAutoClaim(stream, name, 'only', 0, next);
  await take(messages.filter((entry) => entry !== null));
  next = nextId;
}
for (;;) {
  const read = await client.xReadGroup(name, 'only', { key: stream, id: '>' }, { COUNT: 100, BLOCK: 5_000 });
  for (const { messages } of read ?? []) await take(messages);
}
