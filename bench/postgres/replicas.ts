// `node scripts/run.mjs bench/postgres/replicas.ts [rows] [rounds] [seconds]`: pages with two replicas and without. See
// README.md.
import process from 'node:process';
import { Client } from 'pg';
import { type ControlledPostgres, startReplicated } from '../../test/postgres-server.ts';
import { MODEL } from '../compare/contenders.ts';
import { buildPrograms } from '../compare/programs.ts';
import { pagePath, type PageQuery, RESTWRIGHT } from '../compare/query-dialect.ts';
import { formatCount, markdownTable } from '../compare/table.ts';
import { wrk } from '../compare/wrk.ts';
import { type BenchServer, startServer } from '../server.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { readDatabaseCpu, readParent } from './database-cpu.ts';
import { importProducts } from './import-products.ts';

const [ROWS = 100_000, ROUNDS = 5, SECONDS = 2] = process.argv.slice(2).map(Number);
const CONNECTIONS = 32;
/** More than the categories have rows, so that each page differs. */
const PRICES = 20_000;

interface Round {
  readonly perSecond: number;
  /** Microseconds of CPU time per page: of the instance, of the primary, and of all replicas. */
  readonly instance: number;
  readonly primary: number;
  readonly replicas: number;
}

/** Uses a session with a server. */
async function withSession<T>(server: ControlledPostgres, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: server.url('restwright') });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

function findPostmaster(server: ControlledPostgres): Promise<number> {
  return withSession(server, async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    return readParent(rows[0]?.pid ?? 0);
  });
}

function median(rounds: readonly Round[], value: (round: Round) => number): number {
  return rounds.map(value).toSorted((one, other) => one - other)[Math.floor(rounds.length / 2)] ?? Number.NaN;
}

const folder = temporaryFolder();
const { primary, replicas } = await startReplicated(['shared_buffers=256MB'], [[], []]);
try {
  const { restwright } = await buildPrograms(folder);
  const url = primary.url('restwright');
  await importProducts(url, ROWS);
  const { rows: ids } = await withSession(primary, (client) =>
    client.query<{ id: string }>('select id from restwright.products order by random()'),
  );
  const postmasters = await Promise.all([primary, ...replicas].map(findPostmaster));
  const args = [restwright, 'serve', MODEL, '--port', '0', '--database', url];
  const followed = replicas.flatMap((server) => ['--replica', server.url('restwright')]);
  const start = (given: readonly string[]): Promise<BenchServer> =>
    startServer({ args: given, path: pagePath(RESTWRIGHT, {}), compileCache: folder, allProcessors: true });
  const servers = [await start(args), await start([...args, ...followed])];
  const workloads: readonly (readonly [name: string, queries: readonly PageQuery[]])[] = [
    ['page of 20, all different', ids.map(({ id }) => ({ after: id }))],
    [
      'page of 20, filtered and sorted',
      Array.from({ length: PRICES }, (_, priceFrom) => ({ priceFrom, sort: 'price' })),
    ],
  ];
  const cells: (readonly string[])[] = [];
  for (const [name, queries] of workloads) {
    const requests = queries.map((each) => ({ method: 'GET', path: pagePath(RESTWRIGHT, each) }) as const);
    const rounds = servers.map((): Round[] => []);
    for (let round = -1; round < ROUNDS; round += 1) {
      for (const [at, server] of servers.entries()) {
        const used = (): readonly number[] => [server.cpu(), ...postmasters.map(readDatabaseCpu)];
        const before = used();
        const found = await wrk(server.port, {
          requests,
          order: 'random',
          start: round + 2,
          connections: CONNECTIONS,
          seconds: SECONDS,
        });
        const [instance = 0, ofPrimary = 0, ...others] = used().map(
          (after, index) => (after - (before[index] ?? 0)) / found.responses,
        );
        const ofReplicas = others.reduce((sum, each) => sum + each, 0);
        if (round >= 0)
          rounds[at]?.push({ perSecond: found.perSecond, instance, primary: ofPrimary, replicas: ofReplicas });
      }
    }
    for (const [at, of] of ['none', 'two'].entries()) {
      const measured = (value: (round: Round) => number): string => formatCount(median(rounds[at] ?? [], value));
      cells.push([
        name,
        of,
        measured(({ perSecond }) => perSecond),
        measured(({ instance }) => instance),
        measured((round) => round.primary),
        measured((round) => round.replicas),
      ]);
    }
  }
  await Promise.all(servers.map((server) => server.stop()));
  const head = ['workload', 'replicas', 'pages/s', 'µs of the instance', 'µs of the primary', 'µs of replicas'];
  process.stdout.write(`${markdownTable(head, cells)}\n`);
} finally {
  for (const server of [...replicas, primary]) await server.stop();
}
