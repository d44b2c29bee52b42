// `node bench/row-policies/run.ts [rounds]`: pages of one owner among a million rows, and memory with many callers. See
// README.md.
import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { createWriteStream, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import path from 'node:path';
import process from 'node:process';
import { percentile } from '../compare/percentile.ts';
import type { LoadRequest } from '../compare/requests.ts';
import { wrk } from '../compare/wrk.ts';
import { type BenchServer, startServer } from '../server.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const ROUNDS = Number(process.argv[2] ?? 7);
const ROWS = Number(process.argv[3] ?? 1_000_000);
const OWNERS = 10_000;
/** One row in so many is of owner 0. */
const SHARE = 10;
const CALLERS = 100_000;
const SECONDS = 2;
const CONNECTIONS = 32;

const root = path.resolve(import.meta.dirname, '../..');
const program = path.join(root, 'bin/restwright.js');
const folder = temporaryFolder();
const SECRET = '0123456789abcdef0123456789abcdef';

const AUTH = `
auth:
  issuers: [{ issuer: 'https://id.example.com/', audience: 'https://api.example.com', hs256_secret: ${SECRET} }]
limits: { rate: false }
`;
/** For the default sort, which a policy has an index for, and for the sort by id. */
const INDEXES = 'indexes: [[owner_id, created_at], [owner_id]]';
const OWNED = `access: { read: authenticated, write: authenticated, owner: owner_id }\n    ${INDEXES}`;

/** One side of the comparison: the model of a server, and the query of its callers for the rows of one owner. */
interface Side {
  readonly name: string;
  /** Access rules of the resource. */
  readonly access: string;
  readonly settings: string;
  /** True if the query names the owner. */
  readonly filters: boolean;
}

const SIDES: readonly Side[] = [
  { name: 'filter, without auth', access: INDEXES, settings: '', filters: true },
  {
    name: 'filter, known token',
    access: `access: { read: authenticated, write: authenticated }\n    ${INDEXES}`,
    settings: AUTH,
    filters: true,
  },
  { name: 'owner policy', access: OWNED, settings: AUTH, filters: false },
];

const idOf = (row: number): string => `n${String(row).padStart(9, '0')}`;
const ownerOf = (row: number): number => (row % SHARE === 0 ? 0 : 1 + (row % (OWNERS - 1)));
const nameOf = (owner: number): string => `owner-${owner}`;
const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

function signToken(owner: number): string {
  const now = Math.floor(Date.now() / 1_000);
  const claims = {
    iss: 'https://id.example.com/',
    aud: 'https://api.example.com',
    sub: nameOf(owner),
    exp: now + 86_400,
  };
  const input = `${encode({ alg: 'HS256', typ: 'at+jwt' })}.${encode(claims)}`;
  return `${input}.${createHmac('sha256', SECRET).update(input).digest('base64url')}`;
}

async function writeRows(file: string): Promise<void> {
  const stream = createWriteStream(file);
  for (let row = 0; row < ROWS; row += 1) {
    const line = { id: idOf(row), owner_id: nameOf(ownerOf(row)), text: `note ${row} of many`, stars: row % 5 };
    if (!stream.write(`${JSON.stringify(line)}\n`)) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'finish');
}

async function start({ access, settings }: Side, index: number, rows: string): Promise<BenchServer> {
  const file = path.join(folder, `side-${index}`);
  const model = `name: bench
version: 1.0.0
resources:
  notes:
    id: client
    schema:
      type: object
      properties:
        owner_id: { type: string, readOnly: true }
        text: { type: string }
        stars: { type: integer }
    ${access}
${settings}`;
  writeFileSync(`${file}.yaml`, model);
  const database = ['--database', `${file}.db`];
  const imported = [program, 'import', `${file}.yaml`, 'notes', rows, '--no-events', ...database];
  execFileSync(process.execPath, imported, { stdio: ['ignore', 'ignore', 'inherit'] });
  const args = [program, 'serve', `${file}.yaml`, '--port', '0', ...database];
  return startServer({ args, path: '/livez', compileCache: path.join(folder, 'compiled') });
}

function listRequests(side: Side, query: string, owners: readonly number[]): readonly LoadRequest[] {
  return owners.map((owner) => ({
    method: 'GET',
    path: `/api/v1/notes?limit=20${query}${side.filters ? `&owner_id=${nameOf(owner)}` : ''}`,
    headers: { Authorization: `Bearer ${signToken(owner)}` },
  }));
}

async function withTag(port: number, request: LoadRequest): Promise<LoadRequest> {
  const response = await fetch(`http://127.0.0.1:${port}${request.path}`, { headers: request.headers ?? {} });
  const { data }: { data: readonly unknown[] } = JSON.parse(await response.text());
  if (data.length !== 20) throw new Error(`${data.length} rows`);
  return { ...request, headers: { ...request.headers, 'If-None-Match': response.headers.get('etag') ?? '' } };
}

/** Requests of a side by what they measure. */
async function planLoads(side: Side, port: number): Promise<ReadonlyMap<string, readonly LoadRequest[]>> {
  const many = Array.from({ length: OWNERS - 1 }, (_, owner) => owner + 1);
  const deep = `&sort=id&last_id=${idOf(Math.floor(ROWS * 0.9))}`;
  const [one] = listRequests(side, '', [1]);
  if (one === undefined) throw new Error('there is no request');
  return new Map([
    ['page, each of another owner', listRequests(side, '', many)],
    ['page by id, each of another owner', listRequests(side, '&sort=id', many)],
    ['page, the same', [one]],
    ['304', [await withTag(port, one)]],
    [`first page of ${ROWS / SHARE} rows`, listRequests(side, '&sort=id&fields=text', [0])],
    ['page after nine tenths of them', listRequests(side, `${deep}&fields=text`, [0])],
  ]);
}

interface Cost {
  readonly perSecond: number;
  readonly processor: number;
}

async function measure(server: BenchServer, requests: readonly LoadRequest[], round: number): Promise<Cost> {
  const before = server.cpu();
  const load = { requests, order: 'random', start: round + 1, connections: CONNECTIONS, seconds: SECONDS } as const;
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
  const [, baseline = []] = costs;
  return SIDES.map((side, index) => {
    const own = costs[index] ?? [];
    const ratio = (of: (cost: Cost) => number): string =>
      median(own.map((each, round) => of(each) / of(baseline[round] ?? each))).toFixed(3);
    const perSecond = Math.round(median(own.map((each) => each.perSecond))).toLocaleString('en');
    const processor = median(own.map((each) => each.processor)).toFixed(1);
    const ratios = [ratio((each) => each.perSecond), ratio((each) => 1 / each.processor)];
    return `| ${[name, side.name, perSecond, processor, ...ratios].join(' | ')} |`;
  });
}

/** Each caller reads a page of its own, most of them an empty one. */
async function callAll(server: BenchServer): Promise<void> {
  const url = `http://127.0.0.1:${server.port}/api/v1/notes?limit=20`;
  for (let first = 0; first < CALLERS; first += CONNECTIONS) {
    const batch = Array.from({ length: CONNECTIONS }, async (_, index) => {
      const headers = { Authorization: `Bearer ${signToken(OWNERS + first + index)}` };
      const response = await fetch(url, { headers });
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`status ${response.status}`);
    });
    await Promise.all(batch);
  }
}

const rows = path.join(folder, 'rows.ndjson');
await writeRows(rows);
const servers: BenchServer[] = [];
for (const [index, side] of SIDES.entries()) servers.push(await start(side, index, rows));
const loads = await Promise.all(SIDES.map((side, index) => planLoads(side, servers[index]?.port ?? 0)));
process.stdout.write('| request | side | /s | µs of processor | ratio /s | ratio processor |\n');
process.stdout.write('| --- | --- | ---: | ---: | ---: | ---: |\n');
for (const name of loads[0]?.keys() ?? []) {
  const lines = await compare(
    name,
    servers,
    loads.map((each) => each.get(name) ?? []),
  );
  process.stdout.write(`${lines.join('\n')}\n`);
}
process.stdout.write(`\n| side | private memory before, MiB | after ${CALLERS} callers |\n| --- | ---: | ---: |\n`);
for (const [index, server] of servers.entries()) {
  const side = SIDES[index];
  if (side === undefined || side.settings === '') continue;
  const before = server.memory().anonymous;
  await callAll(server);
  process.stdout.write(`| ${side.name} | ${before.toFixed(0)} | ${server.memory().anonymous.toFixed(0)} |\n`);
}
for (const server of servers) await server.stop();
