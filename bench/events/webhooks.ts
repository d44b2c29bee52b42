// `node scripts/run.mjs bench/events/webhooks.ts [rounds] [seconds]`: what a webhook costs writes, and how long an
// event takes to its receiver.
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { root } from '../../scripts/command.ts';
import { type BenchServer, startServer } from '../server.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { startReceiver } from './start-receiver.ts';

const ROUNDS = Number(process.argv[2] ?? 5);
const SECONDS = Number(process.argv[3] ?? 2);
const CONNECTIONS = 32;
const RATE = 500;
const LINES = 20_000;

const MODEL = `name: bench
webhooks: {}
resources:
  products:
    schema: { type: object, required: [name], properties: { name: { type: string }, price: { type: integer } } }
`;

/** Event types of the webhook; null for none. */
const VARIANTS: readonly (readonly [name: string, type: string | null])[] = [
  ['no webhook', null],
  ['a webhook that matches nothing', 'product.deleted'],
  ['a webhook', 'product.created'],
];

const folder = temporaryFolder();
const model = path.join(folder, 'bench.yaml');
writeFileSync(model, MODEL);
const receiver = await startReceiver();
const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });
let databases = 0;

async function serve(type: string | null): Promise<BenchServer> {
  databases += 1;
  const database = path.join(folder, `${databases}.db`);
  const args = [
    path.join(root, 'bin', 'restwright.js'),
    'serve',
    model,
    '--port',
    '0',
    '--dev',
    '--database',
    database,
  ];
  const server = await startServer({ args, path: '/api/v1/products', compileCache: folder });
  if (type !== null) {
    await post(server, 'webhooks', JSON.stringify({ url: receiver.url, event_types: [type] }));
  }
  return server;
}

/** Sends a POST. @returns the body of the response */
async function post({ port }: BenchServer, target: string, body: string, type = 'application/json'): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const headers = { 'content-type': type, 'content-length': Buffer.byteLength(body) };
  const options = { port, host: '127.0.0.1', method: 'POST', path: `/api/v1/${target}`, agent, headers };
  const request = http.request(options, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => void chunks.push(chunk));
    response.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      if (response.statusCode === 200 || response.statusCode === 201) resolve(text);
      else reject(new Error(text));
    });
  });
  request.on('error', reject);
  request.end(body);
  return promise;
}

const PRODUCT = JSON.stringify({ name: 'a', price: 1 });

/** The cost of some writes. */
interface Cost {
  /** Microseconds for each write, and of processor time of the server. */
  readonly time: number;
  readonly cpu: number;
  /** Deliveries per second meanwhile. */
  readonly deliveries: number;
}

async function measure(server: BenchServer, write: () => Promise<number>): Promise<Cost> {
  const [began, cpu, delivered] = [performance.now(), server.cpu(), receiver.arrivals.size];
  const count = await write();
  const time = (performance.now() - began) * 1_000;
  const deliveries = ((receiver.arrivals.size - delivered) / time) * 1e6;
  return { time: time / count, cpu: (server.cpu() - cpu) / count, deliveries };
}

/** Writes as fast as 32 connections can. @returns the number of writes */
async function posts(server: BenchServer): Promise<number> {
  const end = performance.now() + SECONDS * 1_000;
  let count = 0;
  const connection = async (): Promise<void> => {
    while (performance.now() < end) {
      await post(server, 'products', PRODUCT);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  return count;
}

async function upload(server: BenchServer): Promise<number> {
  await post(server, 'products', `${PRODUCT}\n`.repeat(LINES), 'application/x-ndjson');
  return LINES;
}

/** Writes at a rate. @returns milliseconds from each response to the receipt of its event */
async function latencies(server: BenchServer): Promise<readonly number[]> {
  const committed = new Map<string, number>();
  const begin = performance.now();
  const writes: Promise<void>[] = [];
  for (let count = 0; count < RATE * SECONDS; count += 1) {
    const delay = begin + (count * 1_000) / RATE - performance.now();
    if (delay > 1) await setTimeout(delay);
    const write = async (): Promise<void> => {
      const { id }: { readonly id: string } = JSON.parse(await post(server, 'products', PRODUCT));
      committed.set(id, performance.timeOrigin + performance.now());
    };
    writes.push(write());
  }
  await Promise.all(writes);
  for (let waited = 0; waited < 300 && [...committed.keys()].some((id) => !receiver.arrivals.has(id)); waited += 1)
    await setTimeout(100);
  return [...committed].map(([id, at]) => (receiver.arrivals.get(id) ?? Number.POSITIVE_INFINITY) - at);
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints medians, and in parentheses the medians of the ratios to the first variant in the same round. */
function report(workload: string, costs: ReadonlyMap<string, readonly Cost[]>): void {
  const [first = []] = costs.values();
  for (const [name, measured] of costs) {
    const median = (of: (cost: Cost) => number): string => quantile(measured.map(of), 0.5).toFixed(0);
    const ratio = (of: (cost: Cost) => number): string => {
      const ratios = measured.map((cost, round) => of(first[round] ?? cost) / of(cost));
      return quantile(ratios, 0.5).toFixed(2);
    };
    const rate = `${median(({ time }) => 1e6 / time)} writes/s (${ratio(({ time }) => time)})`;
    const cpu = `${median((cost) => cost.cpu)} µs of processor time (${ratio((cost) => cost.cpu)})`;
    print(`${workload}, ${name}: ${rate}, ${cpu}, ${median(({ deliveries }) => deliveries)} deliveries/s`);
  }
}

/** Waits until everything is delivered, 20 s at most. */
async function settle(): Promise<void> {
  let seen = -1;
  for (let waited = 0; waited < 40 && receiver.arrivals.size !== seen; waited += 1) {
    seen = receiver.arrivals.size;
    await setTimeout(500);
  }
}

async function compare(workload: string, write: (server: BenchServer) => Promise<number>): Promise<void> {
  const servers = await Promise.all(VARIANTS.map(async ([name, type]) => ({ name, server: await serve(type) })));
  const costs = new Map<string, Cost[]>(servers.map(({ name }) => [name, []]));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const { name, server } of servers) {
      const cost = await measure(server, () => write(server));
      if (round > 0) costs.get(name)?.push(cost);
      await settle();
    }
  }
  report(workload, costs);
  for (const { server } of servers) await server.stop();
}

await compare('POST', posts);
await compare('NDJSON', upload);

const server = await serve('product.created');
await latencies(server);
const measured = await latencies(server);
const [half, most] = [quantile(measured, 0.5), quantile(measured, 0.99)];
print(`at ${RATE} events/s, from response to receipt: p50 ${half.toFixed(1)} ms, p99 ${most.toFixed(1)} ms`);
await server.stop();
agent.destroy();
receiver.close();
