import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { PIN_LOAD, startProcess } from '../processes.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { SERIAL, SERIAL_LENGTH, rawRequest, type LoadRequest } from './requests.ts';

export type RequestOrder = 'sequential' | 'random';

/** Connections, each of which asks again as soon as it is answered. */
export interface Load {
  /** What is asked. */
  readonly requests: readonly LoadRequest[];
  /** In turn it is not asked again before all else was; drawn, each time any of it may be. Default: in turn. */
  readonly order?: RequestOrder;
  /** Which request is the first, or the seed of what is drawn. */
  readonly start: number;
  readonly connections: number;
  readonly seconds: number;
}

export interface LoadResult {
  readonly perSecond: number;
  readonly responses: number;
  /** Milliseconds within which 99 of 100 answers came. */
  readonly p99: number;
}

/** A load with answers that do not count. */
export class InvalidLoad extends Error {}

const MAX_ATTEMPTS = 6;

/** How long an answer may take and still count. */
const RESPONSE_TIMEOUT = '10s';

/** Holds the files of the loads. */
let folder: string | null = null;
/** Several may run at once. */
let loads = 0;

/** Loads until every answer of a load counts. @param refused hears of each load that is done again */
export async function retryLoad<Result>(load: () => Promise<Result>, refused: () => void): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await load();
    } catch (error) {
      if (!(error instanceof InvalidLoad) || tries === MAX_ATTEMPTS) throw error;
      refused();
    }
  }
}

/**
 * Loads a server of loopback with `wrk`, kept off the server's processor.
 *
 * @throws {InvalidLoad} where an answer is none of 2xx and 3xx, a connection breaks or an answer takes longer than ten seconds
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

/** Requests are written out beforehand, so that the load costs as little as it can. */
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
  const [, answers] = /(\d+) requests in/.exec(output) ?? [];
  const [, p99, unit = ''] = /99%\s+([\d.]+)(us|ms|s|m)/.exec(output) ?? [];
  const failed = /(Non-2xx or 3xx responses: \d+|Socket errors: .*)/.exec(output);
  if (failed !== null) throw new InvalidLoad(failed[1]);
  if (perSecond === undefined) throw new Error(`the load failed: ${output}`);
  return { perSecond: Number(perSecond), responses: Number(answers), p99: Number(p99) * (MILLISECONDS[unit] ?? 1) };
}
