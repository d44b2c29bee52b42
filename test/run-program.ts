import { execFile } from 'node:child_process';
import assert from 'node:assert/strict';
import process from 'node:process';

/** Bytes that a program may print. */
const MAX_OUTPUT = 64 * 1024 * 1024;

/** The folder and environment of a program. */
export interface ProgramOptions {
  readonly folder: string;
  /** Added to the environment of the tests. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The end of a program. */
export interface ProgramRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end. @param command its path, and its arguments */
export function runProgram(
  [file = '', ...args]: readonly string[],
  { folder, env = {} }: ProgramOptions,
): Promise<ProgramRun> {
  const { promise, resolve } = Promise.withResolvers<ProgramRun>();
  const { NODE_TEST_CONTEXT: _context, ...inherited } = process.env;
  const options = { cwd: folder, env: { ...inherited, ...env }, maxBuffer: MAX_OUTPUT };
  const child = execFile(file, args, options, (error, stdout, stderr) =>
    resolve({ code: child.exitCode ?? 1, stdout, stderr: error === null ? stderr : `${error.message}\n${stderr}` }),
  );
  return promise;
}

/** Runs a program that has to succeed. @returns what it printed on standard output */
export async function readOutput(command: readonly string[], options: ProgramOptions): Promise<string> {
  const { code, stdout, stderr } = await runProgram(command, options);
  assert.equal(code, 0, `${command.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}
