import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { PIN_SERVER, startProcess } from './processes.ts';

/** A running server process. */
export interface BenchServer {
  readonly port: number;
  /** Milliseconds from the start of the process to its first 200. */
  readonly coldStart: number;
  /** CPU time used so far, user and system, in microseconds. */
  cpu(): number;
  /** The same of the threads that run now, to the nanosecond. */
  busy(): number;
  memory(): Memory;
  stop(): Promise<void>;
}

/** Memory of a process in MiB. */
export interface Memory {
  /** Resident set size, including pages of mapped files, which the system can reclaim at any time. */
  readonly resident: number;
  /** Private memory, without mapped files. */
  readonly anonymous: number;
}

export interface ServerOptions {
  /** A Node.js program and its arguments. It prints `listening on URL`. */
  readonly args: readonly string[];
  /** Path of the first request, which must return 200. */
  readonly path: string;
  /** Directory of Node's compile cache. */
  readonly compileCache: string;
  /** True if the server may use all processors. Default: only one. */
  readonly allProcessors?: boolean;
}

const TICK_MICROSECONDS = 10_000;

/**
 * Starts a server in production mode and waits for its first 200.
 *
 * @throws {Error} if it exits first, or responds with another status
 */
export async function startServer({
  args,
  path,
  compileCache,
  allProcessors = false,
}: ServerOptions): Promise<BenchServer> {
  const start = performance.now();
  const [command = '', ...before] = allProcessors ? [] : PIN_SERVER;
  const node = allProcessors ? args : [...before, process.execPath, ...args];
  const child = await startProcess(allProcessors ? process.execPath : command, node, {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, NODE_ENV: 'production', NODE_COMPILE_CACHE: compileCache },
  });
  const pid = child.pid ?? 0;
  const port = Number(new URL(await listeningUrl(child, args)).port);
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  await response.text();
  if (response.status !== 200) throw new Error(`${args[0]}: ${path} returned ${response.status}`);
  return {
    port,
    coldStart: performance.now() - start,
    cpu: () => readCpu(pid),
    busy: () => readBusy(pid),
    memory: () => readMemory(pid),
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** Discards later output, so that the server never blocks on a full pipe. */
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
  throw new Error(`the server exited before it listened; to see why, run: node ${args.join(' ')}`);
}

/** CPU time that a process has used, user and system, in microseconds. */
export function readCpu(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MICROSECONDS;
}

function readBusy(pid: number): number {
  const folder = `/proc/${pid}/task`;
  const times = readdirSync(folder).map(
    (thread) => readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ')[0],
  );
  return times.reduce((sum, time) => sum + Number(time), 0) / 1_000;
}

function readMemory(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
  return { resident: of('VmRSS'), anonymous: of('RssAnon') };
}
