// `node bench/pagination/run.ts [rows]`: cost of a page near the start and at 90 % of a collection. See README.md.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import Database from 'better-sqlite3';
import { startApi } from '../../src/start-api.ts';
import { loadModel } from '../../src/model/compile/load-model.ts';
import { bufferedBody } from '../../src/exchange/handler.ts';

const ROWS = Number(process.argv[2] ?? 1_000_000);
const DEPTH = Math.floor(ROWS * 0.9);
const ROUNDS = 250;
const MODEL = `
name: bench
version: 1.0.0
limits: { page: { max_offset: ${DEPTH} } }
resources:
  products:
    id: client
    schema:
      type: object
      required: [name, price]
      properties:
        name: { type: string, minLength: 1 }
        price: { type: string, format: decimal, x-precision: 12, x-scale: 2 }
        category: { type: string }
        stock: { type: integer }
        seen_at: { type: string, format: date-time }
        description: { type: string }
    search: [name]
    indexes: [price, [category, price]]
`;

const folder = mkdtempSync(path.join(tmpdir(), 'restwright-bench-'));
const file = path.join(folder, 'bench.db');
const { model } = loadModel({ file: 'bench.yaml', text: MODEL, env: {} });
const opened = await startApi({ model, database: file });

const BASE = Date.parse('2020-01-01T00:00:00Z');
const idOf = (index: number): string => `p${String(index).padStart(9, '0')}`;
const timeOf = (index: number): string => new Date(BASE + Math.floor(index / 3) * 1000).toISOString();

/** Three rows share each second; prices are unordered. */
async function fill(): Promise<void> {
  for (let from = 0; from < ROWS; from += 1000) {
    const rows = Array.from({ length: Math.min(1000, ROWS - from) }, (_, place) => {
      const index = from + place;
      return {
        id: idOf(index),
        name: `Product ${index} of ${['oak', 'ash', 'elm', 'fir'][index % 4]}`,
        price: `${((index * 7919) % 100_003) / 100}`,
        category: `c${index % 50}`,
        stock: index % 97,
        seen_at: timeOf(index),
        description: 'A thing of many words, as things in shops are described. '.repeat(4),
        created_at: timeOf(index),
      };
    });
    const outcome = await opened.api.importRows('products', rows);
    if (outcome.kind !== 'stored') throw new Error(JSON.stringify(outcome));
    if (process.stderr.isTTY) process.stderr.write(`\r${Math.floor((from / ROWS) * 100)} % of the rows`);
  }
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
}

interface ListBody {
  readonly data: readonly { readonly id: string }[];
  readonly page: { readonly count: number; readonly technique: string };
  readonly links: Readonly<Record<string, string>>;
}

async function get(target: string): Promise<ListBody> {
  const response = await opened.api.handle({
    method: 'GET',
    target,
    headers: ['Host', 'localhost'],
    body: bufferedBody(new Uint8Array()),
    httpVersion: '1.1',
    peer: '127.0.0.1',
  });
  if (response.status !== 200 || typeof response.body !== 'string')
    throw new Error(`${target} returned ${response.status}`);
  return JSON.parse(response.body) as ListBody;
}

const products = (query: string): string => `/api/v1/products?${query}`;

/** The next link of a page, which must use a cursor. */
async function nextLink(target: string): Promise<string> {
  const { next } = (await get(target)).links;
  if (next === undefined || !next.includes('after=')) throw new Error('the next link has no cursor');
  return next;
}

/** A sequence of distinct pages, because a repeated page would come from the cache. */
interface Walk {
  target: string;
  /** The next target, given the current page. */
  readonly next: (page: ListBody) => string;
}

/** Follows the next links. */
function walkLinks(target: string): Walk {
  return { target, next: ({ links }) => links['next'] ?? fail() };
}

/** Computes each target from a number. */
function walkNumbers(from: number, targetOf: (at: number) => string): Walk {
  let at = from;
  return {
    target: targetOf(at),
    next: () => {
      at += 20;
      return targetOf(at);
    },
  };
}

function fail(): never {
  throw new Error('the walk has no next page');
}

/** Median response time of the pages of each walk, in microseconds. The walks alternate. */
async function measure(walks: readonly Walk[], rounds = ROUNDS): Promise<readonly number[]> {
  const times = walks.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, walk] of walks.entries()) {
      const start = performance.now();
      const page = await get(walk.target);
      times[index]?.push((performance.now() - start) * 1000);
      walk.target = walk.next(page);
    }
  }
  return times.map((each) => each.sort((one, other) => one - other)[Math.floor(each.length / 2)] ?? 0);
}

function row(...cells: readonly (string | number)[]): void {
  const written = cells.map((cell) => (typeof cell === 'number' ? Math.round(cell).toLocaleString('en') : cell));
  process.stdout.write(`| ${written.join(' | ')} |\n`);
}

async function compare(name: string, start: Walk, deep: Walk, rounds = ROUNDS): Promise<void> {
  const [near = 0, far = 0] = await measure([start, deep], rounds);
  row(name, near, far, (far / near).toFixed(2));
}

/** A handwritten offset query, on a separate connection with the driver's default settings. */
function measureHandwritten(order: string, offset: number): number {
  const database = new Database(file, { readonly: true });
  const page = database.prepare(`select * from products order by ${order} limit 20 offset ?`);
  const times = Array.from({ length: 15 }, () => {
    const start = performance.now();
    page.all(offset);
    return (performance.now() - start) * 1000;
  });
  database.close();
  return times.sort((one, other) => one - other)[7] ?? 0;
}

try {
  const start = performance.now();
  await fill();
  process.stdout.write(`${ROWS.toLocaleString('en')} rows in ${((performance.now() - start) / 1000).toFixed(0)} s\n\n`);
  row('a page of 20', 'near the start, µs', `after ${DEPTH.toLocaleString('en')} rows, µs`, 'ratio');
  row('---', '---:', '---:', '---:');
  for (const sort of ['created_at', '-price']) {
    const second = await nextLink(products(`sort=${sort}`));
    const deep = await nextLink(products(`offset=${DEPTH}&limit=20&sort=${sort}&include_total=false`));
    await compare(`cursor, \`sort=${sort}\``, walkLinks(second), walkLinks(deep));
  }
  const keyset = (at: number): Walk => walkLinks(products(`last_id=${idOf(at)}`));
  await compare('keyset, `last_id`', keyset(3), keyset(DEPTH));
  const seek = (at: number): Walk =>
    walkLinks(products(`after_timestamp=${encodeURIComponent(timeOf(at))}&after_id=${idOf(at)}`));
  await compare('seek, `after_timestamp` and `after_id`', seek(3), seek(DEPTH));
  const since = (at: number): string => products(`start_time=${encodeURIComponent(timeOf(at))}`);
  await compare('time, `start_time`', walkNumbers(3, since), walkNumbers(DEPTH, since));
  const offset = (at: number): string => products(`offset=${at}&include_total=false`);
  await compare('offset', walkNumbers(0, offset), walkNumbers(DEPTH - 20 * 25, offset), 25);
  for (const order of ['created_at, id', 'rowid']) {
    const [near, far] = [measureHandwritten(order, 0), measureHandwritten(order, DEPTH)];
    row(`by hand, \`order by ${order} limit 20 offset ?\``, near, far, (far / near).toFixed(0));
  }
  process.stdout.write('\n');
  row('count', 'µs');
  row('---', '---:');
  const counted = (query: string): Walk => walkNumbers(0, (at) => products(`offset=${at}&${query}`));
  const [none = 0, all = 0] = await measure([counted('include_total=false'), counted('include_total=true')], 50);
  const filtered = 'category=c7&sort=price';
  const few = [counted(`${filtered}&include_total=false`), counted(`${filtered}&include_total=true`)];
  const [plain = 0, capped = 0] = await measure(few, 50);
  row('none', none);
  row('all rows', all);
  row('none, one category', plain);
  row('one category, up to the cap of 10,000', capped);
} finally {
  await opened.close();
  rmSync(folder, { recursive: true });
}
