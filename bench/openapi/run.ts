// `node bench/openapi/run.ts [resources]`: time to make a description, its size, and requests per second. See
// README.md.
import process from 'node:process';
import { brotliCompressSync, constants } from 'node:zlib';
import { createApi } from '../../src/api.ts';
import { describedContracts } from '../../src/describe/described-contract.ts';
import { openApiDocument } from '../../src/describe/openapi/open-api-document.ts';
import { loadModel } from '../../src/model/compile/load-model.ts';
import { openSqlite } from '../../src/stores/sqlite/sqlite-store.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createRandom } from '../../src/platform/random.ts';

const RESOURCES = Number(process.argv[2] ?? 100);
const REQUESTS = 20_000;

/** Resources with eight fields and a reference to the resource before them. */
function modelText(): string {
  const name = (index: number): string => `r${String(index).padStart(4, '0')}s`;
  const declared = Array.from({ length: RESOURCES }, (_, index) => {
    const properties = {
      name: { type: 'string', minLength: 1, maxLength: 200 },
      code: { type: 'string', 'x-unique': true, pattern: '^[A-Z]{3}[0-9]+$' },
      amount: { type: 'string', format: 'decimal', 'x-precision': 12, 'x-scale': 2 },
      kind: { type: 'string', enum: ['A', 'B', 'C'], default: 'A' },
      count: { type: ['integer', 'null'], minimum: 0 },
      due: { type: ['string', 'null'], format: 'date-time' },
      tags: { type: 'array', items: { type: 'string' } },
      before_id: { type: ['string', 'null'], 'x-references': { resource: name(Math.max(index - 1, 0)) } },
    };
    return [name(index), { schema: { type: 'object', required: ['name'], properties } }];
  });
  return JSON.stringify({ name: 'large', resources: Object.fromEntries(declared) });
}

const { model } = loadModel({ file: 'large.json', text: modelText() });

function print(what: string, value: string): void {
  process.stdout.write(`${what.padEnd(44)} ${value}\n`);
}

for (const time of ['first', 'second', 'third']) {
  const before = process.cpuUsage();
  const start = performance.now();
  const [contract] = describedContracts(model);
  if (contract === undefined) throw new Error('no contract');
  const text = JSON.stringify(openApiDocument(contract, '3.1'));
  const { user, system } = process.cpuUsage(before);
  const wall = performance.now() - start;
  print(`made, ${time} time`, `${wall.toFixed(0)} ms, ${((user + system) / 1000).toFixed(0)} ms of processor time`);
  if (time !== 'third') continue;
  const bytes = Buffer.from(text);
  const compressed = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
  print('size, and with br', `${(bytes.length / 1e6).toFixed(1)} MB, ${(compressed.length / 1e3).toFixed(0)} kB`);
}

const store = await openSqlite({
  path: ':memory:',
  model,
  clock: systemClock,
  random: createRandom(),
  observe: () => undefined,
});
const api = await createApi({ model, store, observe: () => undefined });

async function rate(target: string, headers: readonly string[] = []): Promise<string> {
  const request = {
    method: 'GET',
    target,
    headers: ['Host', 'localhost', ...headers],
    body: null,
    httpVersion: '1.1',
    peer: '127.0.0.1',
  };
  for (let count = 0; count < 2_000; count += 1) await api.handle(request);
  const start = performance.now();
  for (let count = 0; count < REQUESTS; count += 1) await api.handle(request);
  return `${Math.round(REQUESTS / ((performance.now() - start) / 1000)).toLocaleString('en')} requests/s`;
}

const response = await api.handle({
  method: 'GET',
  target: '/openapi.json',
  headers: ['Host', 'localhost'],
  body: null,
  httpVersion: '1.1',
  peer: '127.0.0.1',
});
const etag = response.headers[response.headers.indexOf('ETag') + 1] ?? '';
print('a cached page', await rate('/api/v1/r0001s'));
print('the description', await rate('/openapi.json'));
print('the description, br', await rate('/openapi.json', ['Accept-Encoding', 'br']));
print('the description, 304', await rate('/openapi.json', ['If-None-Match', etag]));
await store.close();
