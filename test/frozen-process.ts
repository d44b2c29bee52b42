import { existsSync, readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';

/** Milliseconds between two looks at the threads of a process. */
const INTERVAL = 1;

/**
 * Stops a process with SIGSTOP, and waits until none of its threads runs. The signal takes effect later than `kill`
 * returns: until then the process may answer. Without Linux's `/proc`, it does not wait.
 */
export async function freeze(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  const threads = `/proc/${pid}/task`;
  if (!existsSync(threads)) return;
  while (readdirSync(threads).some((thread) => isRunning(`${threads}/${thread}/stat`))) await setTimeout(INTERVAL);
}

/** Lets a frozen process go on. */
export function unfreeze(pid: number): void {
  process.kill(pid, 'SIGCONT');
}

/** Reads the state of a thread: `T` if it is stopped, `Z` or `X` if it has ended. */
function isRunning(file: string): boolean {
  if (!existsSync(file)) return false;
  const text = readFileSync(file, 'utf8');
  // The name of the program, in parentheses, may contain any character.
  return !'TZX'.includes(text.charAt(text.lastIndexOf(')') + 2));
}
