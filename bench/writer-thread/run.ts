// `node bench/writer-thread/run.ts`: commits on the thread that answers beside a writer thread. See README.md.
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

/** What is loaded at the same time, with how many connections; the first is told. */
const workloads: readonly { readonly name: string; readonly loads: readonly (readonly [LoadRequest, number])[] }[] = [
  { name: '32 writers', loads: [[post, 32]] },
  { name: 'one writer', loads: [[post, 1]] },
  {
    name: '8 readers beside 32 writers',
    loads: [
      [get, 8],
      [post, 32],
    ],
  },
  {
    name: '32 writers beside 8 readers',
    loads: [
      [post, 32],
      [get, 8],
    ],
  },
];

interface RoundResult extends LoadResult {
  /** Microseconds of processor time for each answer of all loads. */
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
    const results = await Promise.all(
      loads.map(([request, connections]) =>
        wrk(server.port, { requests: [request], start: 0, connections, seconds: SECONDS }),
      ),
    );
    const answers = results.reduce((sum, each) => sum + each.responses, 0);
    const [first] = results;
    if (first === undefined) throw new Error('nothing was loaded');
    return { ...first, cpu: (server.cpu() - before) / answers };
  } finally {
    await server.stop();
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

process.stdout.write(
  '| work | sync beside, ms | thread | /s | p99, ms | processor time, µs |\n| --- | ---: | --- | ---: | ---: | ---: |\n',
);
let number = 0;
for (const work of workloads) {
  for (const slow of SYNC_DELAYS) {
    const told = THREADS.map((): RoundResult[] => []);
    for (let at = 0; at < ROUNDS; at += 1) {
      for (const [index, place] of THREADS.entries())
        told[index]?.push(await runRound(work, place, slow, (number += 1)));
    }
    for (const [index, place] of THREADS.entries()) {
      const of = (read: (each: RoundResult) => number): number => median((told[index] ?? []).map(read));
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
