// Measures what the removal of old events costs, and what it does to the file: `node bench/events/retention.ts`.
// README.md describes the method.
import { statSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import Database from 'better-sqlite3';
import { EventRetention } from '../../src/events/retention/retention.ts';
import { createFetchHandler } from '../../src/http/fetch.ts';
import { createApi, defineModel, loadModel, type Model, resource } from '../../src/index.ts';
import type { Observation } from '../../src/observe/observation.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createRandom } from '../../src/platform/random.ts';
import { openSqlite } from '../../src/stores/sqlite/sqlite-store.ts';
import type { Store } from '../../src/stores/store.ts';
import { product } from '../compare/products.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { fileShare } from './file-share.ts';

const ROWS = 100_000;
const PER_REQUEST = 5_000;
const MEBIBYTE = 2 ** 20;

const SCHEMA = { type: 'object', properties: { sku: { type: 'string' }, name: { type: 'string' } } } as const;

function thinModel(): Model {
  const products = resource({ schema: SCHEMA, events: 'thin' });
  return loadModel(defineModel({ name: 'bench', resources: { products } })).model;
}

async function write(send: (body: string) => Promise<void>, from: number): Promise<void> {
  for (let sent = 0; sent < ROWS; sent += PER_REQUEST) {
    const rows = Array.from({ length: PER_REQUEST }, (_, index) => {
      const { sku, name } = product(from + sent + index);
      return JSON.stringify({ sku, name });
    });
    await send(rows.join('\n'));
  }
}

/** Removes all but the last events. @returns the durations of the transactions */
async function removeOld(store: Store, durations: number[]): Promise<readonly number[]> {
  durations.length = 0;
  const ever = Number.MAX_SAFE_INTEGER;
  const settings = { retention: ever, maxRows: 1_024, hold: ever, relays: [] };
  const parts = { subscribers: [], clock: systemClock, random: createRandom(), observe: () => undefined };
  await new EventRetention({ store, settings, ...parts }).run();
  return durations.toSorted((one, other) => one - other);
}

/** The size of the file, and of it what no table has. */
function sizes(file: string): string {
  const database = new Database(file, { readonly: true });
  const pages = Number(database.pragma('freelist_count', { simple: true }));
  const size = Number(database.pragma('page_size', { simple: true }));
  database.close();
  return `${(statSync(file).size / MEBIBYTE).toFixed(1)} MiB, of it ${((pages * size) / MEBIBYTE).toFixed(1)} free`;
}

const report = (label: string, result: string): void => void process.stdout.write(`${label}: ${result}\n`);

const file = path.join(temporaryFolder(), 'bench.db');
const durations: number[] = [];
const observe = (observation: Observation): void => {
  if (observation.kind === 'commit') durations.push(observation.duration);
};
const model = thinModel();
const store = await openSqlite({ path: file, model, observe });
const handle = createFetchHandler(await createApi({ model, store, observe: () => undefined }));
const send = async (body: string): Promise<void> => {
  const headers = { 'Content-Type': 'application/x-ndjson' };
  const response = await handle(new Request('http://localhost/api/v1/products', { method: 'POST', headers, body }));
  await response.text();
};
for (let round = 0; round < 3; round += 1) {
  await write(send, round * ROWS);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  report(`round ${round + 1}, after ${ROWS} rows`, `${sizes(file)}; ${fileShare(file)}`);
  const removal = await removeOld(store, durations);
  const at = (share: number): string => (removal[Math.floor(removal.length * share)] ?? Number.NaN).toFixed(1);
  report('removal', `${removal.length} transactions, ms: median ${at(0.5)}, p95 ${at(0.95)}, longest ${at(0.999)}`);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  report('after the removal', sizes(file));
}
await store.close();
