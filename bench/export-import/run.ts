// `node bench/export-import/run.ts [rows]`: throughput and memory of import and export. See README.md.
import { spawn } from 'node:child_process';
import { createReadStream, createWriteStream, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { once } from 'node:events';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

const ROWS = Number(process.argv[2] ?? 1_000_000);
const MODEL = `
name: bench
version: 1.0.0
resources:
  products:
    schema:
      type: object
      required: [name, price]
      properties:
        name: { type: string, minLength: 1 }
        price: { type: string, format: decimal, x-scale: 2 }
        category: { type: string }
        stock: { type: integer }
        tags: { type: array, items: { type: string } }
`;
const root = path.resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(path.join(tmpdir(), 'restwright-bench-'));
const model = path.join(folder, 'bench.yaml');

interface TransferResult {
  readonly seconds: number;
  /** Peak private memory in the first tenth and in the rest of the run, in MiB. */
  readonly early: number;
  readonly peak: number;
}

/** Private memory of a process, without mapped files, in MiB. */
function privateMemory(pid: number): number {
  try {
    return Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Samples the memory of a process until a promise settles. */
async function measureMemory(pid: number, work: Promise<unknown>): Promise<TransferResult> {
  const start = performance.now();
  const samples: number[] = [];
  const timer = setInterval(() => samples.push(privateMemory(pid)), 50);
  await work;
  clearInterval(timer);
  const tenth = Math.ceil(samples.length / 10);
  return {
    seconds: (performance.now() - start) / 1000,
    early: Math.max(...samples.slice(0, tenth)),
    peak: Math.max(...samples.slice(tenth)),
  };
}

function restwright(...args: readonly string[]): ReturnType<typeof spawn> {
  return spawn(process.execPath, [path.join(root, 'bin/restwright.js'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function runCommand(...args: readonly string[]): Promise<TransferResult> {
  const child = restwright(...args);
  child.stdout?.resume();
  return measureMemory(child.pid ?? 0, once(child, 'exit'));
}

/** Starts a server, posts the file as NDJSON and reads one result per line. */
async function postRows(file: string, database: string): Promise<TransferResult> {
  const server = restwright('serve', model, '--port', '0', '--database', database);
  const [line] = (await once(server.stdout ?? process.stdin, 'data')) as [Buffer];
  const url = `${/http:\S+/.exec(line.toString())?.[0] ?? ''}/v1/products`;
  const request = http.request(url, { method: 'POST', headers: { 'Content-Type': 'application/x-ndjson' } });
  createReadStream(file).pipe(request);
  const run = await measureMemory(server.pid ?? 0, countResults(request));
  server.kill('SIGTERM');
  await once(server, 'exit');
  return run;
}

async function countResults(request: http.ClientRequest): Promise<void> {
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  let lines = 0;
  for await (const chunk of response) lines += (chunk as Buffer).toString().split('\n').length - 1;
  if (response.statusCode !== 200 || lines !== ROWS) throw new Error(`${response.statusCode}, ${lines} results`);
}

async function writeRows(file: string): Promise<void> {
  const output = createWriteStream(file);
  for (let row = 0; row < ROWS; row++) {
    const line = JSON.stringify({
      name: `Product ${row}`,
      price: `${row % 1000}.99`,
      category: `c${row % 50}`,
      stock: row % 97,
      tags: ['a', `t${row % 7}`],
    });
    if (!output.write(`${line}\n`)) await once(output, 'drain');
  }
  output.end();
  await once(output, 'finish');
}

try {
  await import('node:fs/promises').then(({ writeFile }) => writeFile(model, MODEL));
  const source = path.join(folder, 'rows.ndjson');
  await writeRows(source);
  const database = `sqlite:${path.join(folder, 'in.db')}`;
  const table: (readonly [string, TransferResult])[] = [];
  table.push([
    '`POST` of NDJSON, one result per line',
    await postRows(source, `sqlite:${path.join(folder, 'posted.db')}`),
  ]);
  table.push(['`import` of NDJSON', await runCommand('import', model, 'products', source, '--database', database)]);
  for (const format of ['ndjson', 'json', 'csv']) {
    const file = path.join(folder, `out.${format}`);
    table.push([
      `\`export\` as ${format.toUpperCase()}`,
      await runCommand('export', model, 'products', file, '--database', database),
    ]);
    if (format !== 'ndjson') {
      const target = `sqlite:${path.join(folder, `${format}.db`)}`;
      table.push([
        `\`import\` of ${format.toUpperCase()}`,
        await runCommand('import', model, 'products', file, '--database', target),
      ]);
    }
    process.stderr.write(`${format}: ${statSync(file).size} bytes\n`);
  }
  process.stdout.write(
    '| operation | rows/s | peak MiB in the first tenth | peak MiB after |\n| --- | ---: | ---: | ---: |\n',
  );
  for (const [operation, { seconds, early, peak }] of table) {
    process.stdout.write(
      `| ${operation} | ${Math.round(ROWS / seconds).toLocaleString('en-US')} | ${Math.round(early)} | ${Math.round(peak)} |\n`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
