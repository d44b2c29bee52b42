// `npm test` (check, then every test but the slow ones), `npm run test:all` (the slow ones too). Arguments after `--` narrow the run to
// the test files whose path contains one of them, and leave the check out.
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { run as runTests } from 'node:test';
import { spec } from 'node:test/reporters';
import { root, run } from './command.ts';
import { groupedFiles, longestFirst } from './test-groups.ts';

const SECOND = 1000;

/** One file more than there are cores: the runner itself counts as one in Node's own default, which leaves a core idle. */
const CONCURRENCY = availableParallelism() + 1;

const SLOWEST_SHOWN = 5;

/** The check runs it. */
const ARCHITECTURE = 'test/architecture.test.ts';

const [mode, ...filters] = process.argv.slice(2);
if (mode !== 'daily' && mode !== 'all') throw new Error('usage: scripts/test.ts daily|all [part of a path ...]');

/** Milliseconds that one test may take. */
const timeout = (mode === 'all' ? 300 : 60) * SECOND;

/** Milliseconds without output after which the run fails: longer than any test may take, also one that runs the whole HTTP suite. */
const silence = (mode === 'all' ? 930 : 240) * SECOND;

const files = globSync('test/**/*.test.ts', { cwd: root })
  .filter((file) => mode === 'all' || !file.endsWith('.slow.test.ts'))
  .filter((file) => (filters.length === 0 ? file !== ARCHITECTURE : filters.some((filter) => file.includes(filter))))
  .sort()
  .map((file) => path.join(root, file));

// The cache lets processes share compiled modules.
process.env['NODE_COMPILE_CACHE'] ??= path.join(root, '.cache', 'compiled');

const checked = filters.length > 0 || run(process.execPath, ['scripts/check.ts']);
const failures =
  files.length === 0
    ? ['no test file matches']
    : await runFiles(filters.length === 0 ? groupedFiles(files, mode) : longestFirst(files));
for (const failure of failures) process.stderr.write(`FAILED: ${failure}\n`);
if (!checked) process.stderr.write('FAILED: npm run check\n');
process.exitCode = checked && failures.length === 0 ? 0 : 1;

/**
 * Runs each file in its own process, so that they share no state and a hang or crash ends only one file. A file may be a group of test files.
 * The reporter writes to standard output and closes with the counts and the slowest files.
 *
 * @returns the failures, a line each
 */
async function runFiles(testFiles: readonly string[]): Promise<readonly string[]> {
  const stop = new AbortController();
  const unfinished = new Set(testFiles);
  const durations: FileDuration[] = [];
  const found: string[] = [];
  const events = runTests({
    files: [...testFiles],
    concurrency: CONCURRENCY,
    timeout,
    signal: stop.signal,
    cwd: root,
  });
  const alarm = setTimeout(() => {
    const names = [...unfinished].map((file) => path.relative(root, file));
    found.push(
      `no output for ${silence / SECOND} s from ${names.join(', ')}: is a server, database or timer left open?`,
    );
    stop.abort();
  }, silence);
  events.on('data', () => alarm.refresh());
  events.on('test:pass', ({ name, file }) => {
    // A file without tests is reported as a test named like itself.
    if (name === file) found.push(`${path.relative(root, name)} holds no test`);
  });
  events.on('test:summary', ({ file, counts, success, duration_ms: duration }) => {
    if (file !== undefined) {
      unfinished.delete(file);
      durations.push({ file, duration });
      return;
    }
    if (!success)
      found.push(`${counts.tests - counts.passed - counts.skipped - counts.todo} of ${counts.tests} tests failed`);
    if (counts.tests === 0) found.push('no test ran');
    const left = counts.skipped + counts.todo;
    if (left > 0 && process.env['CI'] === 'true')
      found.push(`${left} tests are skipped or to do, which CI does not accept`);
  });
  await events.compose(new spec()).forEach((text: string | Buffer) => void process.stdout.write(text));
  clearTimeout(alarm);
  printSlowest(durations);
  return found;
}

interface FileDuration {
  readonly file: string;
  /** Milliseconds. */
  readonly duration: number;
}

function printSlowest(durations: readonly FileDuration[]): void {
  const slowest = durations.toSorted((a, b) => b.duration - a.duration).slice(0, SLOWEST_SHOWN);
  process.stdout.write('slowest files\n');
  for (const { file, duration } of slowest) {
    process.stdout.write(`${(duration / SECOND).toFixed(1).padStart(7)} s  ${path.relative(root, file)}\n`);
  }
}
