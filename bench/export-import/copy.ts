// `node scripts/run.mjs bench/export-import/copy.ts [rows]`: `restwright copy` between SQLite and PostgreSQL, next to
// what each database does by itself.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { run } from '../../src/cli/program.ts';
import { loadModel } from '../../src/model/compile/load-model.ts';
import { startApi } from '../../src/start-api.ts';
import { openSession } from '../../src/stores/postgres/connection/open-session.ts';
import { selectDriver } from '../../src/stores/sqlite/driver/select-driver.ts';
import { recordedTerminal } from '../../test/cli/recorded-terminal.ts';
import { startOwnPostgres } from '../../test/postgres-server.ts';

const ROWS = Number(process.argv[2] ?? 200_000);
const BATCH = 1_000;
const MODEL = `
name: places
resources:
  cities:
    id: client
    indexes: [country]
    schema:
      type: object
      properties: { name: { type: string }, country: { type: string }, lat: { type: number }, lng: { type: number }, people: { type: integer } }
`;

const folder = mkdtempSync(path.join(tmpdir(), 'restwright-bench-'));
const server = await startOwnPostgres();
const model = path.join(folder, 'places.yaml');
writeFileSync(model, MODEL);
const of = (name: string): string => path.join(folder, name);

async function fill(database: string): Promise<void> {
  await using opened = await startApi({ model: loadModel({ text: MODEL }).model, database, dispatch: false });
  for (let start = 0; start < ROWS; start += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, ROWS - start) }, (_, at) => {
      const number = start + at;
      return {
        id: `c${number}`,
        name: `City ${number}`,
        country: `X${number % 200}`,
        lat: number / 7,
        lng: number / 9,
        people: number,
      };
    });
    await opened.api.importRows('cities', rows);
  }
}

async function measure(what: string, work: () => unknown): Promise<void> {
  const [start, before] = [performance.now(), process.cpuUsage()];
  await work();
  const seconds = (performance.now() - start) / 1_000;
  const { user, system } = process.cpuUsage(before);
  const rate = Math.round((2 * ROWS) / seconds).toLocaleString('en-US');
  process.stdout.write(`| ${what} | ${rate} | ${seconds.toFixed(1)} | ${((user + system) / 1e6).toFixed(1)} |\n`);
}

async function copy(from: string, to: string): Promise<void> {
  const terminal = recordedTerminal();
  if ((await run(['copy', model, '--from', from, '--to', to], terminal)) !== 0)
    throw new Error(terminal.written().stderr);
}

async function withinServer(): Promise<void> {
  const settings = { name: 'bench', statementTimeout: 0, lockTimeout: 0, readOnly: false };
  const session = await openSession({ url: server.url('copied') }, settings);
  for (const table of ['cities', 'restwright_events'])
    await session.script(
      `create table plain_${table} (like ${table} including all); insert into plain_${table} select * from ${table}`,
    );
  await session.script('drop table plain_cities, plain_restwright_events');
  await session.close();
}

await fill(of('first.db'));
process.stdout.write(
  '| what | rows and events/s | seconds | CPU seconds of the process |\n| --- | ---: | ---: | ---: |\n',
);
await measure('copy, SQLite to PostgreSQL', () => copy(of('first.db'), server.url('copied')));
await measure('`insert ... select` within PostgreSQL', withinServer);
await measure('copy, PostgreSQL to SQLite', () => copy(server.url('copied'), of('back.db')));
await measure('copy, SQLite to SQLite', () => copy(of('first.db'), of('same.db')));
await measure('`vacuum into` of SQLite', () => {
  const database = selectDriver(undefined).driver.open(of('first.db'), { mode: 'existing', timeout: 0 });
  database.exec(`vacuum into '${of('vacuumed.db')}'`);
  database.close();
});
await measure('import of the rows alone, with events, to SQLite', () => fill(of('imported.db')));
const { maxRSS } = process.resourceUsage();
process.stdout.write(`\npeak memory of the process: ${Math.round(maxRSS / 1_024)} MiB\n`);
await server.stop();
rmSync(folder, { recursive: true });
