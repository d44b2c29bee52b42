// `node scripts/run.mjs bench/postgres/run.ts [rows] [rounds] [seconds]`: Restwright on PostgreSQL beside a handwritten
// server. See README.md.
import path from 'node:path';
import process from 'node:process';
import { Client } from 'pg';
import { startOwnPostgres } from '../../test/postgres-server.ts';
import { MODEL } from '../compare/contenders.ts';
import { measureWorkload, type Measurements, type RunningServer } from '../compare/measure.ts';
import { buildPrograms, bundle } from '../compare/programs.ts';
import { FASTIFY, pagePath, RESTWRIGHT } from '../compare/query-dialect.ts';
import { sendRequest } from '../compare/send-request.ts';
import { formatCount, markdownTable } from '../compare/table.ts';
import { type Workload, WORKLOADS } from '../compare/workloads.ts';
import type { WorkloadId } from '../compare/workload-id.ts';
import { startServer } from '../server.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { importProducts } from './import-products.ts';

const [ROWS = 100_000, ROUNDS = 5, SECONDS = 2] = process.argv.slice(2).map(Number);
const COLUMNS = 'sku, name, price, category, stock, status, description';

/** Targets of ratios to the handwritten server, which its README explains. */
const COMPARED: readonly WorkloadId[] = [
  'by-id',
  'by-id-hot',
  'by-id-alone',
  'pages',
  'filtered-pages',
  'post',
  'patch',
  'mixed',
];

/** A collection that did not change. */
const COLLECTION_304: Workload = {
  id: 'collection-not-modified',
  title: '304 of a page by `If-None-Match`',
  connections: 32,
  order: 'sequential',
  expects: [304],
  async requests({ dialect, port }) {
    const request = { method: 'GET', path: pagePath(dialect, {}) } as const;
    const { etag } = await sendRequest(port, request);
    return [{ ...request, headers: { 'If-None-Match': etag } }];
  },
};

/** Pages whose first rows are in a part of the collection, in the order of its ids. */
function pagesAmong(title: string, from: number, to: number): Workload {
  return {
    id: 'pages',
    title,
    connections: 32,
    order: 'sequential',
    expects: [200],
    requests: ({ dialect, ids }) => {
      const sorted = ids.toSorted().slice(from * ids.length, to * ids.length);
      return ids
        .filter((_, index) => index < sorted.length)
        .map((_, index) => ({
          method: 'GET',
          path: pagePath(dialect, { after: sorted[(index * 7919) % sorted.length] ?? '' }),
        }));
    },
  };
}

const DEPTHS: readonly Workload[] = [
  pagesAmong('pages among the first tenth', 0, 0.1),
  pagesAmong('pages among the last tenth', 0.89, 0.99),
];

/** The same rows in a table as one writes it by hand. @returns the ids of both tables in the same random order */
async function copyProducts(
  url: string,
): Promise<{ readonly ids: readonly string[]; readonly numbers: readonly string[] }> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`create schema by_hand;
      create table by_hand.products (id bigint generated always as identity primary key, sku text not null unique, name text not null,
        price double precision not null, category text not null, stock integer not null, status text not null, description text,
        created_at timestamptz not null, updated_at timestamptz not null, revision integer not null default 1);
      insert into by_hand.products (${COLUMNS}, created_at, updated_at)
        select ${COLUMNS}, now(), now() from restwright.products order by id;
      create index on by_hand.products (category, price, id);
      analyze`);
    const { rows } = await client.query<{ id: string; number: string }>(
      `select id, row_number() over (order by id)::text number from restwright.products order by random()`,
    );
    return { ids: rows.map(({ id }) => id), numbers: rows.map(({ number }) => number) };
  } finally {
    await client.end();
  }
}

const folder = temporaryFolder();
const postgres = await startOwnPostgres(null, {
  settings: ['fsync=on', 'full_page_writes=on', 'shared_buffers=256MB'],
});
try {
  const programs = await buildPrograms(folder);
  const byHand = await bundle(folder, '../postgres/fastify-server');
  await importProducts(postgres.url('restwright'), ROWS);
  const data = await copyProducts(postgres.url('restwright'));
  const handUrl = new URL(postgres.url('by_hand'));
  handUrl.searchParams.delete('schema');
  handUrl.searchParams.set('options', '-c search_path=by_hand');
  const servers: readonly RunningServer[] = await Promise.all([
    startContender('restwright', [
      programs.restwright,
      'serve',
      MODEL,
      '--port',
      '0',
      '--database',
      postgres.url('restwright'),
    ]),
    startContender('fastify', [byHand, handUrl.href]),
  ]);
  const plan = { rounds: ROUNDS, seconds: SECONDS };
  const report = (): void => undefined;
  const results: [title: string, measurements: Measurements][] = [];
  for (const workload of [...WORKLOADS.filter(({ id }) => COMPARED.includes(id)), COLLECTION_304]) {
    results.push([workload.title, await measureWorkload(workload, servers, { data, plan, report })]);
    process.stderr.write(`${workload.title}\n`);
  }
  for (const workload of DEPTHS) {
    results.push([workload.title, await measureWorkload(workload, servers, { data, plan, report })]);
  }
  await Promise.all(servers.map(({ server }) => server.stop()));
  process.stdout.write(`${table(results)}\n`);
} finally {
  await postgres.stop();
}

async function startContender(id: 'restwright' | 'fastify', args: readonly string[]): Promise<RunningServer> {
  const dialect = id === 'restwright' ? RESTWRIGHT : FASTIFY;
  const keys = id === 'restwright' ? 'ids' : 'numbers';
  const contender = { id, name: id, dialect, keys, args: () => args, package: null } as const;
  const server = await startServer({ args, path: pagePath(dialect, {}), compileCache: path.join(folder, id) });
  return { contender, server };
}

function table(results: readonly (readonly [title: string, measurements: Measurements])[]): string {
  const head = [
    'workload',
    'Restwright /s',
    'by hand /s',
    'ratio',
    'Restwright, µs of processor time',
    'by hand, µs',
    'p99, ms',
    'by hand, ms',
  ];
  return markdownTable(
    head,
    results.map(([title, measurements]) => {
      const [ours, theirs] = [measurements.get('restwright'), measurements.get('fastify')];
      const ratio = (ours?.perSecond ?? Number.NaN) / (theirs?.perSecond ?? Number.NaN);
      return [
        title,
        formatCount(ours?.perSecond),
        formatCount(theirs?.perSecond),
        ratio.toFixed(2),
        formatCount(ours?.cpu),
        formatCount(theirs?.cpu),
        (ours?.p99 ?? Number.NaN).toFixed(1),
        (theirs?.p99 ?? Number.NaN).toFixed(1),
      ];
    }),
  );
}
