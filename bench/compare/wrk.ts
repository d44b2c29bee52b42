import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { PIN_LOAD, startProcess } from '../processes.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { SERIAL, SERIAL_LENGTH, rawRequest, type LoadRequest } from './requests.ts';

export type RequestOrder = 'sequential' | 'random';

/** A closed-loop load: each connection sends its next request as soon as it has a response. */
interface Load {
  readonly requests: readonly LoadRequest[];
  /**
   * `sequential` repeats a request only after all others; `random` picks each request independently. Default:
   * sequential.
   */
  readonly order?: RequestOrder;
  /** Index of the first request, or the seed of the random order. */
  readonly start: number;
  readonly connections: number;
  readonly seconds: number;
}

export interface LoadResult {
  readonly perSecond: number;
  readonly responses: number;
  /** 99th percentile of latency in milliseconds. */
  readonly p99: number;
}

/** A load with failed responses, whose result is discarded. */
class InvalidLoad extends Error {}

const MAX_ATTEMPTS = 6;

/** The longest valid response time. */
const RESPONSE_TIMEOUT = '10s';

/** Directory of the files of all loads. */
let folder: string | null = null;
/** Number of loads so far. Several may run concurrently. */
let loads = 0;

/** Repeats a load until all its responses are valid. @param onRetry is called before each repetition */
export async function retryLoad<Result>(load: () => Promise<Result>, onRetry: () => void): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await load();
    } catch (error) {
      if (!(error instanceof InvalidLoad) || attempt === MAX_ATTEMPTS) throw error;
      onRetry();
    }
  }
}

/**
 * Loads a server on loopback with `wrk`, which does not use the server's processor.
 *
 * @throws {InvalidLoad} if a response is not 2xx or 3xx, a connection breaks, or a response takes longer than ten
 *   seconds
 */
export async function wrk(
  port: number,
  { requests, order = 'sequential', start, connections, seconds }: Load,
): Promise<LoadResult> {
  folder ??= temporaryFolder();
  loads += 1;
  const script = path.join(folder, `load-${loads}.lua`);
  const list = path.join(folder, `requests-${loads}`);
  writeFileSync(list, requests.map(rawRequest).join('\0'));
  writeFileSync(script, luaScript(list, order, start % requests.length));
  const [command = '', ...pinned] = PIN_LOAD;
  const options = [
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--timeout',
    RESPONSE_TIMEOUT,
    '--latency',
    '-s',
    script,
  ];
  const child = await startProcess(command, [...pinned, 'wrk', ...options, `http://127.0.0.1:${port}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (child.stdout === null) throw new Error('wrk has no standard output');
  return parseOutput(await text(child.stdout));
}

/** The requests are written to a file in advance, so that generating the load costs little. */
function luaScript(list: string, order: RequestOrder, from: number): string {
  const stamp = String(Date.now());
  return `local requests = {}
for each in io.open("${list}"):read("*a"):gmatch("[^%z]+") do requests[#requests + 1] = each end
local at = ${from}
math.randomseed(at)
local sent = 0
request = function()
  at = ${order === 'random' ? 'math.random(#requests)' : 'at % #requests + 1'}
  local each = requests[at]
  if not each:find("${SERIAL}", 1, true) then return each end
  sent = sent + 1
  return (each:gsub("${SERIAL}", string.format("${stamp}%0${SERIAL_LENGTH - stamp.length}d", sent)))
end
`;
}

const MILLISECONDS: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, m: 60_000 };

function parseOutput(output: string): LoadResult {
  const [, perSecond] = /Requests\/sec:\s+([\d.]+)/.exec(output) ?? [];
  const [, responses] = /(\d+) requests in/.exec(output) ?? [];
  const [, p99, unit = ''] = /99%\s+([\d.]+)(us|ms|s|m)/.exec(output) ?? [];
  const failed = /(Non-2xx or 3xx responses: \d+|Socket errors: .*)/.exec(output);
  if (failed !== null) throw new InvalidLoad(failed[1]);
  if (perSecond === undefined) throw new Error(`the load failed: ${output}`);
  return { perSecond: Number(perSecond), responses: Number(responses), p99: Number(p99) * (MILLISECONDS[unit] ?? 1) };
}
