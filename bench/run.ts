// `npm run bench`: one GET by id on the world example beside a hand-written route, in alternation; cold start; the import's speed.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import Database from 'better-sqlite3';
import { importWorld } from '../examples/world/start.ts';
import { processTerminal } from '../src/cli/terminal.ts';
import { load } from './load.ts';
import { type BenchServer, startServer } from './server.ts';

const ROUNDS = 6;
const SECONDS = 2;
const CONNECTIONS = 32;

const root = path.dirname(import.meta.dirname);
const folder = mkdtempSync(path.join(os.tmpdir(), 'restwright-bench-'));
const file = path.join(folder, 'world.db');

try {
  const imported = await timed(() => importWorld(`sqlite:${file}`, processTerminal()));
  const ids = new Database(file, { readonly: true })
    .prepare<[], { id: string }>('select id from cities order by random() limit 20000')
    .all()
    .map(({ id }) => id);
  const path1 = `/api/v1/cities/${ids[0] ?? ''}`;
  const model = path.join(root, 'examples/world/model.yaml');
  const serve = ['bin/restwright.js', 'serve', model, '--port', '0', '--database', `sqlite:${file}`];
  const restwright = await startServer([path.join(root, serve[0] ?? ''), ...serve.slice(1)], path1);
  const fastify = await startServer([path.join(root, 'bench/get-by-id/fastify-server.ts'), file], path1);
  const rows = { restwright: await measure(restwright, ids), fastify: await measure(fastify, ids) };
  for (let round = 1; round < ROUNDS; round++) {
    keepBest(rows.restwright, await measure(restwright, ids));
    keepBest(rows.fastify, await measure(fastify, ids));
  }
  report(rows, { restwright: restwright.coldStart, fastify: fastify.coldStart }, imported);
  await Promise.all([restwright.stop(), fastify.stop()]);
} finally {
  rmSync(folder, { recursive: true });
}

interface Measure {
  perSecond: number;
  /** Microseconds of processor time for each request. */
  cpu: number;
}

async function measure(server: BenchServer, ids: readonly string[]): Promise<Measure> {
  let at = 0;
  const next = (): string => `/api/v1/cities/${ids[at++ % ids.length] ?? ''}`;
  const before = server.cpu();
  const { answers, seconds } = await load(server.port, CONNECTIONS, SECONDS, next);
  return { perSecond: answers / seconds, cpu: (server.cpu() - before) / answers };
}

/** Of several rounds the best: what disturbs a run only ever slows it down. */
function keepBest(best: Measure, other: Measure): void {
  best.perSecond = Math.max(best.perSecond, other.perSecond);
  best.cpu = Math.min(best.cpu, other.cpu);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

function report(
  rows: Record<'restwright' | 'fastify', Measure>,
  cold: Record<'restwright' | 'fastify', number>,
  importSeconds: number,
): void {
  const ratio = (one: number, other: number): string => (one / other).toFixed(2);
  const lines = [
    '| | Restwright | Fastify + better-sqlite3 | ratio |',
    '|---|---:|---:|---:|',
    `| GET by id, requests per second | ${Math.round(rows.restwright.perSecond)} | ${Math.round(rows.fastify.perSecond)} | ${ratio(rows.restwright.perSecond, rows.fastify.perSecond)} |`,
    `| CPU per request, µs | ${rows.restwright.cpu.toFixed(0)} | ${rows.fastify.cpu.toFixed(0)} | ${ratio(rows.restwright.cpu, rows.fastify.cpu)} |`,
    `| cold start to the first 200, ms | ${Math.round(cold.restwright)} | ${Math.round(cold.fastify)} | ${ratio(cold.restwright, cold.fastify)} |`,
    '',
    `import of the world: ${importSeconds.toFixed(1)} s, ${Math.round(175_190 / importSeconds)} rows per second, database ${Math.round(statSync(file).size / 1e6)} MB`,
    `Node.js ${process.versions.node}, ${os.availableParallelism()} cores, ${CONNECTIONS} connections, best of ${ROUNDS} rounds of ${SECONDS} s each in alternation`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}
