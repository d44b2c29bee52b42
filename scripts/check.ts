import process from 'node:process';
import { styleText } from 'node:util';
import { run, tool } from './command.ts';

/** What every commit keeps: format, lint, types, architecture. All are run, so that one look shows every fault. */
const checks: readonly [name: string, passes: () => boolean][] = [
  ['format', () => tool('biome', ['format', '--colors=off', '.'])],
  ['lint', () => tool('oxlint', ['--type-aware', '--deny-warnings', '--quiet'])],
  ['types', () => tool('tsc', ['--noEmit'])],
  [
    'architecture',
    () =>
      run(process.execPath, ['--test', '--test-reporter=dot', '--test-isolation=none', 'test/architecture.test.ts']),
  ],
];

const failed = checks.filter(([name, passes]) => {
  const start = performance.now();
  const ok = passes();
  const verdict = ok ? styleText('green', 'ok') : styleText('red', 'FAILED');
  process.stdout.write(`${name.padEnd(14)}${verdict.padEnd(8)}${((performance.now() - start) / 1000).toFixed(1)} s\n`);
  return !ok;
});
process.exitCode = failed.length === 0 ? 0 : 1;
