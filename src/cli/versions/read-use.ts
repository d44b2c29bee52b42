import { createReadStream } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { isJsonObject, type Json } from '../../conventions/json/json.ts';
import { splitLines } from '../../formats/split-records.ts';
import { commandFailed, usageError } from '../command-error.ts';
import { reading } from '../data-file/data-file.ts';
import { type UseByVersion, UseCounter } from './version-use.ts';

/** Maximum bytes of metrics. Those of an API with hundreds of routes have a few MiB. */
const MAX_METRICS = 64 * 1_024 * 1_024;
const METRICS_TIMEOUT = 10_000;

/** The event of a request to a deprecated contract (`observe/log-entry.ts`), in JSON and as a readable line. */
const EVENT = 'deprecated_contract';
const READABLE = /deprecated contract version=(?<version>\S+) caller=(?<caller>.*) route=\S* correlation_id=/;

/** The counters of requests by contract: of all contracts, and of deprecated ones alone. */
const REQUESTS = 'http_server_request_duration_seconds_count{';
const DEPRECATED = 'restwright_deprecated_requests_total{';

/**
 * Counts who called deprecated contracts, from a log of `serve` in JSON or as readable lines. Other lines are skipped.
 * Memory is bounded.
 *
 * @throws {CommandError} exit 2 where the file cannot be read
 */
export async function readLogUse(file: string): Promise<UseByVersion> {
  const use = new UseCounter(true);
  await reading(file, () =>
    eachLine(createReadStream(file), (line) => {
      if (line.includes(EVENT)) addEntry(line, use);
      else if (line.includes('deprecated contract')) addReadable(line, use);
    }),
  );
  return use.result();
}

function addEntry(line: string, use: UseCounter): void {
  const entry = parseEntry(line);
  if (!isJsonObject(entry) || entry['event'] !== EVENT) return;
  const { version, caller, time } = entry;
  if (typeof version !== 'string' || typeof caller !== 'string') return;
  use.addCaller(version, caller, typeof time === 'string' ? time : null);
}

/** A log collector may have put something before the entry. */
function parseEntry(line: string): Json {
  try {
    const value: Json = JSON.parse(line.slice(line.indexOf('{')));
    return value;
  } catch (error) {
    // A line that was cut says nothing.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function addReadable(line: string, use: UseCounter): void {
  const { version, caller } = READABLE.exec(stripVTControlCharacters(line))?.groups ?? {};
  if (version !== undefined && caller !== undefined) use.addCaller(version, caller, null);
}

/**
 * Counts the requests of each contract, from the metrics of a running server. They do not name callers.
 *
 * @throws {CommandError} exit 2 for a URL that is not one of HTTP, exit 1 where it cannot be read
 */
export async function readMetricsUse(url: string, fetch: typeof globalThis.fetch): Promise<UseByVersion> {
  requireMetricsUrl(url);
  const use = new UseCounter(false);
  const deprecated = new UseCounter(false);
  try {
    const signal = AbortSignal.timeout(METRICS_TIMEOUT);
    const response = await fetch(url, { redirect: 'manual', credentials: 'omit', signal });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw commandFailed(
        `--metrics: ${url} has status ${response.status}; name the URL of /metrics, which --metrics-port serves without credentials.`,
      );
    }
    await eachLine(limitBytes(response.body ?? []), (line) => {
      if (line.startsWith(REQUESTS)) addSample(line, use);
      if (line.startsWith(DEPRECATED)) addSample(line, deprecated);
    });
  } catch (error) {
    // Network errors are of these kinds; anything else has its message already.
    if (error instanceof TypeError || error instanceof DOMException)
      throw commandFailed(`--metrics: ${url} cannot be read: ${describeCause(error)}`);
    throw error;
  }
  // Without the histogram, as of a server whose metrics were filtered, the counter of deprecated ones is left.
  return new Map([...deprecated.result(), ...use.result()]);
}

function requireMetricsUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw usageError('--metrics: the value is not a URL of HTTP; use one such as http://127.0.0.1:9090/metrics.');
  if (url.username !== '' || url.password !== '')
    throw usageError('--metrics: the URL must not contain credentials; use the address of --metrics-port.');
}

function addSample(line: string, use: UseCounter): void {
  const version = /[{,]api_version="(?<version>[\d.]{1,32})"/.exec(line)?.groups?.['version'];
  const value = Number(/\} (?<value>\S+)/.exec(line)?.groups?.['value']);
  if (version !== undefined && Number.isSafeInteger(value) && value > 0) use.add(version, value);
}

/** @throws {CommandError} exit 1 for more bytes than metrics have */
async function* limitBytes(chunks: AsyncIterable<Uint8Array> | readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > MAX_METRICS) throw commandFailed(`--metrics: the response has more than ${MAX_METRICS} bytes.`);
    yield chunk;
  }
}

/** Reads lines of at most 1 MiB. Longer ones are skipped. */
async function eachLine(chunks: AsyncIterable<Uint8Array>, work: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  for await (const { raw } of splitLines(chunks)) if (raw !== null) work(decoder.decode(raw).trimEnd());
}

function describeCause(error: Error): string {
  return error.cause instanceof Error ? error.cause.message : error.message;
}
