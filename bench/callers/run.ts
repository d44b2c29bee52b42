// `node bench/callers/run.ts [rounds]`: what a known bearer token, a rate limit and an owner policy cost in a request.
// See README.md.
import { generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { percentile } from '../compare/percentile.ts';
import { product } from '../compare/products.ts';
import type { LoadRequest } from '../compare/requests.ts';
import { wrk } from '../compare/wrk.ts';
import { type BenchServer, type ServerOptions, startServer } from '../server.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const ROUNDS = Number(process.argv[2] ?? 7);
const SECONDS = 2;
const CONNECTIONS = 32;
const STARTS = 15;
const ROWS = 1_000;
/** Callers of the side with owners, each with rows of its own. */
const CALLERS = 1_000;
const BASE = '/api/v1/products';

const root = path.resolve(import.meta.dirname, '../..');
const folder = temporaryFolder();
const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const KEYS = JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k' }] });
const AUTH = `
auth:
  issuers:
    - { issuer: 'https://id.example.com/', audience: 'https://api.example.com', jwks: ${KEYS} }
`;
const OWNER =
  '        owner_id: { type: string, readOnly: true }\n    access: { read: authenticated, write: authenticated';

/** Additions to the model of the comparison, and to its resource. */
interface Side {
  readonly model: string;
  readonly resource: string;
  /** The number of callers that send requests. */
  readonly callers: number;
}

const SIDES: Readonly<Record<string, Side>> = {
  'without auth': { model: '', resource: '', callers: 1 },
  'known token, no rate limit': { model: `${AUTH}limits: { rate: false }\n`, resource: '', callers: 1 },
  'known token, rate limit': {
    model: `${AUTH}limits: { rate: { requests: 1000000, per: 1s } }\n`,
    resource: '',
    callers: 1,
  },
  [`${CALLERS} tokens`]: { model: `${AUTH}limits: { rate: false }\n`, resource: `${OWNER} }\n`, callers: CALLERS },
  [`${CALLERS} owners`]: {
    model: `${AUTH}limits: { rate: false }\n`,
    resource: `${OWNER}, owner: owner_id }\n`,
    callers: CALLERS,
  },
};
const NAMES = Object.keys(SIDES);

interface Cost {
  readonly perSecond: number;
  /** Microseconds of processor time of the server for each response. */
  readonly processor: number;
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** A token of typical size, with claims as in RFC 9068. */
function signToken(caller: number): string {
  const now = Math.floor(Date.now() / 1_000);
  const claims = {
    iss: 'https://id.example.com/',
    aud: 'https://api.example.com',
    sub: `5ba552d67a3b4c1f${String(caller).padStart(6, '0')}`,
    client_id: 'shop-web',
    scope: 'products:read products:write suppliers:read',
    iat: now,
    exp: now + 86_400,
    jti: String(caller),
  };
  const input = `${encode({ alg: 'RS256', typ: 'at+jwt', kid: 'k' })}.${encode(claims)}`;
  return `${input}.${sign('sha256', Buffer.from(input), privateKey).toString('base64url')}`;
}

/** Without `auth` the token is sent, too: it is the same request. */
const TOKENS = Array.from({ length: CALLERS }, (_, caller) => ({ Authorization: `Bearer ${signToken(caller)}` }));

function findSide(name: string): Side {
  const side = SIDES[name];
  if (side === undefined) throw new Error(`there is no side ${name}`);
  return side;
}

function requestOptions(name: string): ServerOptions {
  const { model, resource } = findSide(name);
  const file = path.join(folder, `side-${NAMES.indexOf(name)}`);
  const text = readFileSync(path.join(root, 'bench/compare/model.yaml'), 'utf8');
  const fields = text.trimEnd().split('\n');
  const indexes = fields.findIndex((line) => line.startsWith('    indexes:'));
  const whole = [...fields.slice(0, indexes), `${resource}${fields.slice(indexes).join('\n')}`].join('\n');
  writeFileSync(`${file}.yaml`, `${whole}\n${model}`);
  const args = ['serve', `${file}.yaml`, '--port', '0', '--database', `${file}.db`];
  return {
    args: [path.join(root, 'bin/restwright.js'), ...args],
    path: '/livez',
    compileCache: path.join(folder, 'compiled'),
  };
}

/** Creates the rows, those of each caller with its token. @returns the requests by name */
async function prepare({ port }: BenchServer, name: string): Promise<Readonly<Record<string, readonly LoadRequest[]>>> {
  const { callers } = findSide(name);
  const items: LoadRequest[] = [];
  for (let row = 0; row < ROWS; row += 1) {
    const headers = TOKENS[row % callers] ?? {};
    const created = await fetch(`http://127.0.0.1:${port}${BASE}`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify(product(row)),
    });
    const body = await created.text();
    if (created.status !== 201) throw new Error(body);
    items.push({ method: 'GET', path: `${BASE}/${JSON.parse(body).id}`, headers });
  }
  if (callers > 1) return { 'by id, 1,000 rows': items };
  const headers = TOKENS[0] ?? {};
  return { 'by id': items.slice(0, 1), page: [{ method: 'GET', path: BASE, headers }], 'by id, 1,000 rows': items };
}

async function measure(server: BenchServer, requests: readonly LoadRequest[]): Promise<Cost> {
  const before = server.cpu();
  const load = { requests, start: 0, connections: CONNECTIONS, seconds: SECONDS };
  const { perSecond, responses } = await wrk(server.port, load);
  return { perSecond, processor: (server.cpu() - before) / responses };
}

async function compareRequests(): Promise<void> {
  const servers: BenchServer[] = [];
  const prepared: Readonly<Record<string, readonly LoadRequest[]>>[] = [];
  for (const name of NAMES) {
    const server = await startServer(requestOptions(name));
    servers.push(server);
    prepared.push(await prepare(server, name));
  }
  process.stdout.write('| request | side | /s | µs of processor | ratio /s | ratio processor |\n');
  process.stdout.write('| --- | --- | ---: | ---: | ---: | ---: |\n');
  for (const request of Object.keys(prepared[0] ?? {})) await compareRequest(request, servers, prepared);
  for (const server of servers) await server.stop();
}

async function compareRequest(
  request: string,
  servers: readonly BenchServer[],
  prepared: readonly Readonly<Record<string, readonly LoadRequest[]>>[],
): Promise<void> {
  const costs = NAMES.map((): Cost[] => []);
  // The first round warms up.
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const [index, server] of servers.entries()) {
      const requests = prepared[index]?.[request];
      if (requests === undefined) continue;
      const cost = await measure(server, requests);
      if (round >= 0) costs[index]?.push(cost);
    }
  }
  const [first = []] = costs;
  for (const [index, all] of costs.entries()) {
    if (all.length === 0) continue;
    const ratio = (of: (cost: Cost) => number): number =>
      takeMedian(all.map((each, round) => of(each) / of(first[round] ?? each)));
    const cells = [
      Math.round(takeMedian(all.map((each) => each.perSecond))).toLocaleString('en'),
      takeMedian(all.map((each) => each.processor)).toFixed(1),
      ratio((each) => each.perSecond).toFixed(3),
      ratio((each) => 1 / each.processor).toFixed(3),
    ];
    process.stdout.write(`| ${[request, NAMES[index], ...cells].join(' | ')} |\n`);
  }
}

async function compareStarts(): Promise<void> {
  const times = NAMES.map((): number[] => []);
  for (let start = 0; start <= STARTS; start += 1) {
    for (const [index, name] of NAMES.entries()) {
      const server = await startServer(requestOptions(name));
      await server.stop();
      if (start > 0) times[index]?.push(server.coldStart);
    }
  }
  process.stdout.write('\n| side | cold start, ms |\n| --- | ---: |\n');
  for (const [index, name] of NAMES.entries()) {
    process.stdout.write(`| ${name} | ${takeMedian(times[index] ?? []).toFixed(0)} |\n`);
  }
}

function takeMedian(values: readonly number[]): number {
  return percentile(
    values.toSorted((one, other) => one - other),
    0.5,
  );
}

await compareRequests();
await compareStarts();
