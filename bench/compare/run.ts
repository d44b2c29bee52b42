// `node bench/compare/run.ts [work ...]`: a declared resource with every convention beside the route that is written by hand. See README.md.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import Database from 'better-sqlite3';
import { loadModel } from '../../src/model/load.ts';
import { openApi } from '../../src/open-api.ts';
import { digest } from '../../src/platform/digest.ts';
import { readFileSync } from 'node:fs';
import { type BenchServer, startServer } from '../server.ts';
import { product } from './products.ts';
import { type LoadRequest, wrk } from './wrk.ts';

const ROWS = 100_000;
const ROUNDS = 5;
const SECONDS = 3;
const CONNECTIONS = 32;
const SAMPLE = 5_000;

const root = path.resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(path.join(os.tmpdir(), 'restwright-bench-'));
const ours = path.join(folder, 'restwright.db');
const theirs = path.join(folder, 'fastify.db');
const model = path.join(import.meta.dirname, 'model.yaml');
const wanted = process.argv.slice(2);

/** A kind of work: what is asked of each server. */
interface Work {
  readonly name: string;
  readonly requests: (server: Side) => Promise<readonly LoadRequest[]> | readonly LoadRequest[];
}

interface Side {
  readonly kind: 'restwright' | 'fastify' | 'raw';
  readonly server: BenchServer;
}

interface Measure {
  readonly perSecond: number;
  /** Microseconds of processor time for each answer. */
  readonly cpu: number;
  readonly p99: number;
}

const BASE = '/api/v1/products';

async function fill(): Promise<readonly string[]> {
  const { model: compiled } = loadModel({ file: model, text: readFileSync(model, 'utf8'), env: {}, digest });
  const opened = await openApi({ model: compiled, database: ours });
  for (let from = 0; from < ROWS; from += 1000) {
    await opened.api.ingest(
      'products',
      Array.from({ length: 1000 }, (_, place) => ({ ...product(from + place) })),
    );
  }
  await opened.close();
  copyFileSync(ours, theirs);
  const database = new Database(theirs);
  database.pragma('foreign_keys = off');
  database.exec(`create table rows as select id, sku, name, price, category, stock, status, description, created_at, updated_at, revision from products;
    drop table products;
    create table products (id text primary key, sku text not null unique, name text not null, price real not null, category text not null,
      stock integer not null, status text not null, description text, created_at integer not null, updated_at integer not null, revision integer not null) strict;
    insert into products select * from rows order by id;
    drop table rows;
    create index by_category on products (category, price, id);
    vacuum`);
  const ids = database.prepare<[], { id: string }>('select id from products order by random() limit 20000').all();
  database.close();
  return ids.map(({ id }) => id);
}

/** Paths and tags as each server tells them. */
async function tagged(server: BenchServer, ids: readonly string[]): Promise<readonly LoadRequest[]> {
  return Promise.all(
    ids.slice(0, 500).map(async (id): Promise<LoadRequest> => {
      const answer = await fetch(`http://127.0.0.1:${server.port}${BASE}/${id}`, {
        headers: { Accept: '*/*', 'Accept-Encoding': 'identity' },
      });
      await answer.text();
      const headers = { 'If-None-Match': answer.headers.get('etag') ?? '' };
      return { method: 'GET', path: `${BASE}/${id}`, headers };
    }),
  );
}

function works(ids: readonly string[]): readonly Work[] {
  const sample = ids.slice(0, SAMPLE);
  const get = (query: string): readonly LoadRequest[] => [{ method: 'GET', path: `${BASE}?${query}` }];
  const filtered = Array.from({ length: 20 }, (_, index) => get(`category=category-${index}&sort=price&limit=20`));
  return [
    {
      name: 'one resource by id, ids random',
      requests: () => sample.map((id) => ({ method: 'GET', path: `${BASE}/${id}` })),
    },
    { name: 'page of 20', requests: () => get('limit=20') },
    { name: 'page of 20, filtered and sorted', requests: () => filtered.flat() },
    { name: '304 by `If-None-Match`', requests: ({ server }) => tagged(server, ids) },
    { name: 'page at offset 90,000', requests: () => get('limit=20&offset=90000') },
    {
      name: 'durable POST, 32 writers',
      requests: () => [{ method: 'POST', path: BASE, body: JSON.stringify({ ...product(1), sku: 'N-{n}' }) }],
    },
    {
      name: 'durable PATCH, 32 writers',
      requests: () =>
        sample.map((id) => ({ method: 'PATCH', path: `${BASE}/${id}`, body: '{"name":"Changed {n}","stock":5}' })),
    },
  ];
}

async function measure(side: Side, requests: readonly LoadRequest[]): Promise<Measure> {
  const before = side.server.cpu();
  const { perSecond, answers, p99 } = await wrk(side.server.port, {
    requests,
    connections: CONNECTIONS,
    seconds: SECONDS,
  });
  return { perSecond, p99, cpu: (side.server.cpu() - before) / answers };
}

function median(measures: readonly Measure[]): Measure {
  return measures.toSorted((one, other) => one.perSecond - other.perSecond)[Math.floor(measures.length / 2)] ?? fail();
}

function fail(): never {
  throw new Error('nothing was measured');
}

function row(...cells: readonly (string | number)[]): void {
  const written = cells.map((cell) => (typeof cell === 'number' ? Math.round(cell).toLocaleString('en') : cell));
  process.stdout.write(`| ${written.join(' | ')} |\n`);
}

async function compare(work: Work, sides: readonly Side[]): Promise<void> {
  const requests = await Promise.all(sides.map(async (side) => work.requests(side)));
  const measures = sides.map((): Measure[] => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, side] of sides.entries()) measures[index]?.push(await measure(side, requests[index] ?? []));
  }
  const [a, b] = measures.map(median);
  if (a === undefined || b === undefined) fail();
  row(
    work.name,
    a.perSecond,
    b.perSecond,
    (a.perSecond / b.perSecond).toFixed(2),
    a.cpu,
    b.cpu,
    a.p99.toFixed(1),
    b.p99.toFixed(1),
  );
}

try {
  const ids = await fill();
  const path1 = `${BASE}/${ids[0] ?? ''}`;
  const serve = [path.join(root, 'bin/restwright.js'), 'serve', model, '--port', '0', '--database', `sqlite:${ours}`];
  const pinned = ['taskset', '-c', '0', process.execPath];
  const restwright: Side = { kind: 'restwright', server: await startServer(serve, path1, pinned) };
  const fastify: Side = {
    kind: 'fastify',
    server: await startServer([path.join(import.meta.dirname, 'fastify-server.ts'), theirs], path1, pinned),
  };
  row('work', 'Restwright /s', 'by hand /s', 'ratio', 'µs CPU', 'µs CPU by hand', 'p99 ms', 'p99 ms by hand');
  row('---', '---:', '---:', '---:', '---:', '---:', '---:', '---:');
  for (const work of works(ids)) {
    if (wanted.length > 0 && !wanted.some((part) => work.name.includes(part))) continue;
    await compare(work, [restwright, fastify]);
  }
  await Promise.all([restwright, fastify].map(({ server }) => server.stop()));
} finally {
  rmSync(folder, { recursive: true });
}
