// `node scripts/run.mjs bench/existing/run.ts [rows] [rounds] [seconds]`: the same rows in own tables, in a table that
// exists, and behind a handwritten server. See README.md.
import path from 'node:path';
import process from 'node:process';
import { startOwnPostgres } from '../../test/postgres-server.ts';
import { MODEL } from '../compare/contenders.ts';
import { createDatasets, type Datasets } from '../compare/datasets.ts';
import { measureWorkload, type Measurements, type RunningServer } from '../compare/measure.ts';
import { buildPrograms, bundle, type Programs } from '../compare/programs.ts';
import { FASTIFY, RESTWRIGHT } from '../compare/query-dialect.ts';
import { formatCount, markdownTable } from '../compare/table.ts';
import { WORKLOADS } from '../compare/workloads.ts';
import type { WorkloadId } from '../compare/workload-id.ts';
import { copyProducts, handUrl } from '../postgres/copy-products.ts';
import { importProducts } from '../postgres/import-products.ts';
import { startContender } from '../postgres/start-contender.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const [ROWS = 100_000, ROUNDS = 5, SECONDS = 2] = process.argv.slice(2).map(Number);
const READS: readonly WorkloadId[] = [
  'by-id',
  'by-id-alone',
  'page',
  'pages',
  'filtered',
  'filtered-pages',
  'not-modified',
];
const WRITES: readonly WorkloadId[] = ['patch', 'patch-alone'];

/** The schema of own tables. The server writes that of its name next to tables that exist. */
const OWN = 'own';

/** The servers of one database: own tables, a table that exists, and the handwritten server. */
interface Compared {
  readonly own: readonly string[];
  readonly existing: readonly string[];
  readonly hand: readonly string[];
  readonly data: Pick<Datasets, 'ids' | 'numbers'>;
  readonly workloads: readonly WorkloadId[];
}

const folder = temporaryFolder();
const programs = await buildPrograms(folder);

function serve(model: string, database: string, ...others: readonly string[]): readonly string[] {
  return [programs.restwright, 'serve', model, '--port', '0', '--database', database, ...others];
}

function existingModel(name: string): string {
  return path.join(import.meta.dirname, `${name}.yaml`);
}

async function measure(title: string, { own, existing, hand, data, workloads }: Compared): Promise<void> {
  const servers: readonly RunningServer[] = [
    await startContender(folder, 'restwright', { dialect: RESTWRIGHT, keys: 'ids', args: own }),
    await startContender(folder, 'existing', { dialect: RESTWRIGHT, keys: 'numbers', args: existing }),
    await startContender(folder, 'fastify', { dialect: FASTIFY, keys: 'numbers', args: hand }),
  ];
  const plan = { rounds: ROUNDS, seconds: SECONDS };
  const rows: (readonly string[])[] = [];
  for (const workload of WORKLOADS.filter(({ id }) => workloads.includes(id))) {
    process.stderr.write(`${title}: ${workload.title}\n`);
    rows.push(
      listCells(workload.title, await measureWorkload(workload, servers, { data, plan, report: () => undefined })),
    );
  }
  for (const { server } of servers) await server.stop();
  const head = [
    'workload',
    'own tables /s',
    'existing /s',
    'by hand /s',
    'of own tables',
    'of by hand',
    'µs, own',
    'µs, existing',
    'µs, by hand',
  ];
  process.stdout.write(`${title}\n\n${markdownTable(head, rows)}\n\n`);
}

function listCells(title: string, measurements: Measurements): readonly string[] {
  const found = (['restwright', 'existing', 'fastify'] as const).map((id) => measurements.get(id));
  const [own = Number.NaN, existing = Number.NaN, hand = Number.NaN] = found.map((each) => each?.perSecond);
  const ratios = [existing / own, existing / hand].map((ratio) => ratio.toFixed(2));
  return [title, ...[own, existing, hand].map(formatCount), ...ratios, ...found.map((each) => formatCount(each?.cpu))];
}

async function measurePostgres(): Promise<void> {
  const settings = ['fsync=on', 'full_page_writes=on', 'shared_buffers=256MB'];
  const postgres = await startOwnPostgres(null, { settings });
  try {
    const url = postgres.url(OWN);
    await importProducts(url, ROWS);
    const data = await copyProducts(url, OWN);
    const own = serve(MODEL, url);
    const existing = serve(existingModel('postgres'), postgres.url('by_hand'));
    const hand = [await bundle(path.join(folder, 'postgres'), '../postgres/fastify-server'), handUrl(postgres)];
    const reads = { own, existing: [...existing, '--read-only'], hand, data, workloads: READS };
    await measure('PostgreSQL', reads);
    await measure('PostgreSQL, writes', { ...reads, existing, workloads: WRITES });
  } finally {
    await postgres.stop();
  }
}

async function measureSqlite({ fastify }: Programs): Promise<void> {
  const data = await createDatasets(folder, MODEL);
  const table = (name: string): string => data.table(name, { id: 'integer', time: 'integer' });
  await measure('SQLite', {
    own: serve(MODEL, `sqlite:${data.restwright}`),
    existing: serve(existingModel('sqlite'), table('existing'), '--read-only'),
    hand: [fastify, table('by-hand'), 'bare'],
    data,
    workloads: READS,
  });
}

await measurePostgres();
await measureSqlite(programs);
