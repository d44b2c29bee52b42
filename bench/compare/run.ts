// `npm run bench [-- [--quick] work ...]`: a declared resource beside the floor and the route that is written by hand. See ../README.md.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { exitCodeOf, mayColour } from '../../src/cli/terminal.ts';
import { type ServerStart, startServer } from '../server.ts';
import { type Arguments, parseArguments } from './arguments.ts';
import { coldStarts } from './cold-start.ts';
import { type Data, fill, ROWS } from './data.ts';
import { replaceBetween } from './markers.ts';
import { measure, type Running } from './measure.ts';
import { installed } from './peers.ts';
import { type Progress, showProgress } from './progress.ts';
import { count, report, type Results } from './report.ts';
import { MODEL, type Side, SIDES } from './sides.ts';
import { versions } from './versions.ts';
import { WORKS } from './works.ts';

const README = path.resolve(import.meta.dirname, '../README.md');
const FULL = { rounds: 5, seconds: 2, starts: 7 };
const QUICK = { rounds: 3, seconds: 1, starts: 1 };

/** @param now when the run begins */
async function run(args: Arguments, now: Date, folder: string): Promise<string> {
  const extent = args.quick ? QUICK : FULL;
  const works = WORKS.filter(({ id }) => args.wanted.has(id));
  const sides = await installed(SIDES, (line) => void process.stderr.write(`${line}\n`));
  const steps = sides.length * (works.length * extent.rounds + (args.wanted.has('cold-start') ? extent.starts + 1 : 0));
  const progress = showProgress(steps, process.stderr, mayColour(process.stderr, process.env));
  progress.line(`writing ${count(ROWS)} products ...`);
  const data = await fill(folder, MODEL);
  const startOf = (side: Side): ServerStart => startOn(side, data, folder);
  const cold = args.wanted.has('cold-start')
    ? await coldStarts(sides, extent.starts, startOf, (side) => progress.step(`cold start: ${side}`))
    : new Map();
  const all = await Promise.all(sides.map(async (side) => ({ side, server: await startServer(startOf(side)) })));
  const measured: Results['works'] = await compare(works, all, data, extent, progress);
  const memory = new Map(args.wanted.has('memory') ? all.map(({ side, server }) => [side.id, server.memory()]) : []);
  await Promise.all(all.map(({ server }) => server.stop()));
  progress.end();
  const circumstances = `${now.toISOString().slice(0, 10)}, ${os.availableParallelism()} shared cores, ${extent.rounds} rounds of ${extent.seconds} s; ${versions(sides).join(', ')}.`;
  return report({ sides, works: measured, coldStarts: cold, memory, circumstances });
}

function startOn(side: Side, data: Data, folder: string): ServerStart {
  const path1 = `${side.dialect.collection}/${data.ids[0] ?? ''}`;
  return { args: side.args(data), path: path1, compiled: path.join(folder, 'compiled', side.id) };
}

async function compare(
  works: typeof WORKS,
  all: readonly Running[],
  { ids }: Data,
  extent: typeof FULL,
  progress: Progress,
): Promise<Results['works']> {
  const measured: { work: (typeof works)[number]; measures: Awaited<ReturnType<typeof measure>> }[] = [];
  for (const work of works) {
    const measures = await measure(work, all, ids, extent, (side) => progress.step(`${work.title}: ${side}`));
    measured.push({ work, measures });
    const told = all.map(({ side }) => `${side.name} ${count(measures.get(side.id)?.perSecond)}`);
    progress.line(`${work.title}: ${told.join(', ')}`);
  }
  return measured;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(exitCodeOf(signal)));
const args = parseArguments(process.argv.slice(2));
const folder = mkdtempSync(path.join(os.tmpdir(), 'restwright-bench-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
const told = await run(args, new Date(), folder);
process.stdout.write(`${told}\n`);
if (args.whole) writeFileSync(README, replaceBetween(readFileSync(README, 'utf8'), 'results', told));
else process.stderr.write('a part of the whole: bench/README.md is left as it is\n');
