// `node --expose-gc bench/versions/run.ts BEFORE [rounds]`: what versions cost. BEFORE is a checkout of the commit
// before there were any. See README.md.
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import type * as restwright from '../../src/index.ts';
import type * as exchange from '../../src/exchange/handler.ts';
import { MODEL, OLDER, createRow } from './model.ts';

const BEFORE = process.argv[2] ?? '';
const ROUNDS = Number(process.argv[3] ?? 30);
const ROWS = 6_000;
/** Requests of one round. */
const BATCH = 150;
const HERE = path.resolve(import.meta.dirname, '../..');

type Api = restwright.StartedApi['api'];

/** An API, and the version that its clients request. */
interface Side {
  readonly name: string;
  readonly api: Api;
  readonly version: 'v1' | 'v2';
  readonly body: (text: string) => Parameters<Api['handle']>[0]['body'];
}

/** A file of the sources of a checkout, by its URL. */
function locateSource(checkout: string, file: string): string {
  return pathToFileURL(path.join(checkout, 'src', file)).href;
}

async function open(checkout: string, text: string): Promise<Pick<Side, 'api' | 'body'>> {
  const { loadModel, startApi }: typeof restwright = await import(locateSource(checkout, 'index.ts'));
  const { bufferedBody }: typeof exchange = await import(locateSource(checkout, 'exchange/handler.ts'));
  const { model } = loadModel({ file: 'bench.yaml', text, env: {} });
  const { api } = await startApi({ model, database: ':memory:', observe: () => undefined });
  const opened = { api, body: (json: string) => bufferedBody(new TextEncoder().encode(json)) };
  const side: Side = { ...opened, name: 'rows', version: 'v2' };
  await send(side, 'POST', 'suppliers', '{"id":"s"}');
  for (let row = 0; row < ROWS; row += 1) await send(side, 'POST', 'products', JSON.stringify(createRow(row)));
  return opened;
}

async function send(side: Side, method: string, target: string, json: string | null = null): Promise<void> {
  const fields =
    json === null ? [] : ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(json))];
  const response = await side.api.handle({
    method,
    target: `/api/${side.version}/${target}`,
    headers: ['Host', 'localhost:3000', ...fields],
    body: json === null ? null : side.body(json),
    httpVersion: '1.1',
    peer: '127.0.0.1',
  });
  if (response.status >= 300) throw new Error(`${method} ${target} returned ${response.status}`);
}

/** Makes a request of a side from its number. */
type Request = (side: Side, number: number) => readonly [method: string, target: string, json?: string];

const REQUESTS: Readonly<Record<string, Request>> = {
  'by id, not cached': (_side, number) => ['GET', `products/${createRow(number % ROWS).id}`],
  'by id, cached': (_side, number) => ['GET', `products/${createRow(number % 50).id}`],
  'page of 20, cached': () => ['GET', 'products?limit=20'],
  'page of 20, not cached': (_side, number) => [
    'GET',
    `products?sort=id&limit=20&last_id=${createRow(number % ROWS).id}`,
  ],
  POST: ({ version, name }, number) => {
    const own = version === 'v1' ? { title: 'new', status: 'live' } : { name: 'new', status: 'ACTIVE' };
    return [
      'POST',
      'products',
      JSON.stringify({ id: `${name.replaceAll(/\W/g, '')}${number}`, ...own, price: 5, supplier_id: 's' }),
    ];
  },
};

/** Microseconds of one request in a batch. */
async function batch(side: Side, request: Request, first: number): Promise<number> {
  const before = process.cpuUsage();
  for (let number = first; number < first + BATCH; number += 1) await send(side, ...request(side, number));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / BATCH;
}

/** The quarter of the rounds in which other work on the machine disturbed least. */
function lowQuartile(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 4)] ?? Number.NaN;
}

const before = await open(BEFORE, MODEL);
const alone = await open(HERE, MODEL);
const both = await open(HERE, MODEL + OLDER);
const sides: readonly Side[] = [
  { ...before, name: 'before', version: 'v2' },
  { ...alone, name: 'newest, alone', version: 'v2' },
  { ...both, name: 'newest, beside an older one', version: 'v2' },
  { ...both, name: 'one step behind', version: 'v1' },
];

process.stdout.write('| request | side | µs | ratio |\n| --- | --- | ---: | ---: |\n');
for (const [name, request] of Object.entries(REQUESTS)) {
  const costs = sides.map((): number[] => []);
  for (let round = -3; round < ROUNDS; round += 1) {
    for (const [index, side] of sides.entries()) {
      const cost = await batch(side, request, (round + 3) * BATCH);
      if (round >= 0) costs[index]?.push(cost);
    }
  }
  const [baseline = 0, ...others] = costs.map(lowQuartile);
  for (const [index, side] of sides.entries()) {
    const own = [baseline, ...others][index] ?? 0;
    process.stdout.write(`| ${name} | ${side.name} | ${own.toFixed(1)} | ${(baseline / own).toFixed(3)} |\n`);
  }
}
process.exit();
