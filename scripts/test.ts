// `npm test` (check, then every test but the slow ones), `npm run test:all` (the slow ones too). Arguments after `--` narrow the run to
// the test files whose path contains one of them, and leave the check out.
import { globSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { run as runTests } from 'node:test';
import { spec } from 'node:test/reporters';
import { root, run } from './command.ts';

const SECOND = 1000;

const [mode, ...filters] = process.argv.slice(2);
if (mode !== 'daily' && mode !== 'all') throw new Error('usage: scripts/test.ts daily|all [part of a path ...]');

/** How long one test may take, and how long the whole run may stay silent, in milliseconds. */
const patience = (mode === 'all' ? 300 : 60) * SECOND;

const files = globSync('test/**/*.test.ts', { cwd: root })
  .filter((file) => mode === 'all' || !file.endsWith('.slow.test.ts'))
  .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)))
  .sort()
  .map((file) => path.join(root, file));

// Each file runs in a process of its own: what one of them has compiled, the others need not compile again.
process.env['NODE_COMPILE_CACHE'] ??= path.join(root, '.cache', 'compiled');

const checked = filters.length > 0 || run(process.execPath, ['scripts/check.ts']);
const faults = files.length === 0 ? ['no test file matches'] : await faultsOf(files);
for (const fault of faults) process.stderr.write(`FAILED: ${fault}\n`);
if (!checked) process.stderr.write('FAILED: npm run check\n');
process.exitCode = checked && faults.length === 0 ? 0 : 1;

/**
 * Runs test files, each in a process of its own, as many at a time as there are processors: what one leaves behind reaches no other, and
 * one that hangs or crashes takes no other along. The reporter writes to standard output and closes with the counts.
 */
async function faultsOf(testFiles: readonly string[]): Promise<readonly string[]> {
  const stop = new AbortController();
  const unfinished = new Set(testFiles);
  const found: string[] = [];
  const events = runTests({
    files: [...testFiles],
    concurrency: true,
    timeout: patience,
    signal: stop.signal,
    cwd: root,
  });
  const alarm = setTimeout(
    () => {
      const names = [...unfinished].map((file) => path.relative(root, file));
      found.push(
        `no news for ${(patience + 30 * SECOND) / SECOND} s from ${names.join(', ')}: is a server, database or timer left open?`,
      );
      stop.abort();
    },
    patience + 30 * SECOND,
  );
  events.on('data', () => alarm.refresh());
  events.on('test:pass', ({ name, file }) => {
    // A file without tests is reported as a test named like itself.
    if (name === file) found.push(`${path.relative(root, name)} holds no test`);
  });
  events.on('test:summary', ({ file, counts, success }) => {
    if (file !== undefined) {
      unfinished.delete(file);
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
  return found;
}
