// `node scripts/run.mjs bench/postgres/writers.ts --before DIR [--rounds 5] [--seconds 2]`: writes of 1 to 8 stores,
// each a process of its own, next to those of another checkout. See README.md.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import type * as loading from '../../src/model/compile/load-model.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createIds } from '../../src/platform/ids.ts';
import { createRandom } from '../../src/platform/random.ts';
import type { WriteUnit } from '../../src/plan/write-unit.ts';
import type * as opening from '../../src/stores/postgres/postgres-store.ts';
import type { Store } from '../../src/stores/store.ts';
import { startOwnPostgres } from '../../test/postgres-server.ts';
import { formatCount, markdownTable } from '../compare/table.ts';

const HERE = path.resolve(import.meta.dirname, '../..');
const STORES = [1, 2, 4, 8];
/** Writers of a store: a lone one, and a group. */
const WRITERS = [1, 32];
/** Milliseconds that a commit waits, as for a slow disk or a synchronous standby. */
const DELAYS = [0, 5];
/** The number of writers in a message that ends a round. */
const STOP = 0;

const MODEL = `name: bench
resources:
  notes: { schema: { type: object, properties: { text: { type: string } } }, indexes: [[text]] }
`;

/** A trigger that waits before each commit. It is of a row that each transaction changes once. */
function pause(schema: string, isCounted: boolean, delay: number): string {
  const [table, condition] = isCounted ? ['restwright_counts', "when (new.resource = '')"] : ['restwright_slots', ''];
  return `drop trigger if exists pause on ${schema}.${table};
create or replace function ${schema}.pause() returns trigger language plpgsql as 'begin perform pg_sleep(${delay / 1_000}); return null; end';
create constraint trigger pause after update on ${schema}.${table} deferrable initially deferred
  for each row ${condition} execute function ${schema}.pause()`;
}

/** A child: opens a store of a checkout, and writes from a message with a number of writers until one with none. */
async function serveWrites(url: string, checkout: string): Promise<void> {
  const source = (file: string): string => pathToFileURL(path.join(checkout, 'src', file)).href;
  const { loadModel }: typeof loading = await import(source('model/compile/load-model.ts'));
  const { openPostgres }: typeof opening = await import(source('stores/postgres/postgres-store.ts'));
  const store = await openPostgres({ url, model: loadModel({ file: 'bench.yaml', text: MODEL, env: {} }).model });
  let running = new AbortController();
  process.on('message', (writers: number) => {
    if (writers === STOP) return running.abort();
    running = new AbortController();
    void writeUntil(running.signal, store, writers).then((rate) => process.send?.(rate));
  });
  process.once('disconnect', () => void store.close());
  process.send?.('ready');
}

/** @returns rows per second */
async function writeUntil(stopped: AbortSignal, store: Store, writers: number): Promise<number> {
  const ids = createIds({ clock: systemClock, random: createRandom() });
  const begun = performance.now();
  let rows = 0;
  const write = async (): Promise<void> => {
    while (!stopped.aborted) {
      const { kind } = await store.writes.commit(createUnit(ids.uuid(), ids.uuid()));
      if (kind !== 'committed') throw new Error(`A write was not committed: ${kind}`);
      rows += 1;
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  return rows / ((performance.now() - begun) / 1_000);
}

function createUnit(id: string, eventId: string): WriteUnit {
  const at = new Date().toISOString();
  const resource = { type: 'note', id, url: `/api/v1/notes/${id}` };
  const event = {
    id: eventId,
    type: 'note.created',
    payload: { timestamp: at, resource, parents: [], changed_fields: ['text'] },
    metadata: { trace_id: 't', correlation_id: 'c', schema_version: '1.0.0', actor: null },
  };
  return { plans: [{ kind: 'create', resource: 'notes', id, within: [], values: { text: id }, at, event }] };
}

/** The stores of a checkout, with a schema of their own. */
interface Side {
  readonly schema: string;
  readonly children: readonly ChildProcess[];
}

async function startSide(url: string, schema: string, checkout: string): Promise<Side> {
  const children: ChildProcess[] = [];
  // One after another: the first one creates the tables.
  for (const _ of Array.from({ length: Math.max(...STORES) })) {
    const child = fork(fileURLToPath(import.meta.url), ['--url', url, '--checkout', checkout]);
    await nextMessage(child);
    children.push(child);
  }
  return { schema, children };
}

/** @throws where the child ends instead */
async function nextMessage(child: ChildProcess): Promise<unknown> {
  const ended = new AbortController();
  const failed = once(child, 'exit', { signal: ended.signal }).then(([code]) => {
    throw new Error(`A store exited with ${code}`);
  });
  const [message] = await Promise.race([once(child, 'message'), failed]);
  failed.catch(() => undefined);
  ended.abort();
  return message;
}

/** @returns rows per second of all stores together */
async function measureSide({ children }: Side, stores: number, writers: number, seconds: number): Promise<number> {
  const used = children.slice(0, stores);
  const rates = Promise.all(used.map(nextMessage));
  for (const child of used) child.send(writers);
  await sleep(seconds * 1_000);
  for (const child of used) child.send(STOP);
  return (await rates).reduce<number>((sum, rate) => sum + Number(rate), 0);
}

function findMedian(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

interface Extent {
  readonly rounds: number;
  readonly seconds: number;
}

/** @returns the cells of a line: medians of each side, and of the ratios of pairs */
async function comparePairs(
  sides: readonly [Side, Side],
  [stores, writers]: readonly [number, number],
  { rounds, seconds }: Extent,
): Promise<readonly string[]> {
  const pairs: { readonly before: number; readonly after: number }[] = [];
  // The first pair warms up.
  for (let round = -1; round < rounds; round += 1) {
    const rates = new Map<Side, number>();
    const order = round % 2 === 0 ? sides : sides.toReversed();
    for (const side of order) rates.set(side, await measureSide(side, stores, writers, round < 0 ? 0.5 : seconds));
    const [before, after] = [rates.get(sides[0]) ?? 0, rates.get(sides[1]) ?? 0];
    if (round >= 0) pairs.push({ before, after });
  }
  const ratio = findMedian(pairs.map(({ before, after }) => after / before)).toFixed(2);
  return [
    formatCount(findMedian(pairs.map(({ before }) => before))),
    formatCount(findMedian(pairs.map(({ after }) => after))),
    ratio,
  ];
}

async function setDelay(client: Client, { schema }: Side, delay: number): Promise<void> {
  const { rows } = await client.query<{ counted: boolean }>(
    `select to_regclass('${schema}.restwright_counts') is not null as counted`,
  );
  await client.query(pause(schema, rows[0]?.counted === true, delay));
}

async function compareCheckouts(before: string, extent: Extent): Promise<void> {
  const postgres = await startOwnPostgres(null, {
    settings: ['fsync=on', 'full_page_writes=on', 'shared_buffers=256MB'],
  });
  const client = new Client({ connectionString: postgres.url('public').replace(/[?&]schema=public/, '') });
  await client.connect();
  const children: ChildProcess[] = [];
  try {
    const sides: [Side, Side] = [
      await startSide(postgres.url('before'), 'before', before),
      await startSide(postgres.url('after'), 'after', HERE),
    ];
    children.push(...sides.flatMap((side) => side.children));
    const lines: string[][] = [];
    for (const delay of DELAYS) {
      if (delay > 0) for (const side of sides) await setDelay(client, side, delay);
      for (const writers of WRITERS) {
        for (const stores of STORES) {
          const cells = await comparePairs(sides, [stores, writers], extent);
          lines.push([String(delay), String(writers), String(stores), ...cells]);
          process.stderr.write(`${lines.at(-1)?.join(' | ')}\n`);
        }
      }
    }
    const head = ['ms before a commit', 'writers of a store', 'stores', 'before, rows/s', 'rows/s', 'ratio'];
    process.stdout.write(`${markdownTable(head, lines)}\n`);
  } finally {
    for (const child of children) if (child.connected) child.disconnect();
    await Promise.all(children.filter(({ exitCode }) => exitCode === null).map((child) => once(child, 'exit')));
    await client.end();
    await postgres.stop();
  }
}

const { values } = parseArgs({
  options: {
    before: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    url: { type: 'string' },
    checkout: { type: 'string', default: HERE },
  },
});
if (values.url !== undefined) await serveWrites(values.url, values.checkout);
else if (values.before === undefined) throw new Error('Missing --before. Pass the path of another checkout');
else
  await compareCheckouts(path.resolve(values.before), {
    rounds: Number(values.rounds),
    seconds: Number(values.seconds),
  });
