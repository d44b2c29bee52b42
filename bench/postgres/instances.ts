// `node scripts/run.mjs bench/postgres/instances.ts [rows] [rounds] [seconds]`: reads by id of one instance and of two.
// See README.md.
import process from 'node:process';
import { Client } from 'pg';
import { startOwnPostgres } from '../../test/postgres-server.ts';
import { MODEL } from '../compare/contenders.ts';
import { buildPrograms } from '../compare/programs.ts';
import { pagePath, RESTWRIGHT } from '../compare/query-dialect.ts';
import { formatCount, markdownTable } from '../compare/table.ts';
import { wrk } from '../compare/wrk.ts';
import { type BenchServer, startServer } from '../server.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { readDatabaseCpu, readParent } from './database-cpu.ts';
import { importProducts } from './import-products.ts';

const [ROWS = 100_000, ROUNDS = 5, SECONDS = 2] = process.argv.slice(2).map(Number);
/** Instances, and connections to each of them. */
const LOADS = [
  { instances: 1, connections: 32 },
  { instances: 2, connections: 16 },
  { instances: 2, connections: 32 },
] as const;

interface Round {
  readonly perSecond: number;
  /** Microseconds of CPU time per response: of the instances, and of PostgreSQL. */
  readonly instances: number;
  readonly database: number;
}

interface Database {
  /** The ids of its rows, in random order. */
  readonly ids: readonly string[];
  /** The process that has those of all sessions as children. */
  readonly postmaster: number;
}

async function inspect(url: string): Promise<Database> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string }>('select id from restwright.products order by random()');
    const { rows: sessions } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    return { ids: rows.map(({ id }) => id), postmaster: readParent(sessions[0]?.pid ?? 0) };
  } finally {
    await client.end();
  }
}

async function load(
  servers: readonly BenchServer[],
  connections: number,
  { ids, postmaster }: Database,
): Promise<Round> {
  const requests = ids.map((id) => ({ method: 'GET', path: `/api/v1/products/${id}` }) as const);
  const used = (): readonly number[] => [
    servers.reduce((sum, server) => sum + server.cpu(), 0),
    readDatabaseCpu(postmaster),
  ];
  const before = used();
  const results = await Promise.all(
    servers.map(({ port }, index) =>
      wrk(port, {
        requests,
        order: 'random',
        start: index + 1,
        connections,
        seconds: SECONDS,
      }),
    ),
  );
  const responses = results.reduce((sum, each) => sum + each.responses, 0);
  const [instances = 0, database = 0] = used().map((after, index) => (after - (before[index] ?? 0)) / responses);
  return { perSecond: results.reduce((sum, each) => sum + each.perSecond, 0), instances, database };
}

function median(rounds: readonly Round[], value: (round: Round) => number): number {
  return rounds.map(value).toSorted((one, other) => one - other)[Math.floor(rounds.length / 2)] ?? Number.NaN;
}

const folder = temporaryFolder();
const postgres = await startOwnPostgres(null, { settings: ['shared_buffers=256MB'] });
try {
  const { restwright } = await buildPrograms(folder);
  const url = postgres.url('restwright');
  await importProducts(url, ROWS);
  const database = await inspect(url);
  const args = [restwright, 'serve', MODEL, '--port', '0', '--database', url];
  const start = (): Promise<BenchServer> =>
    startServer({ args, path: pagePath(RESTWRIGHT, {}), compileCache: folder, allProcessors: true });
  const servers = [await start(), await start()];
  const rounds = LOADS.map((): Round[] => []);
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const [index, { instances, connections }] of LOADS.entries()) {
      const measured = await load(servers.slice(0, instances), connections, database);
      if (round >= 0) rounds[index]?.push(measured);
    }
  }
  await Promise.all(servers.map((server) => server.stop()));
  const rows = LOADS.map(({ instances, connections }, index) => {
    const of = (value: (round: Round) => number): string => formatCount(median(rounds[index] ?? [], value));
    return [
      String(instances),
      String(connections),
      of(({ perSecond }) => perSecond),
      of((round) => round.instances),
      of((round) => round.database),
    ];
  });
  const head = ['instances', 'connections to each', 'reads/s', 'µs of the instances', 'µs of PostgreSQL'];
  process.stdout.write(`${markdownTable(head, rows)}\n`);
} finally {
  await postgres.stop();
}
