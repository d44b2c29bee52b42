// `node scripts/run.mjs bench/postgres/run.ts [rows] [rounds] [seconds]`: Restwright on PostgreSQL beside a handwritten
// server. See README.md.
import process from 'node:process';
import { startOwnPostgres } from '../../test/postgres-server.ts';
import { MODEL } from '../compare/contenders.ts';
import { measureWorkload, type Measurements, type RunningServer } from '../compare/measure.ts';
import { buildPrograms, bundle } from '../compare/programs.ts';
import { FASTIFY, pagePath, RESTWRIGHT } from '../compare/query-dialect.ts';
import { sendRequest } from '../compare/send-request.ts';
import { formatCount, markdownTable } from '../compare/table.ts';
import { type Workload, WORKLOADS } from '../compare/workloads.ts';
import type { WorkloadId } from '../compare/workload-id.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { copyProducts, handUrl } from './copy-products.ts';
import { importProducts } from './import-products.ts';
import { startContender } from './start-contender.ts';

const [ROWS = 100_000, ROUNDS = 5, SECONDS = 2] = process.argv.slice(2).map(Number);

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

const folder = temporaryFolder();
const postgres = await startOwnPostgres(null, {
  settings: ['fsync=on', 'full_page_writes=on', 'shared_buffers=256MB'],
});
try {
  const programs = await buildPrograms(folder);
  const byHand = await bundle(folder, '../postgres/fastify-server');
  await importProducts(postgres.url('restwright'), ROWS);
  const data = await copyProducts(postgres.url('restwright'));
  const restwright = [programs.restwright, 'serve', MODEL, '--port', '0', '--database', postgres.url('restwright')];
  const servers: readonly RunningServer[] = await Promise.all([
    startContender(folder, 'restwright', { dialect: RESTWRIGHT, keys: 'ids', args: restwright }),
    startContender(folder, 'fastify', { dialect: FASTIFY, keys: 'numbers', args: [byHand, handUrl(postgres)] }),
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
