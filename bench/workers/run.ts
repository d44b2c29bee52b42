// `node bench/workers/run.ts`: compares one process with several on one port and one database. See README.md.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { product } from '../compare/products.ts';
import type { LoadRequest } from '../compare/requests.ts';
import { type LoadResult, wrk } from '../compare/wrk.ts';
import { startServer } from '../server.ts';

const ROUNDS = 5;
const SECONDS = 3;
const CONNECTIONS = 32;
const COUNTS = [1, 2, 3];
const BASE = '/api/v1/products';

const root = path.resolve(import.meta.dirname, '../..');
const model = path.join(root, 'bench/compare/model.yaml');
const folder = mkdtempSync(path.join(os.tmpdir(), 'restwright-bench-'));

interface BenchTarget {
  readonly port: number;
  readonly item: LoadRequest;
}

/** Concurrent loads with their numbers of connections. The result is that of the first. */
interface WorkersWorkload {
  readonly name: string;
  readonly loads: (side: BenchTarget) => readonly (readonly [requests: readonly LoadRequest[], connections: number])[];
}

const post: LoadRequest = { method: 'POST', path: BASE, body: JSON.stringify({ ...product(1), sku: 'N-{n}' }) };
const workloads: readonly WorkersWorkload[] = [
  { name: 'item by id', loads: ({ item }) => [[[item], CONNECTIONS]] },
  {
    name: 'item by id, one connection per request',
    loads: ({ item }) => [[[{ ...item, headers: { Connection: 'close' } }], CONNECTIONS]],
  },
  { name: 'durable POST, 32 writers', loads: () => [[[post], CONNECTIONS]] },
  {
    name: 'item by id, 8 readers with 32 concurrent writers',
    loads: ({ item }) => [
      [[item], 8],
      [[post], CONNECTIONS],
    ],
  },
];

async function measure({ loads }: WorkersWorkload, side: BenchTarget): Promise<LoadResult> {
  const results = loads(side).map(([requests, connections]) =>
    wrk(side.port, { requests, start: 0, connections, seconds: SECONDS }),
  );
  const [first] = await Promise.all(results);
  return first ?? fail();
}

async function runRound(work: WorkersWorkload, workers: number, number: number): Promise<LoadResult> {
  const database = `sqlite:${path.join(folder, `${workers}-${number}-${workloads.indexOf(work)}.db`)}`;
  const args = ['serve', model, '--port', '0', '--database', database, '--workers', String(workers)];
  const server = await startServer({
    args: [path.join(root, 'bin/restwright.js'), ...args],
    path: BASE,
    compileCache: path.join(folder, 'compiled'),
    allProcessors: true,
  });
  try {
    const created = await fetch(`http://127.0.0.1:${server.port}${BASE}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(product(0)),
    });
    const { id } = JSON.parse(await created.text());
    return await measure(work, { port: server.port, item: { method: 'GET', path: `${BASE}/${id}` } });
  } finally {
    await server.stop();
  }
}

function median(results: readonly LoadResult[]): LoadResult {
  return results.toSorted((one, other) => one.perSecond - other.perSecond)[Math.floor(results.length / 2)] ?? fail();
}

function fail(): never {
  throw new Error('no rounds were measured');
}

try {
  process.stdout.write(`| workload | workers | /s | ratio | p99 ms |\n| --- | ---: | ---: | ---: | ---: |\n`);
  for (const work of workloads) {
    const results = COUNTS.map((): LoadResult[] => []);
    for (let number = 0; number < ROUNDS; number++) {
      for (const [index, workers] of COUNTS.entries()) results[index]?.push(await runRound(work, workers, number));
    }
    const medians = results.map(median);
    for (const [index, { perSecond, p99 }] of medians.entries()) {
      const ratio = (perSecond / (medians[0]?.perSecond ?? Number.NaN)).toFixed(2);
      const cells = [work.name, COUNTS[index], Math.round(perSecond).toLocaleString('en'), ratio, p99.toFixed(1)];
      process.stdout.write(`| ${cells.join(' | ')} |\n`);
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
