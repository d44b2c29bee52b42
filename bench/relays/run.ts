// `node scripts/run.mjs bench/relays/run.ts [rounds] [events]`: the rate at which relays send, what they cost writes,
// and the time from a commit to its acknowledgement.
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { root } from '../../scripts/command.ts';
import type { BrokerKind } from '../../src/model/relay-settings.ts';
import { PIN_SERVER, startProcess } from '../processes.ts';
import { type BenchServer, startServer } from '../server.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { benchModel, startBroker, type StartedBroker } from './brokers.ts';

const ROUNDS = Number(process.argv[2] ?? 3);
const EVENTS = Number(process.argv[3] ?? 30_000);
const SECONDS = 2;
const CONNECTIONS = 32;
/** Events per second, and events of each request. */
const [RATE, PER_REQUEST] = [1_000, 10];
const LATENCIES = 5_000;
const KINDS: readonly BrokerKind[] = ['nats', 'redis', 'rabbitmq', 'kafka'];

const folder = temporaryFolder();
const program = path.join(import.meta.dirname, 'relay-process.ts');
const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });
let files = 0;

/** Writes a model. @returns its file, and that of a new database */
async function prepare(broker: StartedBroker | null): Promise<readonly [model: string, database: string]> {
  files += 1;
  const name = `bench${files}`;
  await broker?.prepare(name);
  const file = path.join(folder, `${name}.yaml`);
  writeFileSync(file, benchModel(name, broker));
  return [file, path.join(folder, `${name}.db`)];
}

/** Runs a task on one processor. @returns what it prints */
async function runTask(...args: readonly string[]): Promise<string> {
  const [command = '', ...before] = PIN_SERVER;
  const child = await startProcess(command, [...before, process.execPath, program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => void (text += chunk.toString()));
  const { promise, resolve } = Promise.withResolvers<void>();
  child.once('close', () => resolve());
  await promise;
  return text;
}

interface Rate {
  readonly rate: number;
  readonly cpu: number;
}

/** Sends a log by a relay, and the same messages without one, in pairs. */
async function compareDrains(broker: StartedBroker): Promise<void> {
  const pairs: (readonly [relay: Rate, alone: Rate])[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const [model, database] = await prepare(broker);
    await runTask('fill', model, database, String(EVENTS));
    const relay: Rate = JSON.parse(await runTask('drain', model, database, String(EVENTS)));
    // The same log, to another stream.
    const [other] = await prepare(broker);
    const alone: Rate = JSON.parse(await runTask('alone', other, database, String(EVENTS)));
    if (round > 0) pairs.push([relay, alone]);
  }
  const of = (pick: (pair: (typeof pairs)[number]) => number, digits = 0): string =>
    quantile(pairs.map(pick), 0.5).toFixed(digits);
  print(
    `${broker.kind}: ${of(([{ rate }]) => rate)} events/s, ${of(([{ cpu }]) => cpu, 1)} µs of processor time; ` +
      `without log and position ${of(([, { rate }]) => rate)} events/s, ${of(([, { cpu }]) => cpu, 1)} µs; ` +
      `ratio ${of(([relay, alone]) => relay.rate / alone.rate, 2)}, by processor time ${of(([relay, alone]) => alone.cpu / relay.cpu, 2)}`,
  );
}

async function post({ port }: Pick<BenchServer, 'port'>, body: string, type = 'application/json'): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const headers = { 'content-type': type, 'content-length': Buffer.byteLength(body) };
  const options = { port, host: '127.0.0.1', method: 'POST', path: '/api/v1/products', agent, headers };
  const request = http.request(options, (response) => {
    response.resume();
    response.on('end', () => {
      if (response.statusCode === 200 || response.statusCode === 201) resolve();
      else reject(new Error(`status ${response.statusCode}`));
    });
  });
  request.on('error', reject);
  request.end(body);
  return promise;
}

interface Cost {
  readonly time: number;
  readonly cpu: number;
}

/** Writes as fast as 32 connections can. @returns microseconds for each write */
async function measureWrites(server: BenchServer): Promise<Cost> {
  const [began, cpu] = [performance.now(), server.cpu()];
  let count = 0;
  const connection = async (): Promise<void> => {
    while (performance.now() - began < SECONDS * 1_000) {
      await post(server, '{"name":"A teapot","price":12}');
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  return { time: ((performance.now() - began) * 1_000) / count, cpu: (server.cpu() - cpu) / count };
}

/** Writes with a relay to each broker and without one, in turn. */
async function compareWrites(brokers: readonly StartedBroker[]): Promise<void> {
  const servers: { readonly name: string; readonly server: BenchServer; readonly costs: Cost[] }[] = [];
  for (const broker of [null, ...brokers]) {
    const [model, database] = await prepare(broker);
    const args = [path.join(root, 'bin', 'restwright.js'), 'serve', model, '--port', '0', '--database', database];
    const server = await startServer({ args, path: '/api/v1/products', compileCache: folder });
    servers.push({ name: broker?.kind ?? 'no relay', server, costs: [] });
  }
  const [baseline] = servers;
  for (let round = 0; round <= ROUNDS * 2; round += 1)
    for (const { server, costs } of servers) {
      const cost = await measureWrites(server);
      // The relay sends what it has left.
      await setTimeout(1_500);
      if (round > 0) costs.push(cost);
    }
  for (const { name, costs, server } of servers) {
    const ratio = (pick: (cost: Cost) => number): string =>
      quantile(
        costs.map((cost, round) => pick(baseline?.costs[round] ?? cost) / pick(cost)),
        0.5,
      ).toFixed(2);
    const rate = quantile(
      costs.map(({ time }) => 1e6 / time),
      0.5,
    ).toFixed(0);
    print(
      `POST, ${name}: ${rate} writes/s (${ratio(({ time }) => time)}), by processor time ${ratio(({ cpu }) => cpu)}`,
    );
    await server.stop();
  }
}

/** Writes at a rate, and reports the milliseconds from the timestamps of events to their acknowledgements. */
async function measureDelays(broker: StartedBroker): Promise<void> {
  const [model, database] = await prepare(broker);
  const [command = '', ...before] = PIN_SERVER;
  const args = [...before, process.execPath, program, 'serve', model, database, String(LATENCIES)];
  const child = await startProcess(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  if (child.stdout === null) throw new Error('the server has no output');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const { value: first } = await lines.next();
  const port = Number(new URL(String(first).replace('listening on ', '')).port);
  let delays: readonly number[] = [];
  // The first part warms it up.
  for (let part = 0; part < 2; part += 1) {
    const begin = performance.now();
    const writes: Promise<void>[] = [];
    for (let count = 0; count < LATENCIES; count += PER_REQUEST) {
      const delay = begin + (count * 1_000) / RATE - performance.now();
      if (delay > 1) await setTimeout(delay);
      writes.push(post({ port }, '{"name":"A teapot","price":12}\n'.repeat(PER_REQUEST), 'application/x-ndjson'));
    }
    await Promise.all(writes);
    delays = JSON.parse(String((await lines.next()).value));
  }
  print(
    `${broker.kind}: p50 ${quantile(delays, 0.5)} ms, p99 ${quantile(delays, 0.99)} ms at ${RATE} events/s in requests of ${PER_REQUEST}`,
  );
  child.kill('SIGKILL');
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const brokers: StartedBroker[] = [];
for (const kind of KINDS) {
  const broker = await startBroker(kind, folder);
  brokers.push(broker);
  await compareDrains(broker);
  await measureDelays(broker);
}
await compareWrites(brokers);
agent.destroy();
for (const broker of brokers) await broker.end();
