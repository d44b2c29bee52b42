// `node scripts/run.mjs bench/conversion/side-by-side.ts [rows]`: the times of readers while PostgreSQL's rows are
// converted next to instances of the older model, compared with those without. See README.md.
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { startOwnPostgres } from '../../test/postgres-server.ts';
import { startProcess } from '../processes.ts';
import { startServer } from '../server.ts';

const ROWS = Number(process.argv[2] ?? 5_000);
/** The milliseconds of a phase that nothing else ends. */
const PHASE = 2_000;
const READERS = 4;

const root = path.resolve(import.meta.dirname, '../..');
const program = path.join(root, 'bin/restwright.js');
const folder = mkdtempSync(path.join(tmpdir(), 'restwright-bench-'));
const [source = '', old = '', newest = ''] = ['rows.ndjson', 'old.yaml', 'new.yaml'].map((name) =>
  path.join(folder, name),
);
const postgres = await startOwnPostgres();
const database = postgres.url('converted');

/** The models of the guide, without its other resources. */
const FIELDS = 'price: { type: number }';
writeFileSync(
  old,
  `{ name: store, version: 1.4.0, resources: { products: { id: client, schema: { type: object, required: [title], properties: {
  title: { type: string }, ${FIELDS}, status: { type: string, enum: [draft, live, sold], default: draft }, city: { type: string },
  place: { type: object, properties: { shelf: { type: integer } } } } } } } }`,
);
writeFileSync(
  newest,
  `{ name: store, version: 2.0.0, default_version: 1, resources: { products: { id: client, schema: { type: object, required: [name], properties: {
  name: { type: string }, ${FIELDS}, currency: { type: string, default: EUR }, status: { type: string, enum: [DRAFT, ACTIVE, SOLD], default: DRAFT },
  place: { type: object, properties: { city: { type: string }, shelf: { type: integer } } } } } } },
  versions: { 1.4.0: { changes: [{ resource: products, rename: { title: name } }, { resource: products, without: [currency], fill: { currency: USD } },
    { resource: products, values: { status: { draft: DRAFT, live: ACTIVE, sold: SOLD } } }, { resource: products, move: { city: place.city } }] } } }`,
);

async function restwright(...args: readonly string[]): Promise<void> {
  const child = await startProcess(process.execPath, [program, ...args, '--database', database], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${args.join(' ')}: exit code ${code}`);
}

async function writeRows(): Promise<void> {
  const output = createWriteStream(source);
  for (let row = 0; row < ROWS; row += 1) {
    const [status, place] = [['draft', 'live', 'sold'][row % 3], { shelf: row % 97 }];
    const line = { id: `p${row}`, title: `Product ${row}`, price: row % 1_000, status, city: `C${row % 200}`, place };
    if (!output.write(`${JSON.stringify(line)}\n`)) await once(output, 'drain');
  }
  output.end();
  await once(output, 'finish');
}

interface Phase {
  readonly name: string;
  /** Milliseconds of each read, ascending. */
  readonly times: readonly number[];
  readonly refused: number;
  readonly seconds: number;
}

interface Load {
  /** The ports of the servers that are read. */
  readonly ports: readonly number[];
  /** That of the server of the older model that is written to; null for none. */
  readonly writer: number | null;
}

/** Reads pages with a filter, and writes a row at a time, until work is done. */
async function underLoad(name: string, { ports, writer }: Load, work: () => Promise<void>): Promise<Phase> {
  const times: number[] = [];
  let refused = 0;
  let isDone = false;
  const goesOn = (): boolean => !isDone;
  const start = performance.now();
  const request = async (port: number, target: string, init: RequestInit = {}): Promise<void> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/products${target}`, init);
    await response.arrayBuffer();
    if (response.status >= 300) refused += 1;
  };
  const read = async (reader: number): Promise<void> => {
    for (let at = reader; goesOn(); at += READERS) {
      const begun = performance.now();
      await request(ports[at % ports.length] ?? 0, `?status=live&price=${(at * 7) % 1_000}&limit=20`);
      times.push(performance.now() - begun);
    }
  };
  const write = async (): Promise<void> => {
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    if (writer === null) return;
    for (let at = 0; goesOn(); at += 1)
      await request(writer, `/p${(at * 7) % ROWS}`, { method: 'PATCH', headers, body: `{"city":"N${at}"}` });
  };
  const running = [...Array.from({ length: READERS }, (_, reader) => read(reader)), write()];
  try {
    await work();
  } finally {
    isDone = true;
  }
  await Promise.all(running);
  const seconds = (performance.now() - start) / 1_000;
  return { name, times: times.toSorted((one, other) => one - other), refused, seconds };
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, PHASE));

function quantile(times: readonly number[], share: number): string {
  return (times[Math.floor(times.length * share)] ?? 0).toFixed(1);
}

const serve = (model: string): ReturnType<typeof startServer> =>
  startServer({
    args: [program, 'serve', model, '--port', '0', '--database', database],
    path: '/api/v1/products?limit=1',
    compileCache: path.join(folder, 'cache'),
    allProcessors: true,
  });

try {
  await writeRows();
  await restwright('import', old, 'products', source, '--no-events');
  const first = await serve(old);
  const alone = { ports: [first.port], writer: first.port };
  await underLoad('warm-up', alone, pause);
  const phases = [await underLoad('the older model alone', alone, pause)];
  const expand = (): Promise<void> => restwright('migrate', newest, '--phase', 'expand', '--apply');
  phases.push(await underLoad('`expand`', alone, expand));
  const second = await serve(newest);
  const both = { ports: [first.port, second.port], writer: first.port };
  phases.push(await underLoad('both models', both, pause));
  await first.stop();
  const last = { ports: [second.port], writer: second.port };
  const contract = (): Promise<void> => restwright('migrate', newest, '--phase', 'contract', '--apply');
  phases.push(await underLoad('`contract`', last, contract));
  phases.push(await underLoad('the newer model alone', last, pause));
  await second.stop();
  process.stdout.write(`${ROWS.toLocaleString('en-US')} rows, ${READERS} readers and a writer\n\n`);
  process.stdout.write(
    '| phase | seconds | reads | p50 ms | p99 ms | refused |\n| --- | ---: | ---: | ---: | ---: | ---: |\n',
  );
  for (const { name, seconds, times, refused } of phases)
    process.stdout.write(
      `| ${name} | ${seconds.toFixed(1)} | ${times.length} | ${quantile(times, 0.5)} | ${quantile(times, 0.99)} | ${refused} |\n`,
    );
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
