// `node scripts/run.mjs bench/events/many-webhooks.ts [webhooks] [rounds]`: what many webhooks cost, of which one
// matches.
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { root } from '../../scripts/command.ts';
import { type BenchServer, startServer } from '../server.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { startReceiver } from './start-receiver.ts';

const MANY = Number(process.argv[2] ?? 10_000);
const ROUNDS = Number(process.argv[3] ?? 5);
const FEW = 10;
const ROWS = 2_000;
const CHANGES = 200;

const MODEL = `name: bench
webhooks: {}
resources:
  products:
    schema: { type: object, required: [name], properties: { name: { type: string }, price: { type: integer } } }
`;

const folder = temporaryFolder();
const model = path.join(folder, 'bench.yaml');
writeFileSync(model, MODEL);
const receiver = await startReceiver();

function serve(database: string): Promise<BenchServer> {
  const file = path.join(folder, `${database}.db`);
  const program = path.join(root, 'bin', 'restwright.js');
  const args = [program, 'serve', model, '--port', '0', '--dev', '--database', file];
  return startServer({ args, path: '/api/v1/products', compileCache: folder });
}

interface Sent {
  readonly method: string;
  readonly target: string;
  readonly body: string;
  readonly type?: string;
}

async function send({ port }: BenchServer, { method, target, body, type = 'application/json' }: Sent): Promise<string> {
  const url = `http://127.0.0.1:${port}/api/v1/${target}`;
  const response = await fetch(url, { method, headers: { 'content-type': type, 'if-match': '*' }, body });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}

const lines = (count: number, line: (index: number) => unknown): string =>
  Array.from({ length: count }, (_, index) => `${JSON.stringify(line(index))}\n`).join('');
const upload = (server: BenchServer, target: string, body: string): Promise<string> =>
  send(server, { method: 'POST', target, body, type: 'application/x-ndjson' });

/** Creates webhooks, of which the last one matches. @returns the id of another one */
async function createWebhooks(server: BenchServer, count: number): Promise<string> {
  const webhook = (type: string): object => ({ url: receiver.url, event_types: [type] });
  await upload(
    server,
    'webhooks',
    lines(count - 2, () => webhook('product.deleted')),
  );
  const other: { readonly id: string } = JSON.parse(
    await send(server, { method: 'POST', target: 'webhooks', body: JSON.stringify(webhook('product.deleted')) }),
  );
  await send(server, { method: 'POST', target: 'webhooks', body: JSON.stringify(webhook('product.created')) });
  return other.id;
}

/** Waits until no more is delivered, and the server does nothing. */
async function settle(server: BenchServer): Promise<void> {
  let [seen, cpu] = [-1, 0];
  while (receiver.arrivals.size !== seen || server.cpu() - cpu > 30_000) {
    [seen, cpu] = [receiver.arrivals.size, server.cpu()];
    await setTimeout(500);
  }
}

/** Microseconds of processor time of the server for each of some units of work, with what follows from them. */
async function measureCost(server: BenchServer, count: number, work: () => Promise<unknown>): Promise<number> {
  const before = server.cpu();
  await work();
  await settle(server);
  return (server.cpu() - before) / count;
}

/** Changes one webhook again and again, and each time waits until an event has arrived. */
async function change(server: BenchServer, id: string): Promise<void> {
  for (let count = 0; count < CHANGES; count += 1) {
    const body = JSON.stringify({ description: String(count) });
    await send(server, { method: 'PATCH', target: `webhooks/${id}`, body, type: 'application/merge-patch+json' });
    const arrived = receiver.arrivals.size;
    await send(server, { method: 'POST', target: 'products', body: JSON.stringify({ name: 'a', price: 1 }) });
    while (receiver.arrivals.size === arrived) await setTimeout(1);
  }
}

interface Measured {
  /** Milliseconds from the start of the process to the delivery of an event, and of processor time until then. */
  readonly start: number;
  readonly startCpu: number;
  /** Microseconds of processor time. */
  readonly event: number;
  readonly change: number;
  readonly idle: number;
}

async function measure(database: string, id: string): Promise<Measured> {
  const began = performance.now();
  const server = await serve(database);
  const arrived = receiver.arrivals.size;
  await send(server, { method: 'POST', target: 'products', body: JSON.stringify({ name: 'a', price: 1 }) });
  while (receiver.arrivals.size === arrived) await setTimeout(1);
  const [start, startCpu] = [performance.now() - began, server.cpu() / 1_000];
  await settle(server);
  const body = lines(ROWS, (index) => ({ name: String(index), price: index }));
  const event = await measureCost(server, ROWS, () => upload(server, 'products', body));
  const changed = await measureCost(server, CHANGES, () => change(server, id));
  const before = server.cpu();
  await setTimeout(2_000);
  const idle = (server.cpu() - before) / 2;
  await server.stop();
  return { start, startCpu, event, change: changed, idle };
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const counts = [FEW, MANY];
const ids: string[] = [];
for (const count of counts) {
  const server = await serve(String(count));
  const began = server.cpu();
  ids.push(await createWebhooks(server, count));
  await settle(server);
  print(`${count} webhooks are created in ${((server.cpu() - began) / 1_000).toFixed(0)} ms of processor time`);
  await server.stop();
}
const results = counts.map((): Measured[] => []);
for (let round = 0; round <= ROUNDS; round += 1) {
  for (const [index, count] of counts.entries()) {
    const measured = await measure(String(count), ids[index] ?? '');
    if (round > 0) results[index]?.push(measured);
  }
}
for (const [index, count] of counts.entries()) {
  const of = (member: keyof Measured): string => median((results[index] ?? []).map((each) => each[member])).toFixed(0);
  print(`${count} webhooks: first delivery ${of('start')} ms after the start, ${of('startCpu')} ms of processor time;`);
  print(
    `  µs of processor time: ${of('event')} an event, ${of('change')} a change, ${of('idle')} a second without work`,
  );
}
print(
  `load ${loadavg()
    .map((load) => load.toFixed(1))
    .join(' ')}`,
);
receiver.close();
