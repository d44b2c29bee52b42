// `node scripts/run.mjs bench/existing/introspection.ts [tables] [rounds]`: what `init --from` takes for a database of
// many tables, as a command and by its parts. See README.md.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { writeValidModel } from '../../src/infer/valid-model.ts';
import type { DatabaseCatalogue } from '../../src/introspect/database.ts';
import { introspectDatabase } from '../../src/introspect/introspect-database.ts';
import { openPostgresCatalogue } from '../../src/stores/postgres/catalogue/postgres-catalogue.ts';
import { openSqliteCatalogue } from '../../src/stores/sqlite/catalogue/sqlite-catalogue.ts';
import { program } from '../../scripts/command.ts';
import { startOwnPostgres } from '../../test/postgres-server.ts';
import { formatCount, markdownTable } from '../compare/table.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const [TABLES = 500, ROUNDS = 5] = process.argv.slice(2).map(Number);
/** Columns of a table next to its key, its unique column, its reference and the two that are checked. */
const OTHERS = 15;

/** The statements that create a table: a key, a unique column, a reference to the table before, checks, an index. */
function createTable(number: number, key: string): string {
  const others = Array.from({ length: OTHERS }, (_, at) => `column_${at} ${['text', 'integer', 'timestamp'][at % 3]}`);
  const reference = number === 0 ? '' : ` references table_${number - 1} (id)`;
  return `create table table_${number} (id ${key}, code text not null unique, other_id integer${reference},
    status text not null default 'NEW' check (status in ('NEW', 'DONE')), amount numeric(10, 2) check (amount >= 0), ${others.join(', ')});
  create index on_two_${number} on table_${number} (status, column_0);`;
}

const statements = (key: string): string =>
  Array.from({ length: TABLES }, (_, number) => createTable(number, key)).join('\n');

/** A database of many tables. */
interface Measured {
  readonly name: string;
  readonly from: string;
  readonly open: () => Promise<DatabaseCatalogue>;
}

/** Milliseconds of each part, in the order of {@link PARTS}. */
type Times = readonly number[];

const PARTS = [
  'read the catalogue, draft the model',
  'write and check the model',
  'the command `init --from`',
] as const;

async function measure({ from, open }: Measured, folder: string): Promise<Times> {
  const start = performance.now();
  const catalogue = await open();
  const all = { schema: [], tables: [], exclude: [] };
  const draft = await introspectDatabase(catalogue, { name: 'bench', title: 'bench' }, all);
  await catalogue.close();
  const drafted = performance.now();
  writeValidModel(draft, 'schema', 'bench.yaml');
  const written = performance.now();
  const output = path.join(folder, 'bench.yaml');
  execFileSync(process.execPath, [program, 'init', '--from', from, '--output', output, '--force'], { stdio: 'pipe' });
  return [drafted - start, written - drafted, performance.now() - written];
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

const folder = temporaryFolder();
const server = await startOwnPostgres();
const url = server.url('public');
try {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(statements('integer generated always as identity primary key'));
  await client.end();
  const file = path.join(folder, 'bench.sqlite');
  const database = new DatabaseSync(file);
  database.exec(statements('integer primary key'));
  database.close();
  const databases: readonly Measured[] = [
    { name: 'PostgreSQL', from: url, open: () => openPostgresCatalogue({ url }) },
    { name: 'SQLite', from: file, open: async () => openSqliteCatalogue(file) },
  ];
  for (const each of databases) {
    const rounds: Times[] = [];
    for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measure(each, folder));
    const rows = PARTS.map((part, at) => [part, formatCount(median(rounds.map((times) => times[at] ?? 0)))]);
    process.stdout.write(`\n${each.name}, ${TABLES} tables\n\n${markdownTable(['step', 'ms'], rows)}\n`);
  }
} finally {
  await server.stop();
}
