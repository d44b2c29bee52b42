// `node bench/large-model/run.ts [resources]`: processor time until a server with a large model listens, and what its
// descriptions cost. See README.md.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

const RESOURCES = Number(process.argv[2] ?? 1000);
/** Clock ticks a second of `/proc/PID/stat` on Linux. */
const TICKS = 100;

const root = path.resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(path.join(tmpdir(), 'restwright-bench-'));

/** A model whose resources have eight fields, two indexes and a reference to the resource before them. */
function largeModel(resources: number): string {
  const name = (index: number): string => `r${String(index).padStart(4, '0')}s`;
  const declared = Array.from({ length: resources }, (_, index) => {
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
    return [name(index), { schema: { type: 'object', required: ['name'], properties }, indexes: ['name', 'kind'] }];
  });
  return JSON.stringify({ name: 'large', resources: Object.fromEntries(declared) }, null, 2);
}

/** A server that listens, and the processor time in seconds that it took until then. */
interface Started {
  readonly server: ChildProcess;
  readonly origin: string;
  readonly seconds: number;
}

async function start(model: string): Promise<Started> {
  const database = `sqlite:${path.join(folder, 'large.db')}`;
  const program = path.join(root, 'bin/restwright.js');
  const server = spawn(process.execPath, [program, 'serve', model, '--port', '0', '--database', database], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [announced]: unknown[] = await once(server.stdout, 'data');
  const origin = /http:\/\/[^/\s]+/.exec(String(announced))?.[0] ?? '';
  return { server, origin, seconds: readSeconds(server) };
}

/** Processor time of a process in seconds. */
function readSeconds({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

async function stop(server: ChildProcess): Promise<void> {
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  await ended;
}

/** The paths that are read while `/livez` is asked: the descriptions, and the page of the root. */
const PATHS: readonly (readonly [path: string, accept: string])[] = [
  ['/openapi.json', 'application/json'],
  ['/asyncapi.json', 'application/json'],
  ['/docs', 'text/html'],
  ['/api/v1', 'text/html'],
];

/** Reads a path for the first time, and `/livez` again and again meanwhile. */
async function measurePath({ server, origin }: Started, [target, accept]: (typeof PATHS)[number]): Promise<string> {
  const before = readSeconds(server);
  const state = { isRead: false };
  let longest = 0;
  const reading = fetch(origin + target, { headers: { accept } }).then(async (response) => {
    const { byteLength } = await response.arrayBuffer();
    state.isRead = true;
    return byteLength;
  });
  while (!state.isRead) {
    const sent = performance.now();
    await (await fetch(`${origin}/livez`)).arrayBuffer();
    longest = Math.max(longest, performance.now() - sent);
  }
  const size = ((await reading) / 1_000_000).toFixed(2);
  const seconds = (readSeconds(server) - before).toFixed(2);
  return `${target}: ${size} MB, ${seconds} s of processor with /livez, whose slowest answer took ${longest.toFixed(0)} ms`;
}

try {
  const model = path.join(folder, 'large.json');
  const text = largeModel(RESOURCES);
  writeFileSync(model, text);
  process.stdout.write(`${RESOURCES} resources, ${(text.length / 1024 / 1024).toFixed(1)} MiB of JSON\n`);
  for (const name of ['first, creates the tables', 'second', 'third']) {
    const started = await start(model);
    process.stdout.write(`${name}: ${started.seconds.toFixed(2)} s\n`);
    if (name === 'third') for (const each of PATHS) process.stdout.write(`${await measurePath(started, each)}\n`);
    await stop(started.server);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
