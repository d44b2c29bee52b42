import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { once } from 'node:events';
import path from 'node:path';
import process from 'node:process';

const root = path.join(import.meta.dirname, '..', '..');

/** A run of the HTTP suite. */
export interface SuiteRun {
  /** What makes it another run than the daily one. */
  readonly environment: Readonly<Record<string, string>>;
  /** Of `test/pipeline/`, slow files left out: whether it is part of the run. */
  readonly includes: (file: string) => boolean;
  /** A regular expression of titles that are no part of the run, as `--test-skip-pattern` has it; null: all are. */
  readonly otherClaims: string | null;
  readonly signal: AbortSignal;
}

/** Runs the tests of `test/pipeline/` in another way, and fails if one of them fails. @param fewest files of the run */
export async function runHttpSuite(run: SuiteRun, fewest: number): Promise<void> {
  const { environment, includes, otherClaims, signal } = run;
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
  const files = globSync('test/pipeline/*.test.ts', { cwd: root }).filter(
    (file) => !file.endsWith('.slow.test.ts') && includes(path.basename(file)),
  );
  assert.ok(files.length >= fewest, `${files.length} files`);
  const skip = otherClaims === null ? [] : [`--test-skip-pattern=${otherClaims}`];
  const child = spawn(process.execPath, ['--test', ...skip, ...files], {
    cwd: root,
    signal,
    env: { ...env, ...environment },
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [code] = (await once(child, 'close')) as [number];
  const output = Buffer.concat(chunks).toString();
  assert.equal(code, 0, output.slice(output.indexOf('failing tests')));
}
