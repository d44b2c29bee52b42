import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import process from 'node:process';

const program = path.join(import.meta.dirname, '..', '..', 'bin', 'restwright.js');

/** The program as a person starts it: `restwright serve`. */
export interface ServerProcess {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** The exit code, or the signal that ended it. */
  readonly exited: Promise<number | string | null>;
}

/** @param args what follows `serve` */
export function startServer(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ServerProcess {
  const child = spawn(process.execPath, [program, 'serve', ...args], {
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

/** Ends what is left of programs. */
export async function killAll(started: readonly ServerProcess[]): Promise<void> {
  for (const { child, exited } of started) {
    child.kill('SIGKILL');
    await exited;
  }
}

/** Waits for the one line on standard output; the result is the URL in it. */
export async function waitUntilListening({ child, stdout, stderr, exited }: ServerProcess): Promise<string> {
  while (!stdout().includes('\n')) {
    const end = await Promise.race([exited, once(child.stdout ?? child, 'data').then(() => 'data')]);
    if (end !== 'data') assert.fail(`ended with ${end}: ${stderr()}`);
  }
  return /^listening on (\S+)\n$/.exec(stdout())?.[1] ?? assert.fail(stdout());
}

/** Waits until the log says something. */
export async function waitForLog({ child, stderr, exited }: ServerProcess, what: RegExp): Promise<void> {
  while (!what.test(stderr())) {
    const end = await Promise.race([exited, once(child.stderr ?? child, 'data').then(() => 'data')]);
    if (end !== 'data') assert.fail(`ended with ${end}: ${stderr()}`);
  }
}
