// Measures the client: `node bench/client/run.ts [rounds]`. README.md describes the method.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { createClient } from '../../src/client/client.ts';
import { defineModel, resource } from '../../src/index.ts';
import { startServer } from '../server.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const ROUNDS = Number(process.argv[2] ?? 9);
const ROWS = 1_000;
const REQUESTS = 3_000;

const root = path.join(import.meta.dirname, '..', '..');
const folder = temporaryFolder();
const model = defineModel({
  name: 'shop',
  limits: { rate: false },
  resources: {
    products: resource({
      schema: {
        type: 'object',
        required: ['name', 'price'],
        properties: { name: { type: 'string' }, price: { type: 'number' }, note: { type: 'string' } },
      },
    }),
  },
});

const file = path.join(folder, 'shop.json');
writeFileSync(file, JSON.stringify(model.definition));
const database = path.join(folder, 'shop.db');
const program = path.join(root, 'bin', 'restwright.js');
const server = await startServer({
  args: [program, 'serve', file, '--port', '0', '--database', database],
  path: '/api',
  compileCache: path.join(folder, 'cache'),
});
const url = `http://127.0.0.1:${server.port}/api`;
const api = createClient<typeof model>({ url, version: 1 });

const ids: string[] = [];
const rows = Array.from({ length: ROWS }, (_, index) => ({
  name: `Tea ${index}`,
  price: index,
  note: 'x'.repeat(100),
}));
for await (const { id, error } of api.products.createMany(rows)) {
  if (error !== null) throw error;
  ids.push(id);
}

/** The request of a program without a client. */
async function bareFetch(id: string): Promise<unknown> {
  const response = await fetch(`${url}/v1/products/${id}`, { headers: { Accept: 'application/json' } });
  if (!response.ok) throw new Error(`${response.status}`);
  return response.json();
}

/** Requests per second, of so many at the same time. */
async function rate(get: (id: string) => Promise<unknown>, connections: number): Promise<number> {
  let sent = 0;
  const start = performance.now();
  const send = async (): Promise<void> => {
    while (sent < REQUESTS) {
      sent += 1;
      await get(ids[(sent * 7) % ids.length] ?? '');
    }
  };
  await Promise.all(Array.from({ length: connections }, send));
  return (REQUESTS * 1_000) / (performance.now() - start);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
process.stdout.write(
  row('at the same time', 'fetch, 1/s', 'client, 1/s', 'ratio') + row('---:', '---:', '---:', '---:'),
);
for (const connections of [1, 8]) {
  const ratios: number[] = [];
  const rates: { readonly bare: number; readonly client: number }[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    // Each goes first in every other round.
    const sides = [bareFetch, (id: string) => api.products.get(id)];
    if (round % 2 === 1) sides.reverse();
    const measured: number[] = [];
    for (const get of sides) measured.push(await rate(get, connections));
    if (round % 2 === 1) measured.reverse();
    const [bare = 0, client = 0] = measured;
    if (round === 0) continue;
    rates.push({ bare, client });
    ratios.push(client / bare);
  }
  const [bare, client] = [median(rates.map((each) => each.bare)), median(rates.map((each) => each.client))];
  process.stdout.write(row(`${connections}`, bare.toFixed(0), client.toFixed(0), median(ratios).toFixed(3)));
}
await server.stop();
