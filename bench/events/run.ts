// Measures what events cost: `node bench/events/run.ts [lines]`. README.md describes the method.
import path from 'node:path';
import process from 'node:process';
import { startDispatch } from '../../src/events/dispatch.ts';
import type { Subscriber } from '../../src/events/subscriber.ts';
import { createFetchHandler } from '../../src/http/fetch.ts';
import { createApi, defineModel, loadModel, type Model, resource } from '../../src/index.ts';
import type { Observation } from '../../src/observe/observation.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createRandom } from '../../src/platform/random.ts';
import { openSqlite } from '../../src/stores/sqlite/sqlite-store.ts';
import type { Store } from '../../src/stores/store.ts';
import { product } from '../compare/products.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { fileShare } from './file-share.ts';

const LINES = Number(process.argv[2] ?? 3_000);
const ROUNDS = 5;
const BACKLOG = 20_000;
const FILE_ROWS = 100_000;

const SCHEMA = {
  type: 'object',
  required: ['sku', 'name', 'price', 'category'],
  properties: {
    sku: { type: 'string', minLength: 1, maxLength: 40, 'x-unique': true },
    name: { type: 'string', minLength: 1, maxLength: 200 },
    price: { type: 'number', minimum: 0 },
    category: { type: 'string', maxLength: 40 },
    stock: { type: 'integer', minimum: 0, default: 0 },
    status: { type: 'string', enum: ['DRAFT', 'ACTIVE', 'CLOSED'], default: 'DRAFT' },
    description: { type: 'string', maxLength: 2_000 },
  },
} as const;

function modelWith(events: 'thin' | 'full' | 'none'): Model {
  const products = resource({ schema: SCHEMA, indexes: [['category', 'price']], events });
  return loadModel(defineModel({ name: 'bench', resources: { products } })).model;
}

/** A subscriber with subscriptions to one event type, which counts what it gets. */
function counter(type: string, count = 1): Subscriber & { readonly seen: () => number } {
  let seen = 0;
  const subscriptions = Array.from({ length: count }, (_, index) => ({
    name: `bench:${index}`,
    patterns: [index === 0 ? type : `other-${index}.created`],
    ordered: false,
  }));
  return {
    name: 'bench',
    timeout: 30_000,
    schedule: [0],
    concurrency: 64,
    drainRate: null,
    busyRate: null,
    stamp: () => 0,
    subscriptions: () => subscriptions,
    deliver: () => {
      seen += 1;
      return Promise.resolve({ kind: 'succeeded' });
    },
    seen: () => seen,
  };
}

interface Bench {
  readonly store: Store;
  readonly file: string;
  readonly wake: () => void;
  /** The number of commits so far. */
  readonly commits: () => number;
  send(path: string, contentType: string, body: string): Promise<void>;
  close(): Promise<void>;
}

async function open(model: Model, subscriber: Subscriber | null): Promise<Bench> {
  const file = path.join(temporaryFolder(), 'bench.db');
  let commits = 0;
  const observe = ({ kind }: Observation): void => void (commits += kind === 'commit' ? 1 : 0);
  const store = await openSqlite({ path: file, model, observe });
  const options = { store, clock: systemClock, random: createRandom(), observe };
  const dispatch = subscriber === null ? null : startDispatch({ ...options, subscribers: [subscriber] });
  const wake = (): void => dispatch?.wake();
  const api = await createApi({ model, store, observe, onCommit: wake });
  const handle = createFetchHandler(api);
  return {
    store,
    file,
    wake,
    commits: () => commits,
    async send(target, contentType, body) {
      const headers = { 'Content-Type': contentType };
      const response = await handle(
        new Request(`http://localhost/api/v1/${target}`, { method: 'POST', headers, body }),
      );
      await response.text();
      if (!response.ok) throw new Error(`POST ${target}: ${response.status}`);
    },
    async close() {
      await dispatch?.stop();
      await store.close();
    },
  };
}

const lines = (count: number, from = 0): string =>
  Array.from({ length: count }, (_, index) => JSON.stringify(product(from + index))).join('\n');

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Milliseconds and commits of so many lines of NDJSON, until the response is complete and everything was delivered. */
async function ndjson(subscriber: (() => Subscriber & { readonly seen: () => number }) | null): Promise<string> {
  const [times, ends, commits]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const counted = subscriber?.() ?? null;
    const bench = await open(modelWith('thin'), counted);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const before = bench.commits();
    const began = performance.now();
    await bench.send('products', 'application/x-ndjson', lines(LINES));
    const responded = performance.now() - began;
    const expected = counted?.name === 'bench' && counted.seen() > 0 ? LINES : 0;
    while ((counted?.seen() ?? 0) < expected) await new Promise((resolve) => setImmediate(resolve));
    const ended = performance.now() - began;
    await bench.close();
    if (round === 0) continue;
    times.push(responded);
    ends.push(ended);
    commits.push(bench.commits() - before);
  }
  return `${median(times).toFixed(0)} ms to the response, ${median(ends).toFixed(0)} ms to the last delivery, ${median(commits)} commits`;
}

/** Deliveries per second of processor time, of events that were written before. */
async function drain(subscriptions: number): Promise<string> {
  const bench = await open(modelWith('thin'), null);
  const { deliveries } = bench.store;
  await deliveries.register(
    'bench',
    Array.from({ length: subscriptions }, (_, index) => `bench:${index}`),
  );
  await bench.send('products', 'application/x-ndjson', lines(BACKLOG));
  const subscriber = counter('product.created', subscriptions);
  const cpu = process.cpuUsage();
  const began = performance.now();
  const options = { store: bench.store, clock: systemClock, random: createRandom(), observe: () => undefined };
  const dispatch = startDispatch({ ...options, subscribers: [subscriber] });
  while (subscriber.seen() < BACKLOG) await new Promise((resolve) => setImmediate(resolve));
  const wall = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  await dispatch.stop();
  await bench.close();
  const perSecond = (milliseconds: number): string => ((BACKLOG / milliseconds) * 1_000).toFixed(0);
  return `${perSecond(wall)} a second, ${perSecond((user + system) / 1_000)} a second of processor time`;
}

async function share(events: 'thin' | 'full' | 'none', rows: number, perRequest: number): Promise<string> {
  const bench = await open(modelWith(events), null);
  for (let from = 0; from < rows; from += perRequest) {
    if (perRequest === 1) await bench.send('products', 'application/json', lines(1, from));
    else await bench.send('products', 'application/x-ndjson', lines(perRequest, from));
  }
  await bench.close();
  return fileShare(bench.file);
}

const report = (label: string, result: string): void => void process.stdout.write(`${label}: ${result}\n`);

report(`${LINES} lines, no subscription`, await ndjson(null));
report(`${LINES} lines, a subscription that matches nothing`, await ndjson(() => counter('product.deleted')));
report(`${LINES} lines, a subscription that does nothing`, await ndjson(() => counter('product.created')));
report(`backlog, 10 subscriptions of which one matches`, await drain(10));
report(`backlog, 10,000 subscriptions of which one matches`, await drain(10_000));
for (const events of ['thin', 'full'] as const) {
  report(`file of ${FILE_ROWS} rows by NDJSON, ${events}`, await share(events, FILE_ROWS, 5_000));
}
report(`file of ${FILE_ROWS / 10} rows by single requests, thin`, await share('thin', FILE_ROWS / 10, 1));
