// `node bench/versions/http.ts BEFORE [rounds]`: what versions cost. BEFORE is a checkout of the commit before there
// were any. See README.md.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { percentile } from '../compare/percentile.ts';
import { type LoadRequest, SERIAL } from '../compare/requests.ts';
import { wrk } from '../compare/wrk.ts';
import { type BenchServer, startServer } from '../server.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { MODEL, OLDER, createRow } from './model.ts';

const BEFORE = process.argv[2] ?? '';
const ROUNDS = Number(process.argv[3] ?? 7);
const ROWS = 50_000;
const SECONDS = 1;
const CONNECTIONS = 32;

const here = path.resolve(import.meta.dirname, '../..');
const folder = temporaryFolder();

/** A server, and the version that its clients request. */
interface Side {
  readonly name: string;
  readonly checkout: string;
  readonly model: string;
  readonly version: 'v1' | 'v2';
}

const SIDES: readonly Side[] = [
  { name: 'before', checkout: BEFORE, model: MODEL, version: 'v2' },
  { name: 'newest, alone', checkout: here, model: MODEL, version: 'v2' },
  { name: 'newest, beside an older one', checkout: here, model: MODEL + OLDER, version: 'v2' },
  { name: 'one step behind', checkout: here, model: MODEL + OLDER, version: 'v1' },
];

function rowsFile(): string {
  const file = path.join(folder, 'rows.ndjson');
  const lines = Array.from({ length: ROWS }, (_, row) => JSON.stringify(createRow(row)));
  writeFileSync(file, lines.join('\n'));
  return file;
}

/** Each side has a database of its own. */
async function start({ checkout, model }: Side, index: number, rows: string): Promise<BenchServer> {
  const file = path.join(folder, `side-${index}`);
  writeFileSync(`${file}.yaml`, model);
  const program = path.join(checkout, 'bin/restwright.js');
  const database = ['--database', `${file}.db`];
  const suppliers = path.join(folder, 'suppliers.ndjson');
  writeFileSync(suppliers, '{"id":"s","name":"S"}\n');
  for (const [collection, records] of [
    ['suppliers', suppliers],
    ['products', rows],
  ] as const) {
    const imported = [program, 'import', `${file}.yaml`, collection, records, '--no-events', ...database];
    execFileSync(process.execPath, imported, { stdio: ['ignore', 'ignore', 'inherit'] });
  }
  const args = [program, 'serve', `${file}.yaml`, '--port', '0', ...database];
  return startServer({ args, path: '/livez', compileCache: path.join(folder, `compiled-${index}`) });
}

/** Requests of a side by what they measure. */
function planLoads({ version }: Side): ReadonlyMap<string, readonly LoadRequest[]> {
  const get = (target: string): LoadRequest => ({ method: 'GET', path: `/api/${version}/products${target}` });
  const all = Array.from({ length: ROWS }, (_, row) => createRow(row).id);
  const name = version === 'v1' ? 'title' : 'name';
  const status = version === 'v1' ? 'live' : 'ACTIVE';
  const body = JSON.stringify({ id: `n${SERIAL}`, [name]: 'new', price: 5, status, supplier_id: 's' });
  return new Map<string, readonly LoadRequest[]>([
    ['by id, random among all', all.map((id) => get(`/${id}`))],
    ['by id, random among 1,000', all.slice(0, 1000).map((id) => get(`/${id}`))],
    ['page of 20, always the same', [get('?limit=20')]],
    ['page of 20, all different', all.map((id) => get(`?sort=id&limit=20&last_id=${id}`))],
    ['POST', [{ method: 'POST', path: `/api/${version}/products`, body }]],
  ]);
}

interface Cost {
  readonly perSecond: number;
  /** Microseconds of a response. */
  readonly processor: number;
}

async function measure(server: BenchServer, requests: readonly LoadRequest[], round: number): Promise<Cost> {
  const before = server.cpu();
  const load = { requests, order: 'random', start: round + 2, connections: CONNECTIONS, seconds: SECONDS } as const;
  const { perSecond, responses } = await wrk(server.port, load);
  return { perSecond, processor: (server.cpu() - before) / responses };
}

const median = (values: readonly number[]): number =>
  percentile(
    values.toSorted((one, other) => one - other),
    0.5,
  );

/** @returns the lines of the table, one for each side */
async function compare(
  name: string,
  servers: readonly BenchServer[],
  requests: readonly (readonly LoadRequest[])[],
): Promise<readonly string[]> {
  const costs = servers.map((): Cost[] => []);
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const [index, server] of servers.entries()) {
      const cost = await measure(server, requests[index] ?? [], round);
      if (round >= 0) costs[index]?.push(cost);
    }
  }
  const [baseline = []] = costs;
  return SIDES.map((side, index) => {
    const own = costs[index] ?? [];
    const ratio = median(own.map((each, round) => (baseline[round] ?? each).processor / each.processor)).toFixed(3);
    const perSecond = Math.round(median(own.map((each) => each.perSecond))).toLocaleString('en');
    const processor = median(own.map((each) => each.processor)).toFixed(1);
    return `| ${[name, side.name, perSecond, processor, ratio].join(' | ')} |`;
  });
}

const rows = rowsFile();
const servers: BenchServer[] = [];
for (const [index, side] of SIDES.entries()) servers.push(await start(side, index, rows));
process.stdout.write(
  '| request | side | /s | µs of processor | ratio of processor |\n| --- | --- | ---: | ---: | ---: |\n',
);
const loads = SIDES.map(planLoads);
for (const name of loads[0]?.keys() ?? []) {
  const lines = await compare(
    name,
    servers,
    loads.map((each) => each.get(name) ?? []),
  );
  process.stdout.write(`${lines.join('\n')}\n`);
}
for (const server of servers) await server.stop();
