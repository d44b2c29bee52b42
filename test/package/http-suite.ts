import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { once } from 'node:events';
import path from 'node:path';
import process from 'node:process';
import { groupedFiles } from '../../scripts/test-groups.ts';

const root = path.join(import.meta.dirname, '..', '..');

/**
 * Files whose claims differ with authentication, or that call the API without the token that the suite sends: the run
 * with authentication leaves them out.
 */
export const ANONYMOUS_FILES =
  /(?:async-api|bodies|cache-control|cors|descriptions|docs-page|gateway|home|large-pages|metrics|misspelled-paths|ndjson|negotiation|origins|rate-limits|refused-lines|root-page|scopes|stage-order|texts-on-every-way-in|tls|trusted-proxies|webhooks)\.test\.ts$/;

/** Another run of tests than the daily one. */
export interface OtherRun {
  /** The difference from the usual run, in a word. */
  readonly way: string;
  readonly environment: Readonly<Record<string, string>>;
  /** A regular expression of titles that are no part of the run, as `--test-skip-pattern` has it; null: all are. */
  readonly otherClaims: string | null;
  readonly signal: AbortSignal;
}

/** A run of the HTTP suite. */
export interface SuiteRun extends OtherRun {
  /** Tells if a file of `test/pipeline/` is part of the run; slow files are left out before. */
  readonly includes: (file: string) => boolean;
}

/** Runs the tests of `test/pipeline/` in another way, and fails if one of them fails. @param fewest files of the run */
export async function runHttpSuite({ includes, ...run }: SuiteRun, fewest: number): Promise<void> {
  const files = globSync('test/pipeline/**/*.test.ts', { cwd: root })
    .filter((file) => !file.endsWith('.slow.test.ts'))
    .toSorted()
    .filter((file) => includes(path.basename(file)));
  assert.ok(files.length >= fewest, `${files.length} files`);
  await runTests(run, files);
}

/**
 * Runs tests in another way, and fails if one of them fails.
 *
 * @param files relative to the checkout
 * @param fewest tests of the run
 */
export async function runTests(run: OtherRun, files: readonly string[], fewest = 1): Promise<void> {
  const { way, environment, otherClaims, signal } = run;
  // Its laws have the cases of a daily run: the way is tested, not the law.
  const { NODE_TEST_CONTEXT: _context, RESTWRIGHT_TEST_EXTENT: _extent, ...env } = process.env;
  const skip = otherClaims === null ? [] : [`--test-skip-pattern=${otherClaims}`];
  const processes = groupedFiles(
    files.map((file) => path.join(root, file)),
    way,
  );
  const child = spawn(process.execPath, ['--test', ...skip, ...processes], {
    cwd: root,
    signal,
    env: { ...env, ...environment },
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [code] = (await once(child, 'close')) as [number];
  const output = Buffer.concat(chunks).toString();
  assert.equal(code, 0, output.slice(output.indexOf('failing tests')));
  const tests = Number(/tests (\d+)/.exec(output)?.[1]);
  assert.ok(tests >= fewest, `${tests} tests\n${output.slice(-400)}`);
}
