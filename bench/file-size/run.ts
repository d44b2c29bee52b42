// `node scripts/run.mjs bench/file-size/run.ts [rows ...]`: what requests cost as a table grows. See README.md.
import { statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import Database from 'better-sqlite3';
import { loadModel } from '../../src/model/compile/load-model.ts';
import { type StartedApi, startApi } from '../../src/start-api.ts';
import { bufferedBody } from '../../src/exchange/handler.ts';
import { CATEGORIES, HIGHEST_PRICE, product } from '../compare/products.ts';
import { markdownTable } from '../compare/table.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { lineChart } from './line-chart.ts';

const SIZES = process.argv.slice(2).map(Number);
if (SIZES.length === 0) SIZES.push(100_000, 1_000_000, 5_000_000);
/** Requests of a kind that count, and as many before them, for V8's compilers. */
const REQUESTS = 2_000;
/** Those of a kind that reads all rows, without any before them. */
const SCANS = 10;
const BATCH = 1_000;
const MODEL = `
name: bench
resources:
  products:
    schema:
      type: object
      required: [sku, name, price, category]
      properties:
        sku: { type: string, minLength: 1, maxLength: 40, x-unique: true }
        name: { type: string, minLength: 1, maxLength: 200 }
        price: { type: number, minimum: 0 }
        category: { type: string, maxLength: 40 }
        stock: { type: integer, minimum: 0, default: 0 }
        status: { type: string, enum: [DRAFT, ACTIVE, CLOSED], default: DRAFT }
        description: { type: string, maxLength: 2000 }
    search: [name]
    indexes: [[category, price]]
`;

const file = path.join(temporaryFolder(), 'bench.db');
const { model } = loadModel({ file: 'bench.yaml', text: MODEL, env: {} });

/**
 * A generator of numbers that look random and are the same in each run.
 *
 * @returns a function of the exclusive upper bound
 */
function seededNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Microseconds of processor time of one of some requests; null if one exceeds the time limit of statements. */
async function measureCost(request: Kind[1], requests: number): Promise<number | null> {
  const before = process.cpuUsage();
  try {
    for (let index = 0; index < requests; index += 1) await request(index);
  } catch (error) {
    if (error instanceof StatementTimeout) return null;
    throw error;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / requests;
}

/** A kind of request. @param scans number of requests, where one of them reads all rows */
type Kind = readonly [name: string, request: (index: number) => unknown, scans?: number];

async function addRows(opened: StartedApi, from: number, to: number): Promise<void> {
  for (let start = from; start < to; start += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, to - start) }, (_, index) => ({ ...product(start + index) }));
    const outcome = await opened.api.importRows('products', rows, undefined, { events: false });
    if (outcome.kind !== 'stored') throw new Error(JSON.stringify(outcome));
    if (process.stderr.isTTY) process.stderr.write(`\r${start.toLocaleString('en')} rows`);
  }
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
}

/** Reads all rows, or is 503 where that takes longer than a statement may. */
class StatementTimeout extends Error {}

async function send(opened: StartedApi, target: string, body?: string): Promise<void> {
  const { status } = await opened.api.handle({
    method: body === undefined ? 'GET' : 'POST',
    target: `/api/v1/products${target}`,
    headers: ['Host', 'localhost', ...(body === undefined ? [] : ['Content-Type', 'application/json'])],
    body: bufferedBody(Buffer.from(body ?? '')),
    httpVersion: '1.1',
    peer: '127.0.0.1',
  });
  if (status === 503) throw new StatementTimeout();
  if (status !== 200 && status !== 201) throw new Error(`${target} returned ${status}`);
}

/**
 * Microseconds of processor time of one request of each kind, all threads. Kinds have different requests each time, so
 * that no page comes from the cache.
 */
async function measure(rows: number): Promise<ReadonlyMap<string, number | null>> {
  const opened = await startApi({ model, database: file });
  const database = new Database(file, { readonly: true });
  const ids = database.prepare('select id from products order by id').pluck().all() as string[];
  database.pragma('mmap_size = 0');
  const byHand = database.prepare('select * from products where id = ?');
  const number = seededNumbers(1);
  const idAt = (from: number, to: number): string =>
    ids[Math.floor((from + (number(1_000_000) / 1_000_000) * (to - from)) * rows)] ?? '';
  const range = (): string =>
    `category=${CATEGORIES[number(CATEGORIES.length)] ?? ''}&price[gte]=${number(HIGHEST_PRICE * 50) / 100}`;
  const kinds: readonly Kind[] = [
    ['by id, `select` by hand', () => byHand.get(idAt(0, 1))],
    ['by id', () => send(opened, `/${idAt(0, 1)}`)],
    ['page among the first 10 %', () => send(opened, `?last_id=${idAt(0, 0.1)}`)],
    ['page among the last 10 %', () => send(opened, `?last_id=${idAt(0.9, 0.999)}`)],
    ['page, filtered and sorted', () => send(opened, `?${range()}&sort=price`)],
    ['the same with its total', () => send(opened, `?${range()}&sort=price&include_total=true`)],
    ['search for one word', () => send(opened, `?q=${number(rows)}`)],
    ['sorted without an index', () => send(opened, `?stock[gte]=${number(50)}&sort=-name`), SCANS],
    [
      'total of a filter without an index',
      () => send(opened, `?name[gte]=${number(1_000_000)}&include_total=true&sort=id`),
      SCANS,
    ],
    [
      'POST',
      (index) => send(opened, '', JSON.stringify({ ...product(index), sku: `${rows}-${index}-${number(2 ** 32)}` })),
    ],
  ];
  const costs = new Map<string, number | null>();
  for (const [name, request, scans] of kinds) {
    if (scans === undefined) await measureCost(request, REQUESTS);
    const cost = await measureCost(request, scans ?? REQUESTS);
    costs.set(name, cost);
    process.stderr.write(`${rows} rows, ${name}: ${cost?.toFixed(0) ?? '503'}\n`);
  }
  database.close();
  await opened.close();
  return costs;
}

const columns: { readonly rows: number; readonly bytes: number; readonly costs: ReadonlyMap<string, number | null> }[] =
  [];
let filled = 0;
for (const rows of SIZES) {
  const opened = await startApi({ model, database: file });
  await addRows(opened, filled, rows);
  await opened.close();
  filled = rows;
  columns.push({ rows, bytes: statSync(file).size, costs: await measure(rows) });
}
const names = [...(columns[0]?.costs.keys() ?? [])];
const head = columns.map(({ rows, bytes }) => `${rows.toLocaleString('en')} rows, ${Math.round(bytes / 2 ** 20)} MiB`);
const costsOf = (name: string): (number | null)[] => columns.map(({ costs }) => costs.get(name) ?? null);
const table = markdownTable(
  ['µs of processor time', ...head],
  names.map((name) => [name, ...costsOf(name).map((cost) => cost?.toFixed(0) ?? '503')]),
);
process.stdout.write(`${table}\n`);
const lines = names.map((name) => ({
  name: name.replaceAll('`', ''),
  values: costsOf(name).filter((cost) => cost !== null),
}));
writeFileSync(
  path.join(import.meta.dirname, 'results.svg'),
  lineChart(
    lines,
    SIZES.map((rows) => rows.toLocaleString('en')),
    'processor time of requests by rows of the table, µs',
  ),
);
