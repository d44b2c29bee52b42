import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import pg from 'pg';
import type { SeededRandom } from '../../store-suite/seeded-random.ts';
import { program, startProgram } from '../cli/server-process.ts';

const OLD = `{ name: store, version: 1.4.0, resources: { products: { id: client, events: full, indexes: [status], schema: { type: object, required: [title], properties: {
  title: { type: string, x-unique: true }, status: { type: string, enum: [draft, live] }, city: { type: string } } } } } }`;

const NEW = `{ name: store, version: 2.0.0, default_version: 2, resources: { products: { id: client, events: full, indexes: [status, name], schema: { type: object, required: [name], properties: {
  name: { type: string, x-unique: true }, status: { type: string, enum: [DRAFT, ACTIVE] }, place: { type: object, properties: { city: { type: string } } } } } } },
  versions: { 1.4.0: { changes: [
    { resource: products, rename: { title: name } },
    { resource: products, values: { status: { draft: DRAFT, live: ACTIVE } } },
    { resource: products, move: { city: place.city } }] } } }`;

/** Enough that rows are converted for a good part of a run. */
const ROWS = 3_000;

type Cells = readonly (readonly unknown[])[];

/** The rows of each version, written apart from the server: the columns that it has, and their values. */
const ORACLE: Readonly<Record<string, { readonly columns: readonly string[]; readonly rows: Cells }>> = {
  '1.4.0': {
    columns: ['id', 'title', 'status', 'city'],
    rows: Array.from({ length: ROWS }, (_, at) => [
      idAt(at),
      `Lamp ${at}`,
      at % 2 === 0 ? 'draft' : 'live',
      at % 3 === 0 ? null : `City ${at % 7}`,
    ]),
  },
  '2.0.0': {
    columns: ['id', 'name', 'status', 'place'],
    rows: Array.from({ length: ROWS }, (_, at) => [
      idAt(at),
      `Lamp ${at}`,
      at % 2 === 0 ? 'DRAFT' : 'ACTIVE',
      at % 3 === 0 ? null : { city: `City ${at % 7}` },
    ]),
  },
};

function idAt(at: number): string {
  return `p${String(at).padStart(6, '0')}`;
}

/** A database whose migrations are killed. */
interface KilledDatabase {
  readonly folder: string;
  /** A file, or the URL of a schema. */
  readonly database: string;
}

/** Counts of rounds, by what the killed process left. */
export interface KillCounts {
  before: number;
  after: number;
  ended: number;
}

/**
 * Migrates a database there and back again, and kills each migration at a random moment. The database then has all rows
 * of one version. The next migration completes.
 */
export async function killMigrations(
  { folder, database }: KilledDatabase,
  rounds: number,
  random: SeededRandom,
): Promise<KillCounts> {
  for (const [name, text] of [
    ['old', OLD],
    ['new', NEW],
  ] as const)
    writeFileSync(path.join(folder, `${name}.yaml`), text);
  const { columns, rows } = ORACLE['1.4.0'] ?? assert.fail();
  const lines = rows.map((row) => JSON.stringify(Object.fromEntries(columns.map((name, at) => [name, row[at]]))));
  writeFileSync(path.join(folder, 'rows.ndjson'), lines.join('\n'));
  await run(folder, ['import', 'old.yaml', 'products', 'rows.ndjson', '--database', database]);
  const counts: KillCounts = { before: 0, after: 0, ended: 0 };
  let longest = 0;
  for (let round = -1; round < rounds; round += 1) {
    const [from, to] = round % 2 === 0 ? ['1.4.0', '2.0.0'] : ['2.0.0', '1.4.0'];
    const command = ['migrate', 'new.yaml', '--to', to, '--database', database, '--apply'];
    if (round === -1) {
      // The first run is not killed: it shows how long one takes.
      await run(folder, command.with(3, '2.0.0'));
      const start = process.hrtime.bigint();
      await run(folder, command);
      longest = Number((process.hrtime.bigint() - start) / 1_000_000n);
      continue;
    }
    const child = startProgram(folder, [program, ...command]);
    await Promise.race([setTimeout(longest / 5 + random.integer(longest)), child.exited]);
    child.child.kill('SIGKILL');
    const ended = (await child.exited) === 0;
    const version = await checkWhole(database);
    assert.ok(version === from || version === to, version);
    assert.ok(!ended || version === to, child.stderr());
    counts[ended ? 'ended' : version === from ? 'before' : 'after'] += 1;
    await run(folder, command);
    assert.equal(await checkWhole(database), to);
  }
  return counts;
}

async function run(folder: string, args: readonly string[]): Promise<string> {
  const child = startProgram(folder, [program, ...args]);
  assert.equal(await child.exited, 0, `${args.join(' ')}\n${child.stderr()}`);
  return child.stdout();
}

/** Fails unless a database has all rows of one version. @returns the version that it records */
async function checkWhole(database: string): Promise<string> {
  const query = database.startsWith('postgres:') ? readPostgres : readSqlite;
  const [[version] = []] = await query(database, "select value from restwright_meta where name = 'contract'");
  const { columns, rows } = ORACLE[String(version)] ?? assert.fail(`version ${String(version)}`);
  const found = await query(database, `select ${columns.join(', ')} from products order by id`);
  assert.deepEqual(
    found.map((row) => row.map(parseCell)),
    rows,
  );
  return String(version);
}

/** An object, as both stores have it. */
function parseCell(cell: unknown): unknown {
  return typeof cell === 'string' && cell.startsWith('{') ? JSON.parse(cell) : cell;
}

async function readSqlite(file: string, text: string): Promise<Cells> {
  const database = new Database(file);
  try {
    return database.prepare<unknown[], unknown[]>(text).raw().all();
  } finally {
    database.close();
  }
}

async function readPostgres(database: string, text: string): Promise<Cells> {
  const url = new URL(database);
  const schema = url.searchParams.get('schema') ?? 'public';
  url.searchParams.delete('schema');
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    await client.query(`set search_path to "${schema}"`);
    return (await client.query<unknown[]>({ text, rowMode: 'array' })).rows;
  } finally {
    await client.end();
  }
}
