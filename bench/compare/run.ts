// `npm run bench [-- [--quick] workload ...]`: compares a declared resource with a baseline, a handwritten route and
// other frameworks. See ../README.md.
import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { toExitCode, supportsColour } from '../../src/cli/terminal/terminal.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { parseArguments } from './arguments.ts';
import { chart } from './chart.ts';
import { replaceBetween } from './markers.ts';
import { installPeers } from './peers.ts';
import { planRun, countSteps } from './run-plan.ts';
import { showProgress } from './progress.ts';
import { chartGroups, report, type Results } from './report.ts';
import { executeRun } from './execute-run.ts';
import { CONTENDERS } from './contenders.ts';
import { installedVersions } from './versions.ts';

const bench = path.dirname(import.meta.dirname);

/** @param args command-line arguments @param now start of the run */
async function run(args: readonly string[], now: Date): Promise<void> {
  const parsed = parseArguments(args);
  const contenders = await installPeers(CONTENDERS, (line) => void process.stderr.write(`${line}\n`));
  const plan = planRun(parsed, contenders);
  const progress = showProgress(countSteps(plan), process.stderr, supportsColour(process.stderr, process.env));
  const measured = await executeRun(plan, temporaryFolder(), progress);
  progress.end();
  const day = now.toISOString().slice(0, 10);
  const { rounds, seconds } = plan;
  const environment = `${day}, ${os.availableParallelism()} shared cores, median of ${rounds} rounds of ${seconds} s; ${installedVersions(contenders).join(', ')}.`;
  const results = { ...measured, environment };
  process.stdout.write(`${report(results)}\n`);
  if (parsed.complete) writeResults(results);
  else process.stderr.write('partial run: bench/README.md is unchanged\n');
}

function writeResults(results: Results): void {
  const file = path.join(bench, 'README.md');
  writeFileSync(path.join(bench, 'results.svg'), chart(chartGroups(results), 'responses per second of each server'));
  writeFileSync(file, replaceBetween(readFileSync(file, 'utf8'), 'results', report(results)));
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(toExitCode(signal)));
try {
  await run(process.argv.slice(2), new Date());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
