// `node bench/writer-thread/run.ts`: compares commits on the request thread with a writer thread. See README.md.
import path from 'node:path';
import process from 'node:process';
import { type LoadResult, wrk } from '../compare/wrk.ts';
import { SERIAL, type LoadRequest } from '../compare/requests.ts';
import { startServer } from '../server.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const ROUNDS = 5;
const SECONDS = 3;
const SYNC_DELAYS = [0, 5];
const THREADS = ['request', 'writer'];
const folder = temporaryFolder();

const post: LoadRequest = { method: 'POST', path: '/', body: JSON.stringify({ sku: SERIAL }) };
const get: LoadRequest = { method: 'GET', path: '/none' };

/** Concurrent loads with their numbers of connections. The result is that of the first. */
const workloads: readonly { readonly name: string; readonly loads: readonly (readonly [LoadRequest, number])[] }[] = [
  { name: '32 writers', loads: [[post, 32]] },
  { name: 'one writer', loads: [[post, 1]] },
  {
    name: '8 readers with 32 concurrent writers',
    loads: [
      [get, 8],
      [post, 32],
    ],
  },
  {
    name: '32 writers with 8 concurrent readers',
    loads: [
      [post, 32],
      [get, 8],
    ],
  },
];

interface RoundResult extends LoadResult {
  /** Microseconds of CPU time per response of all loads. */
  readonly cpu: number;
}

async function runRound(
  { loads }: (typeof workloads)[number],
  place: string,
  slow: number,
  number: number,
): Promise<RoundResult> {
  const file = path.join(folder, `${place}-${slow}-${number}.db`);
  const args = [path.join(import.meta.dirname, 'server.ts'), file, place, String(slow)];
  const server = await startServer({
    args,
    path: '/none',
    compileCache: path.join(folder, 'compiled'),
    allProcessors: true,
  });
  try {
    const before = server.cpu();
    const loadResults = await Promise.all(
      loads.map(([request, connections]) =>
        wrk(server.port, { requests: [request], start: 0, connections, seconds: SECONDS }),
      ),
    );
    const responses = loadResults.reduce((sum, each) => sum + each.responses, 0);
    const [first] = loadResults;
    if (first === undefined) throw new Error('no load was measured');
    return { ...first, cpu: (server.cpu() - before) / responses };
  } finally {
    await server.stop();
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

process.stdout.write(
  '| workload | added sync delay, ms | thread | /s | p99, ms | CPU time, µs |\n| --- | ---: | --- | ---: | ---: | ---: |\n',
);
let number = 0;
for (const work of workloads) {
  for (const slow of SYNC_DELAYS) {
    const results = THREADS.map((): RoundResult[] => []);
    for (let at = 0; at < ROUNDS; at += 1) {
      for (const [index, place] of THREADS.entries())
        results[index]?.push(await runRound(work, place, slow, (number += 1)));
    }
    for (const [index, place] of THREADS.entries()) {
      const of = (read: (each: RoundResult) => number): number => median((results[index] ?? []).map(read));
      const cells = [
        work.name,
        slow,
        place,
        Math.round(of(({ perSecond }) => perSecond)).toLocaleString('en'),
        of(({ p99 }) => p99).toFixed(1),
        Math.round(of(({ cpu }) => cpu)),
      ];
      process.stdout.write(`| ${cells.join(' | ')} |\n`);
    }
  }
}
