import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { program } from '../../scripts/command.ts';

export { program };

/** A running `restwright serve`. */
export interface ServerProcess {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** The exit code, or the signal that ended the process. */
  readonly exited: Promise<number | string | null>;
}

/** @param args the arguments after `serve` */
export function startServer(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ServerProcess {
  return startProgram(folder, [program, 'serve', ...args], env);
}

/** Starts a Node.js program that serves. @param args its path, and its arguments */
export function startProgram(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ServerProcess {
  return startProcess(folder, [process.execPath, ...args], env);
}

/** Starts a program that serves. @param command its path, and its arguments */
export function startProcess(
  folder: string,
  [file = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ServerProcess {
  const child = spawn(file, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const text = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => void (text.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => void (text.stderr += chunk.toString()));
  const ended = once(child, 'close').then(([code, signal]: (number | string | null)[]) => code ?? signal ?? null);
  return { child, stdout: () => text.stdout, stderr: () => text.stderr, exited: ended };
}

/** Kills the processes that are still running. */
export async function killAll(started: readonly ServerProcess[]): Promise<void> {
  for (const { child, exited } of started) {
    child.kill('SIGKILL');
    await exited;
  }
}

/** Waits for the line on standard output. @returns the URL in it */
export async function waitUntilListening({ child, stdout, stderr, exited }: ServerProcess): Promise<string> {
  while (!stdout().includes('\n')) {
    const end = await Promise.race([exited, once(child.stdout ?? child, 'data').then(() => 'data')]);
    if (end !== 'data') assert.fail(`ended with ${end}: ${stderr()}`);
  }
  return /^listening on (\S+)\n$/.exec(stdout())?.[1] ?? assert.fail(stdout());
}

/** Waits until standard error matches a pattern. */
export async function waitForLog({ child, stderr, exited }: ServerProcess, pattern: RegExp): Promise<void> {
  while (!pattern.test(stderr())) {
    const end = await Promise.race([exited, once(child.stderr ?? child, 'data').then(() => 'data')]);
    if (end !== 'data') assert.fail(`ended with ${end}: ${stderr()}`);
  }
}
