import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { createInterface } from 'node:readline';

/** A server in a process of its own. */
export interface BenchServer {
  readonly port: number;
  /** Milliseconds from the start of the process to its first 200. */
  readonly coldStart: number;
  /** Processor time used so far, user and system, in microseconds. Linux only; NaN elsewhere. */
  cpu(): number;
  stop(): Promise<void>;
}

const TICK_MICROSECONDS = 10_000;

/**
 * Starts a program that prints `listening on URL`, and waits for its first 200 at `path`.
 *
 * @param runner what runs it: Node by default
 */
export async function startServer(
  args: readonly string[],
  path: string,
  [command = process.execPath, ...before]: readonly string[] = [],
): Promise<BenchServer> {
  const start = performance.now();
  const child = spawn(command, [...before, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  const port = Number(new URL(await listeningUrl(child)).port);
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  await answer.text();
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
  return {
    port,
    coldStart: performance.now() - start,
    cpu: () => cpuOf(child.pid ?? 0),
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

async function listeningUrl(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the server has no standard output');
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /^listening on (\S+)$/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error('the server ended before it listened');
}

function cpuOf(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN;
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MICROSECONDS;
}
