// `node bench/observe/run.ts [rounds]`: what a log, metrics and spans cost in a request by id. See README.md.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { percentile } from '../compare/percentile.ts';
import { product } from '../compare/products.ts';
import { wrk } from '../compare/wrk.ts';
import { type BenchServer, startServer } from '../server.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const ROUNDS = Number(process.argv[2] ?? 9);
const SECONDS = 2;
const CONNECTIONS = 32;
const BASE = '/api/v1/products';
const SIDES = ['off', 'log', 'metrics', 'log and metrics', 'log, metrics and spans'] as const;

interface Cost {
  readonly perSecond: number;
  /** Microseconds of processor time of the server for each response. */
  readonly processor: number;
}

/** A server with one row. @returns with the path of the row */
async function start(side: string, index: number): Promise<readonly [server: BenchServer, path: string]> {
  const file = path.join(folder, `side-${index}`);
  writeFileSync(`${file}.yaml`, readFileSync(path.join(import.meta.dirname, '../compare/model.yaml')));
  const args = [path.join(import.meta.dirname, 'server.ts'), side, `${file}.yaml`, `${file}.db`];
  const server = await startServer({ args, path: '/livez', compileCache: path.join(folder, 'compiled') });
  const created = await fetch(`http://127.0.0.1:${server.port}${BASE}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(product(1)),
  });
  const { id } = (await created.json()) as { readonly id: string };
  return [server, `${BASE}/${id}`];
}

async function measure(server: BenchServer, target: string): Promise<Cost> {
  const before = server.cpu();
  const requests = [{ method: 'GET', path: target, headers: {} }] as const;
  const { perSecond, responses } = await wrk(server.port, {
    requests,
    start: 0,
    connections: CONNECTIONS,
    seconds: SECONDS,
  });
  return { perSecond, processor: (server.cpu() - before) / responses };
}

function takeMedian(values: readonly number[]): number {
  return percentile(
    values.toSorted((one, other) => one - other),
    0.5,
  );
}

const folder = temporaryFolder();
const servers = await Promise.all(SIDES.map(start));
const costs = SIDES.map((): Cost[] => []);
// The first round warms up. The order turns, so that no side is always the first after a pause.
for (let round = -1; round < ROUNDS; round += 1) {
  for (let turn = 0; turn < SIDES.length; turn += 1) {
    const index = (turn + round + 1) % SIDES.length;
    const [server, target] = servers[index] ?? [];
    if (server === undefined || target === undefined) continue;
    const cost = await measure(server, target);
    if (round >= 0) costs[index]?.push(cost);
  }
}
process.stdout.write(
  '| side | /s | µs of processor | ratio /s | ratio processor |\n| --- | ---: | ---: | ---: | ---: |\n',
);
const [off = []] = costs;
for (const [index, all] of costs.entries()) {
  const ratio = (of: (cost: Cost) => number): string =>
    takeMedian(all.map((each, round) => of(each) / of(off[round] ?? each))).toFixed(3);
  const cells = [
    Math.round(takeMedian(all.map(({ perSecond }) => perSecond))).toLocaleString('en'),
    takeMedian(all.map(({ processor }) => processor)).toFixed(1),
    ratio(({ perSecond }) => perSecond),
    ratio(({ processor }) => 1 / processor),
  ];
  process.stdout.write(`| ${[SIDES[index], ...cells].join(' | ')} |\n`);
}
for (const [server] of servers) await server.stop();
