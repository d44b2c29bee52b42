// `node scripts/run.mjs bench/events/webhooks.ts [rounds] [seconds]`: what a webhook costs writes, and how long an event takes to its receiver.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { root } from '../../scripts/command.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const ROUNDS = Number(process.argv[2] ?? 3);
const SECONDS = Number(process.argv[3] ?? 4);
const CONNECTIONS = 32;
const RATE = 500;

const MODEL = `name: bench
webhooks: {}
resources:
  products:
    schema: { type: object, required: [name], properties: { name: { type: string }, price: { type: integer } } }
`;

/** A receiver that records when each event came, by the id of its row. */
interface Receiver {
  readonly url: string;
  readonly arrivals: Map<string, number>;
  close(): void;
}

async function startReceiver(): Promise<Receiver> {
  const arrivals = new Map<string, number>();
  const server = http.createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const { payload }: { readonly payload: { readonly resource: { readonly id: string } } } = JSON.parse(body);
      arrivals.set(payload.resource.id, performance.now());
      response.writeHead(204).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}/`, arrivals, close: () => server.close().closeAllConnections() };
}

interface Served {
  readonly port: number;
  readonly child: ChildProcess;
}

async function serve(name: string): Promise<Served> {
  const folder = temporaryFolder();
  const model = path.join(folder, 'bench.yaml');
  writeFileSync(model, MODEL);
  const args = ['serve', model, '--port', '0', '--dev', '--log', 'json', '--database', path.join(folder, `${name}.db`)];
  const child = spawn(process.execPath, [path.join(root, 'bin', 'restwright.js'), ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  for await (const line of createInterface({ input: child.stdout })) {
    const found = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(line);
    if (found !== null) return { port: Number(found[1]), child };
  }
  throw new Error('the server ended');
}

const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });

/** Sends a POST. @returns the id of the new row */
async function post(port: number, target: string, body: object): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const text = JSON.stringify(body);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  const request = http.request(
    { port, host: '127.0.0.1', method: 'POST', path: target, agent, headers },
    (response) => {
      let received = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (received += chunk));
      response.on('end', () => {
        if (response.statusCode !== 201) reject(new Error(received));
        else resolve(String(Object(JSON.parse(received)).id));
      });
    },
  );
  request.on('error', reject);
  request.end(text);
  return promise;
}

/** Writes as fast as 32 connections can. @returns writes per second */
async function throughput(port: number): Promise<number> {
  const end = performance.now() + SECONDS * 1_000;
  let count = 0;
  const connection = async (): Promise<void> => {
    while (performance.now() < end) {
      await post(port, '/api/v1/products', { name: 'a', price: 1 });
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  return count / SECONDS;
}

/** Writes at a rate. @returns milliseconds from each response to the arrival of its event */
async function latencies(port: number, { arrivals }: Receiver): Promise<readonly number[]> {
  const committed = new Map<string, number>();
  const begin = performance.now();
  const writes: Promise<void>[] = [];
  for (let count = 0; count < RATE * SECONDS; count += 1) {
    const delay = begin + (count * 1_000) / RATE - performance.now();
    if (delay > 1) await setTimeout(delay);
    const write = async (): Promise<void> => {
      const id = await post(port, '/api/v1/products', { name: 'a', price: 1 });
      committed.set(id, performance.now());
    };
    writes.push(write());
  }
  await Promise.all(writes);
  for (let waited = 0; waited < 300 && [...committed.keys()].some((id) => !arrivals.has(id)); waited += 1)
    await setTimeout(100);
  return [...committed].map(([id, at]) => (arrivals.get(id) ?? Number.POSITIVE_INFINITY) - at);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

const receiver = await startReceiver();
const subscribe = (port: number): Promise<string> =>
  post(port, '/api/v1/webhooks', { url: receiver.url, event_types: ['*'] });

const ratios: number[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  const rates: number[] = [];
  for (const name of ['without', 'with']) {
    const { port, child } = await serve(`${name}-${round}`);
    if (name === 'with') await subscribe(port);
    await throughput(port);
    const before = receiver.arrivals.size;
    rates.push(await throughput(port));
    const delivered = (receiver.arrivals.size - before) / SECONDS;
    print(`${name} webhook: ${Math.round(rates.at(-1) ?? 0)} writes/s, ${Math.round(delivered)} deliveries/s`);
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  ratios.push((rates[1] ?? 0) / (rates[0] ?? 1));
}
print(`writes with a webhook: ${quantile(ratios, 0.5).toFixed(3)} of those without`);

const { port, child } = await serve('latency');
await subscribe(port);
await latencies(port, receiver);
const measured = await latencies(port, receiver);
print(
  `at ${RATE} events/s, from the response to the receipt: p50 ${quantile(measured, 0.5).toFixed(1)} ms, p99 ${quantile(measured, 0.99).toFixed(1)} ms`,
);
child.kill('SIGKILL');
agent.destroy();
receiver.close();
