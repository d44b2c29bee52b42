// `npm run check`: the checks that every commit passes. All of them run, so that one run shows every error.
import process from 'node:process';
import { styleText } from 'node:util';
import { run, tool } from './command.ts';

const checks: readonly [name: string, passes: () => boolean][] = [
  ['format', () => tool('biome', ['format', '.'])],
  // It reads the types for its rules: the errors of the compiler cost a third of what `tsc` would add.
  ['lint and types', () => tool('oxlint', ['--type-aware', '--type-check', '--deny-warnings', '--quiet'])],
  ['architecture', () => run(process.execPath, ['--test', '--test-reporter=dot', 'test/architecture.test.ts'])],
];

const failed = checks.filter(([name, passes]) => {
  const start = performance.now();
  const ok = passes();
  const verdict = ok ? styleText('green', 'ok') : styleText('red', 'FAILED');
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  process.stdout.write(`${name.padEnd(16)}${verdict}${' '.repeat(ok ? 6 : 2)}${seconds} s\n`);
  return !ok;
});
process.exitCode = failed.length === 0 ? 0 : 1;
