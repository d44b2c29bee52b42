import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import process from 'node:process';

const program = path.join(import.meta.dirname, '..', '..', 'bin', 'restwright.js');

/** The program as a person starts it: `restwright serve`. */
export interface Started {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | string | null>;
}

/** @param args what follows `serve` */
export function startServing(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Started {
  const child = spawn(process.execPath, [program, 'serve', ...args], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const text = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => void (text.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => void (text.stderr += chunk.toString()));
  const ended = once(child, 'close').then(([code, signal]: (number | string | null)[]) => code ?? signal ?? null);
  return { child, stdout: () => text.stdout, stderr: () => text.stderr, ended };
}

/** Ends what is left of programs. */
export async function endAll(started: readonly Started[]): Promise<void> {
  for (const { child, ended } of started) {
    child.kill('SIGKILL');
    await ended;
  }
}

/** Waits for the one line on standard output; the result is the URL in it. */
export async function listening({ child, stdout, stderr, ended }: Started): Promise<string> {
  while (!stdout().includes('\n')) {
    const end = await Promise.race([ended, once(child.stdout ?? child, 'data').then(() => 'data')]);
    if (end !== 'data') assert.fail(`ended with ${end}: ${stderr()}`);
  }
  return /^listening on (\S+)\n$/.exec(stdout())?.[1] ?? assert.fail(stdout());
}

/** Waits until the log says something. */
export async function told({ child, stderr, ended }: Started, what: RegExp): Promise<void> {
  while (!what.test(stderr())) {
    const end = await Promise.race([ended, once(child.stderr ?? child, 'data').then(() => 'data')]);
    if (end !== 'data') assert.fail(`ended with ${end}: ${stderr()}`);
  }
}
