import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import process from 'node:process';

const running = new Set<ChildProcess>();

process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * Starts a child process. It is killed when this process exits.
 *
 * @throws {Error} if the command cannot be started, for example because it is not installed
 */
export async function startProcess(
  command: string,
  args: readonly string[],
  options: SpawnOptions,
): Promise<ChildProcess> {
  const child = spawn(command, args, options);
  running.add(child);
  child.once('exit', () => running.delete(child));
  try {
    await once(child, 'spawn');
  } catch (error) {
    running.delete(child);
    throw new Error(`${command} cannot be started: install it first`, { cause: error });
  }
  return child;
}

const LAST = availableParallelism() - 1;

/**
 * Prefixes that pin the server to the last processor (the first one handles most interrupts) and the load to the
 * others. Linux only.
 */
export const PIN_SERVER: readonly string[] = ['taskset', '-c', String(LAST)];
export const PIN_LOAD: readonly string[] = ['taskset', '-c', `0-${Math.max(0, LAST - 1)}`];
