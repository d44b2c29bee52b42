import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import type { ServerProcess } from '../server-process.ts';

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

interface RequestParts {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** A persistent connection, and thus one worker that responds on it. */
export interface WorkerConnection {
  /** Process id of the worker. */
  readonly pid: number;
  readonly send: (method: string, path: string, more?: RequestParts) => Promise<ReceivedResponse>;
  readonly close: () => void;
}

/** A line of the log, with the members that tests use. */
interface LogLine {
  readonly pid: number;
  readonly event: string;
  readonly path?: string;
  readonly correlation_id?: string;
}

/** Messages on standard error that are not lines of the log. */
const MESSAGES = /^(?:no authentication|error:)/;

/** The lines of the log so far. @throws {SyntaxError} for a line that is not JSON */
export function logLines({ stderr }: ServerProcess): readonly LogLine[] {
  const complete = stderr().slice(0, stderr().lastIndexOf('\n') + 1);
  return complete
    .split('\n')
    .filter((line) => line !== '' && !MESSAGES.test(line))
    .map((line): LogLine => JSON.parse(line));
}

/** Waits until a number of workers have started listening. @returns their process ids, in the order of the log */
export async function listeningWorkers(started: ServerProcess, count: number): Promise<readonly number[]> {
  const listening = (): readonly LogLine[] => logLines(started).filter(({ event }) => event === 'listening');
  await waitUntil(() => listening().length >= count, `${count} workers listen`);
  return listening().map(({ pid }) => pid);
}

/** Asserts equal process ids, in any order. */
export function assertSameProcesses(some: readonly number[], others: readonly number[]): void {
  const ordered = [some, others].map((pids) => pids.toSorted((one, other) => one - other));
  assert.deepEqual(ordered[0], ordered[1]);
}

/** True if a process exists. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Waits up to ten seconds for a condition. */
export async function waitUntil(condition: () => boolean, description: string): Promise<void> {
  for (let attempt = 0; attempt < 1_000; attempt++) {
    if (condition()) return;
    await setTimeout(10);
  }
  throw new Error(`timed out: ${description}`);
}

function connect(url: string): Omit<WorkerConnection, 'pid'> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    send: async (method, path, { headers = {}, body } = {}) => {
      const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
      const sent = request(`${url}${path}`, { method, agent, headers: { ...type, ...headers } });
      sent.end(body === undefined ? undefined : JSON.stringify(body));
      const [response]: IncomingMessage[] = await once(sent, 'response');
      if (response === undefined) throw new Error('no response');
      return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
    },
    close: () => agent.destroy(),
  };
}

let requests = 0;

/** Connects to a number of workers, which the log lines of one request on each connection identify. */
export async function connectToWorkers(
  started: ServerProcess,
  url: string,
  count: number,
): Promise<readonly WorkerConnection[]> {
  const found = new Map<number, WorkerConnection>();
  for (let tries = 0; found.size < count && tries < count * 10; tries++) {
    const connection = connect(url);
    requests += 1;
    const id = `which-${requests}`;
    await connection.send('GET', '/v1', { headers: { 'X-Correlation-ID': id } });
    const line = (): LogLine | undefined => logLines(started).find((each) => each.correlation_id === id);
    await waitUntil(() => line() !== undefined, 'the request is logged');
    const pid = line()?.pid ?? 0;
    if (found.has(pid)) connection.close();
    else found.set(pid, { pid, ...connection });
  }
  if (found.size < count) throw new Error(`${found.size} workers responded`);
  return [...found.values()];
}
