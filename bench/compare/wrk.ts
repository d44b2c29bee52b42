import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';

/** Requests that a load is made of, taken in turn. */
export interface Load {
  readonly requests: readonly LoadRequest[];
  readonly connections: number;
  /** Seconds. */
  readonly seconds: number;
}

export interface LoadRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** `{n}` stands for a number that no other request has. */
  readonly body?: string;
}

export interface LoadResult {
  readonly perSecond: number;
  readonly answers: number;
  /** Milliseconds within which 99 of 100 answers came. */
  readonly p99: number;
}

/**
 * Loads a server of loopback with `wrk`, kept to all processors but the first.
 *
 * @throws {Error} where an answer is none of 2xx and 3xx, or a connection breaks
 */
export async function wrk(port: number, { requests, connections, seconds }: Load): Promise<LoadResult> {
  const folder = mkdtempSync(path.join(tmpdir(), 'restwright-wrk-'));
  const script = path.join(folder, 'load.lua');
  writeFileSync(script, lua(requests));
  const child = spawn(
    'taskset',
    [
      '-c',
      '1-63',
      'wrk',
      '-t1',
      `-c${connections}`,
      `-d${seconds}s`,
      '--latency',
      '-s',
      script,
      `http://127.0.0.1:${port}`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const output = await text(child.stdout);
  rmSync(folder, { recursive: true });
  return read(output);
}

function lua(requests: readonly LoadRequest[]): string {
  const lines = requests.map(({ method, path: target, headers = {}, body }) => {
    const fields = Object.entries({
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    });
    const table = fields.map(([name, value]) => `[${quote(name)}]=${quote(value)}`).join(',');
    return `{${quote(method)},${quote(target)},{${table}},${body === undefined ? 'nil' : quote(body)}}`;
  });
  return `local requests = {${lines.join(',\n')}}
local at = 0
local stamp = ${Date.now()}
request = function()
  at = at + 1
  local r = requests[(at - 1) % #requests + 1]
  local body = r[4]
  if body then body = string.gsub(body, "{n}", stamp .. "-" .. at) end
  return wrk.format(r[1], r[2], r[3], body)
end
`;
}

function quote(value: string): string {
  return `"${value.replace(/[\\"]/g, '\\$&')}"`;
}

const UNITS: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, m: 60_000 };

function read(output: string): LoadResult {
  const [, perSecond] = /Requests\/sec:\s+([\d.]+)/.exec(output) ?? [];
  const [, answers] = /(\d+) requests in/.exec(output) ?? [];
  const [, p99, unit = ''] = /99%\s+([\d.]+)(us|ms|s|m)/.exec(output) ?? [];
  const failed = /(Non-2xx or 3xx responses: \d+|Socket errors: .*)/.exec(output);
  if (failed !== null || perSecond === undefined) throw new Error(`the load failed: ${failed?.[1] ?? output}`);
  return { perSecond: Number(perSecond), answers: Number(answers), p99: Number(p99) * (UNITS[unit] ?? 1) };
}
