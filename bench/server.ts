import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { PIN_SERVER, startProcess } from './processes.ts';

/** A server in a process of its own. */
export interface BenchServer {
  readonly port: number;
  /** Milliseconds from the start of the process to its first 200. */
  readonly coldStart: number;
  /** Processor time used so far, user and system, in microseconds. */
  cpu(): number;
  memory(): Memory;
  stop(): Promise<void>;
}

/** MiB. */
export interface Memory {
  /** All that is in memory, pages of mapped files included, which the system takes back whenever it likes. */
  readonly resident: number;
  /** What is the process's own. */
  readonly anonymous: number;
}

export interface ServerOptions {
  /** A program for Node and its arguments; it prints `listening on URL`. */
  readonly args: readonly string[];
  /** What is asked for until it answers 200. */
  readonly path: string;
  /** Where Node keeps what it has compiled. */
  readonly compileCache: string;
  /** Whether it may run on every processor. Default: on one alone. */
  readonly allProcessors?: boolean;
}

const TICK_MICROSECONDS = 10_000;

/**
 * Starts a server as in production, and waits for its first 200.
 *
 * @throws {Error} where it ends before, or answers something else
 */
export async function startServer({
  args,
  path,
  compileCache,
  allProcessors = false,
}: ServerOptions): Promise<BenchServer> {
  const begun = performance.now();
  const [command = '', ...before] = allProcessors ? [] : PIN_SERVER;
  const node = allProcessors ? args : [...before, process.execPath, ...args];
  const child = await startProcess(allProcessors ? process.execPath : command, node, {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, NODE_ENV: 'production', NODE_COMPILE_CACHE: compileCache },
  });
  const pid = child.pid ?? 0;
  const port = Number(new URL(await listeningUrl(child, args)).port);
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  await answer.text();
  if (answer.status !== 200) throw new Error(`${args[0]}: ${path} answered ${answer.status}`);
  return {
    port,
    coldStart: performance.now() - begun,
    cpu: () => cpuOf(pid),
    memory: () => memoryOf(pid),
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** What a server prints afterwards is thrown away, so that it never waits for a reader. */
async function listeningUrl(child: ChildProcess, args: readonly string[]): Promise<string> {
  const output = child.stdout;
  if (output === null) throw new Error('the server has no standard output');
  const lines = createInterface({ input: output });
  for await (const line of lines) {
    const [, url] = /^listening on (\S+)$/.exec(line) ?? [];
    if (url === undefined) continue;
    output.resume();
    return url;
  }
  throw new Error(`the server ended before it listened; to see why: node ${args.join(' ')}`);
}

function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MICROSECONDS;
}

function memoryOf(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
  return { resident: of('VmRSS'), anonymous: of('RssAnon') };
}
