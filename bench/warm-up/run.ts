// `node scripts/run.mjs bench/warm-up/run.ts [starts]`: what pages cost in the first seconds after a start. See
// README.md.
import path from 'node:path';
import process from 'node:process';
import { CONTENDERS, type Contender, MODEL } from '../compare/contenders.ts';
import { createDatasets } from '../compare/datasets.ts';
import { percentile } from '../compare/percentile.ts';
import { buildPrograms } from '../compare/programs.ts';
import type { LoadRequest } from '../compare/requests.ts';
import { markdownTable } from '../compare/table.ts';
import { WORKLOADS } from '../compare/workloads.ts';
import { wrk } from '../compare/wrk.ts';
import { type ServerOptions, startServer } from '../server.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const STARTS = Number(process.argv[2] ?? 3);
const CONNECTIONS = 32;
/** Lengths of the parts of a run in seconds, one after the other from the start. */
const PARTS = [1, 1, 1, 2, 5, 5, 5];

/** Microseconds of processor time of a page, in each part of the time since a start. */
async function measureStart(
  options: ServerOptions,
  requestsOf: (port: number) => Promise<readonly LoadRequest[]>,
): Promise<number[]> {
  const server = await startServer(options);
  const requests = await requestsOf(server.port);
  const costs: number[] = [];
  let start = 0;
  for (const seconds of PARTS) {
    const before = server.cpu();
    const { responses } = await wrk(server.port, { requests, start, connections: CONNECTIONS, seconds });
    costs.push((server.cpu() - before) / responses);
    start += responses;
  }
  await server.stop();
  return costs;
}

const workload = WORKLOADS.find(({ id }) => id === 'pages');
if (workload === undefined) throw new Error('there is no workload of pages');
const folder = temporaryFolder();
const programs = await buildPrograms(folder);
const data = await createDatasets(folder, MODEL);
const contenders = CONTENDERS.filter(({ id }) => id === 'restwright' || id === 'bare-fastify');
const measured = new Map<Contender['id'], number[][]>(contenders.map(({ id }) => [id, []]));
// The first start of each fills its compile cache and does not count.
for (let start = 0; start <= STARTS; start += 1) {
  for (const { id, dialect, keys, args } of contenders) {
    const options: ServerOptions = {
      args: args(data, programs),
      path: `${dialect.collection}/${data[keys][0] ?? ''}`,
      compileCache: path.join(folder, 'compiled', id),
    };
    const costs = await measureStart(options, async (port) => workload.requests({ dialect, ids: data[keys], port }));
    process.stderr.write(`${start}: ${id}: ${costs.map(Math.round).join(' ')}\n`);
    if (start > 0) measured.get(id)?.push(costs);
  }
}

const lines = PARTS.map((seconds, part) => {
  const end = PARTS.slice(0, part + 1).reduce((sum, each) => sum + each, 0);
  const medians = contenders.map(({ id }) => {
    const costs = (measured.get(id) ?? []).map((each) => each[part] ?? Number.NaN);
    return percentile(
      costs.toSorted((one, other) => one - other),
      0.5,
    );
  });
  return [`${end - seconds} to ${end}`, ...medians.map((median) => String(Math.round(median)))];
});
process.stdout.write(`${markdownTable(['seconds since the start', ...contenders.map(({ name }) => name)], lines)}\n`);
