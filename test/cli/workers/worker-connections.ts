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

export interface RequestParts {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** One connection that is kept, and so one worker that answers on it. */
export interface WorkerConnection {
  /** The worker's process. */
  readonly pid: number;
  readonly send: (method: string, path: string, more?: RequestParts) => Promise<ReceivedResponse>;
  readonly close: () => void;
}

/** A line of the log, as far as tests look at it. */
export interface LogLine {
  readonly pid: number;
  readonly event: string;
  readonly path?: string;
  readonly correlation_id?: string;
}

/** What is told in words, and is no line of the log. */
const WORDS = /^(?:no authentication|error:)/;

/** The JSON lines of the log so far; a line that is none fails. */
export function logLines({ stderr }: ServerProcess): readonly LogLine[] {
  const whole = stderr().slice(0, stderr().lastIndexOf('\n') + 1);
  return whole
    .split('\n')
    .filter((line) => line !== '' && !WORDS.test(line))
    .map((line): LogLine => JSON.parse(line));
}

/** The workers that listen or did, in the order in which they began to, once there are so many. */
export async function listeningWorkers(started: ServerProcess, count: number): Promise<readonly number[]> {
  const listening = (): readonly LogLine[] => logLines(started).filter(({ event }) => event === 'listening');
  await waitUntil(() => listening().length >= count, `${count} workers listen`);
  return listening().map(({ pid }) => pid);
}

/** Whether these are the same, in any order. */
export function assertSameProcesses(some: readonly number[], others: readonly number[]): void {
  const ordered = [some, others].map((pids) => pids.toSorted((one, other) => one - other));
  assert.deepEqual(ordered[0], ordered[1]);
}

/** Whether a process is there. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Waits until something holds, for ten seconds. */
export async function waitUntil(holds: () => boolean, what: string): Promise<void> {
  for (let look = 0; look < 1_000; look++) {
    if (holds()) return;
    await setTimeout(10);
  }
  throw new Error(`it never came to that: ${what}`);
}

function connect(url: string): Omit<WorkerConnection, 'pid'> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    send: async (method, path, { headers = {}, body } = {}) => {
      const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
      const sent = request(`${url}${path}`, { method, agent, headers: { ...type, ...headers } });
      sent.end(body === undefined ? undefined : JSON.stringify(body));
      const [answer]: IncomingMessage[] = await once(sent, 'response');
      if (answer === undefined) throw new Error('no answer');
      return { status: answer.statusCode ?? 0, headers: answer.headers, body: await text(answer) };
    },
    close: () => agent.destroy(),
  };
}

let asked = 0;

/** A connection to each of so many workers, told apart by what the log says of a request on each. */
export async function connectToWorkers(
  started: ServerProcess,
  url: string,
  count: number,
): Promise<readonly WorkerConnection[]> {
  const found = new Map<number, WorkerConnection>();
  for (let tries = 0; found.size < count && tries < count * 10; tries++) {
    const connection = connect(url);
    asked += 1;
    const id = `which-${asked}`;
    await connection.send('GET', '/v1', { headers: { 'X-Correlation-ID': id } });
    const line = (): LogLine | undefined => logLines(started).find((each) => each.correlation_id === id);
    await waitUntil(() => line() !== undefined, 'the request stands in the log');
    const pid = line()?.pid ?? 0;
    if (found.has(pid)) connection.close();
    else found.set(pid, { pid, ...connection });
  }
  if (found.size < count) throw new Error(`${found.size} workers answered`);
  return [...found.values()];
}
