// `node bench/large-model/run.ts [resources]`: processor time until a server with a large model listens. See README.md.
import { spawn } from 'node:child_process';
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

/** Processor time in seconds that a server takes until it listens. */
async function measureStart(model: string): Promise<number> {
  const database = `sqlite:${path.join(folder, 'large.db')}`;
  const program = path.join(root, 'bin/restwright.js');
  const server = spawn(process.execPath, [program, 'serve', model, '--port', '0', '--database', database], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(server.stdout, 'data');
  const fields = readFileSync(`/proc/${server.pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  server.kill('SIGTERM');
  await once(server, 'exit');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

try {
  const model = path.join(folder, 'large.json');
  const text = largeModel(RESOURCES);
  writeFileSync(model, text);
  process.stdout.write(`${RESOURCES} resources, ${(text.length / 1024 / 1024).toFixed(1)} MiB of JSON\n`);
  for (const start of ['first, creates the tables', 'second', 'third']) {
    process.stdout.write(`${start}: ${(await measureStart(model)).toFixed(2)} s\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
