// `node scripts/run.mjs bench/existing/triggers.ts [inserts] [rounds]`: what a write of another program costs with and
// without the triggers that record it. See README.md.
import process from 'node:process';
import { Client } from 'pg';
import { loadModel } from '../../src/model/compile/load-model.ts';
import { adoptTables } from '../../src/stores/postgres/triggers/adopt-tables.ts';
import { startOwnPostgres } from '../../test/postgres-server.ts';
import { formatCount, markdownTable } from '../compare/table.ts';

const [INSERTS = 2_000, ROUNDS = 7] = process.argv.slice(2).map(Number);
const BULK = 50_000;

const TABLES = ['plain', 'recorded'].map(
  (name) => `create table ${name} (id bigint generated always as identity primary key, sku text unique, name text,
    price numeric(10, 2), stock int, description text, created_at timestamptz default now())`,
);
const VALUES = `'name of a product', 12.30, 5, repeat('a description ', 8)`;

const MODEL = 'name: bench\nresources: { rows: { table: recorded, changes: triggers, schema: { type: object } } }';

type Measured = 'plain' | 'recorded';

const LABELS: Readonly<Record<keyof Costs, string>> = {
  single: 'an insert with its commit',
  bulk: `a row of a statement with ${formatCount(BULK)}`,
};

/** Microseconds of each of several inserts with their commits, and of each row of one statement. */
interface Costs {
  readonly single: number;
  readonly bulk: number;
}

async function measure(client: Client, table: Measured, round: number): Promise<Costs> {
  const insert = {
    name: table,
    text: `insert into ${table} (sku, name, price, stock, description) select $1, ${VALUES}`,
  };
  const start = performance.now();
  for (let at = 0; at < INSERTS; at += 1) await client.query({ ...insert, values: [`${round}-${at}`] });
  const middle = performance.now();
  await client.query(
    `insert into ${table} (sku, name, price, stock, description) select 'b${round}-' || i, ${VALUES} from generate_series(1, ${BULK}) as i`,
  );
  const end = performance.now();
  return { single: ((middle - start) * 1_000) / INSERTS, bulk: ((end - middle) * 1_000) / BULK };
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

/** Measures both tables on a server of its own. @param fsync true if a commit waits for the disk */
async function measureServer(fsync: boolean): Promise<readonly (readonly string[])[]> {
  const server = await startOwnPostgres(null, { settings: fsync ? ['fsync=on'] : [] });
  const url = server.url('public');
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const sql of TABLES) await client.query(sql);
    const { model } = loadModel({ text: MODEL });
    await adoptTables({ url, model, remove: false, role: null, apply: true });
    const found: Record<Measured, Costs[]> = { plain: [], recorded: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      const order: readonly Measured[] = round % 2 === 0 ? ['plain', 'recorded'] : ['recorded', 'plain'];
      for (const table of order) found[table].push(await measure(client, table, round));
      await client.query('truncate restwright.restwright_foreign_changes');
    }
    return (['single', 'bulk'] as const).map((kind) => {
      const [plain, recorded] = [found.plain, found.recorded].map((costs) => median(costs.map((each) => each[kind])));
      const ratio = ((recorded ?? 0) / (plain ?? 1)).toFixed(2);
      return [`${LABELS[kind]}, ${fsync ? 'on disk' : 'in memory'}`, formatCount(plain), formatCount(recorded), ratio];
    });
  } finally {
    await client.end();
    await server.stop();
  }
}

const rows = [...(await measureServer(true)), ...(await measureServer(false))];
process.stdout.write(`${markdownTable(['write', 'µs, without', 'µs, with triggers', 'ratio'], rows)}\n`);
