// `node scripts/run.mjs bench/conversion/run.ts [rows] [sqlite|postgres]`: the conversion of stored rows next to an
// import of the same rows without events. See README.md.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { startOwnPostgres } from '../../test/postgres-server.ts';

const ROWS = Number(process.argv[2] ?? 100_000);
const STORE = process.argv[3] ?? 'sqlite';
const OLD = `
name: store
version: 1.4.0
resources:
  products:
    schema:
      type: object
      required: [title]
      properties:
        title: { type: string }
        price: { type: number }
        status: { type: string, enum: [draft, live, sold], default: draft }
        city: { type: string }
        place: { type: object, properties: { shelf: { type: integer } } }
`;
const NEW = `
name: store
version: 2.0.0
default_version: 1
resources:
  products:
    schema:
      type: object
      required: [name]
      properties:
        name: { type: string }
        price: { type: number }
        currency: { type: string, default: EUR }
        status: { type: string, enum: [DRAFT, ACTIVE, SOLD], default: DRAFT }
        place: { type: object, properties: { city: { type: string }, shelf: { type: integer } } }
versions:
  1.4.0:
    changes:
      - { resource: products, rename: { title: name } }
      - { resource: products, without: [currency], fill: { currency: USD } }
      - { resource: products, values: { status: { draft: DRAFT, live: ACTIVE, sold: SOLD } } }
      - { resource: products, move: { city: place.city } }
`;

const root = path.resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(path.join(tmpdir(), 'restwright-bench-'));
const server = STORE === 'postgres' ? await startOwnPostgres() : null;
const database = server?.url('converted') ?? path.join(folder, 'store.db');
const [source, old, newest] = ['rows.ndjson', 'old.yaml', 'new.yaml'].map((name) => path.join(folder, name));

interface Measured {
  readonly seconds: number;
  /** Processor seconds of the process. */
  readonly processor: number;
  /** Peak private memory in each third of the run, in MiB. */
  readonly thirds: readonly number[];
  readonly output: string;
}

/** Private memory without mapped files in MiB, and processor seconds. Zeros once the process has ended. */
function readProcess(pid: number): { readonly memory: number; readonly processor: number } {
  try {
    const memory = Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
    const times = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ').slice(11, 13) ?? [];
    return { memory, processor: times.reduce((sum, each) => sum + Number(each), 0) / 100 };
  } catch {
    return { memory: 0, processor: 0 };
  }
}

/** Runs a command, and samples its process. */
async function measure(...args: readonly string[]): Promise<Measured> {
  const command = [path.join(root, 'bin/restwright.js'), ...args, '--database', database];
  const start = performance.now();
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] });
  const samples: { readonly memory: number; readonly processor: number }[] = [];
  const timer = setInterval(() => samples.push(readProcess(child.pid ?? 0)), 50);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = await once(child, 'close');
  clearInterval(timer);
  if (code !== 0) throw new Error(`${args.join(' ')}: exit code ${code}`);
  const third = Math.ceil(samples.length / 3);
  const thirds = [0, 1, 2].map((part) =>
    Math.max(0, ...samples.slice(part * third, (part + 1) * third).map(({ memory }) => memory)),
  );
  const processor = Math.max(...samples.map((each) => each.processor));
  return { seconds: (performance.now() - start) / 1_000, processor, thirds, output };
}

async function writeRows(file: string): Promise<void> {
  const output = createWriteStream(file);
  for (let row = 0; row < ROWS; row += 1) {
    const status = ['draft', 'live', 'sold'][row % 3];
    const line = {
      title: `Product ${row}`,
      price: row % 1_000,
      status,
      city: `C${row % 200}`,
      place: { shelf: row % 97 },
    };
    if (!output.write(`${JSON.stringify(line)}\n`)) await once(output, 'drain');
  }
  output.end();
  await once(output, 'finish');
}

try {
  writeFileSync(old ?? '', OLD);
  writeFileSync(newest ?? '', NEW);
  await writeRows(source ?? '');
  const imported = await measure('import', old ?? '', 'products', source ?? '', '--no-events');
  // The start of a process alone: the database matches the model.
  const idle = await measure('migrate', old ?? '');
  const checked = await measure('migrate', newest ?? '', '--dry-run', '--json');
  const converted = await measure('migrate', newest ?? '', '--apply');
  const work = ({ seconds }: Measured): number => seconds - idle.seconds;
  process.stdout.write(
    `${ROWS.toLocaleString('en-US')} rows, ${STORE}; a start alone: ${idle.seconds.toFixed(2)} s\n\n`,
  );
  process.stdout.write(
    '| operation | rows/s | seconds | processor seconds | peak MiB in each third |\n| --- | ---: | ---: | ---: | --- |\n',
  );
  for (const [name, each] of [
    ['import without events', imported],
    ['plan (`--dry-run`)', checked],
    ['conversion (`--apply`)', converted],
  ] as const) {
    const rate = Math.round(ROWS / work(each)).toLocaleString('en-US');
    const thirds = each.thirds.map((peak) => Math.round(peak)).join(', ');
    process.stdout.write(
      `| ${name} | ${rate} | ${work(each).toFixed(1)} | ${(each.processor - idle.processor).toFixed(1)} | ${thirds} |\n`,
    );
  }
  const ratio = (one: Measured, other: Measured): string => (work(one) / work(other)).toFixed(2);
  process.stdout.write(`\nconversion : import ${ratio(imported, converted)} (goal: at least 0.5)\n`);
  const { seconds } = JSON.parse(checked.output);
  process.stdout.write(`the plan estimated ${seconds} s, ${(seconds / work(converted)).toFixed(2)} of what it took\n`);
} finally {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}
