// `npm test` (check, then every test but the slow ones), `npm run test:all` (the slow ones too). Arguments after `--`
// narrow the run to the test files whose path contains one of them, and leave the check out.
import { globSync, mkdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { buildPackage } from './bundle.ts';
import { buildConsole, root, run } from './command.ts';
import { measureProcessorTime, readProcessorTimes, RECORDS } from './processor-time.ts';
import { type FailedFile, judgeRun, selectSecondRuns } from './second-chance.ts';
import { groupedFiles, longestFirst, withoutRepeated } from './test-groups.ts';
import { runFiles, type RunOptions } from './test-run.ts';

const SECOND = 1000;

const DEAREST_SHOWN = 40;

/** A part of the tests with more files runs in groups, and starts a built command in place of the sources. */
const FEW = 10;

/** The check runs it. */
const ARCHITECTURE = 'test/architecture.test.ts';

const [mode, ...filters] = process.argv.slice(2);
if (mode !== 'daily' && mode !== 'all') throw new Error('usage: scripts/test.ts daily|all [part of a path ...]');

const options: RunOptions = {
  // One file more than there are cores: the runner itself counts as one in Node's own default, which leaves a core
  // idle.
  concurrency: availableParallelism() + 1,
  timeout: (mode === 'all' ? 300 : 60) * SECOND,
  // A test may run the whole HTTP suite.
  silence: (mode === 'all' ? 930 : 240) * SECOND,
};

const found = globSync('test/**/*.test.ts', { cwd: root })
  .filter((file) => mode === 'all' || !file.endsWith('.slow.test.ts'))
  .filter((file) => (filters.length === 0 ? file !== ARCHITECTURE : filters.some((filter) => file.includes(filter))))
  .sort()
  .map((file) => path.join(root, file));
const files = withoutRepeated(found);

/** A name for what this run writes: two parts of the tests can run at the same time. */
const way = [mode, ...filters]
  .join('-')
  .replaceAll(/[^\w-]+/g, '-')
  .slice(0, 100);
const records = path.join(root, '.cache', 'processor-times', way);
mkdirSync(path.dirname(records), { recursive: true });
rmSync(records, { force: true });
process.env[RECORDS] = records;
// Laws have more cases in all: `test/extent.ts` reads it.
process.env['RESTWRIGHT_TEST_EXTENT'] = mode;
// The cache lets processes share compiled modules.
process.env['NODE_COMPILE_CACHE'] ??= path.join(root, '.cache', 'compiled');

const checked = filters.length > 0 || run(process.execPath, ['scripts/check.ts']);
const passed = files.length > 0 && (await runTests());
if (files.length === 0) process.stderr.write('FAILED: no test file matches\n');
if (!checked) process.stderr.write('FAILED: npm run check\n');
process.exitCode = checked && passed ? 0 : 1;

/** Runs the files, and in CI once more each slow file that failed. @returns true if no file failed in its last run */
async function runTests(): Promise<boolean> {
  if (files.length > FEW) await buildProgram(path.join(root, '.cache', 'programs', way));
  const first = await runFiles(files.length > FEW ? groupedFiles(files, way) : longestFirst(files), options);
  const problems = [...first.problems];
  const second = new Map<string, readonly string[]>();
  // A run that fails anyway needs no second chance.
  const again = problems.length === 0 ? selectSecondRuns(first.failed, process.env['CI'] === 'true') : [];
  for (const file of again) {
    process.stdout.write(`\n${path.relative(root, file)} failed. It runs once more, alone.\n`);
    const result = await runFiles([file], { ...options, concurrency: 1 });
    second.set(
      file,
      result.failed.flatMap(({ errors }) => errors),
    );
    problems.push(...result.problems);
  }
  printDearest(first.durations);
  const { failed, flaky } = judgeRun(first.failed, second);
  printFlaky(flaky);
  for (const { file, errors } of failed)
    process.stderr.write(`FAILED: ${path.relative(root, file)} (${errors.length} errors)\n`);
  for (const problem of problems) process.stderr.write(`FAILED: ${problem}\n`);
  return failed.length === 0 && problems.length === 0;
}

/** Builds the command that tests start, and in `all` the console that it serves. */
async function buildProgram(folder: string): Promise<void> {
  process.env['RESTWRIGHT_BUILT_PROGRAM'] = await buildPackage(folder);
  if (mode === 'all') buildConsole(path.join(folder, 'console', 'dist'));
}

/** Prints the files that failed and then passed, with the errors that would be lost otherwise. */
function printFlaky(flaky: readonly FailedFile[]): void {
  if (flaky.length === 0) return;
  process.stderr.write(`\nflaky (${flaky.length}): failed, and passed alone. List them in CONTRIBUTING.md\n`);
  for (const { file, errors } of flaky) {
    process.stderr.write(`FLAKY: ${path.relative(root, file)}\n`);
    for (const error of errors) process.stderr.write(`${error.replaceAll(/^/gm, '    ')}\n`);
  }
}

/** @param durations milliseconds by file */
function printDearest(durations: ReadonlyMap<string, number>): void {
  const times = readProcessorTimes(records);
  const dearest = [...times].toSorted(([, a], [, b]) => b - a).slice(0, DEAREST_SHOWN);
  process.stdout.write(`processor time: ${measureProcessorTime().toFixed(0)} s, of which the dearest files take\n`);
  for (const [file, seconds] of dearest) {
    const elapsed = ((durations.get(file) ?? 0) / SECOND).toFixed(1);
    process.stdout.write(`${seconds.toFixed(1).padStart(7)} s in ${elapsed} s  ${path.relative(root, file)}\n`);
  }
}
