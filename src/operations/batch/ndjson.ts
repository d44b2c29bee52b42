import { ApiError, apiError, type ErrorBody, errorBody } from '../../conventions/errors.ts';
import { timestamp } from '../../conventions/text/timestamp.ts';
import type { CompiledResource, Contract } from '../../contract/contract.ts';
import { inflateChunks } from '../../formats/gzip.ts';
import { readJson } from '../../formats/json.ts';
import { isBlank, MAX_LINE, type RawRecord, recordContent, splitLines } from '../../formats/split-records.ts';
import type { Ancestor } from '../../plan/plan.ts';
import { inTimeSlices } from '../../platform/time-slices.ts';
import type { Quota } from '../quota.ts';
import { reportedError } from '../reported-error.ts';
import type { ParsedBody } from '../write/parsed-body.ts';
import { lineName } from '../write/idempotency.ts';
import { commitOnce, recordName, type RequestedWrite, withoutPreconditions } from '../write/write-request.ts';
import type { BatchServices } from './batch-run.ts';
import { type ConcurrencyLimit, runOrdered, type StartedTask } from './ordered-concurrency.ts';

/** Maximum lines and bytes in progress: enough lines to share commits, and few enough bytes to hold in memory. */
const CONCURRENCY = { items: 256, bytes: 4 * 1_048_576 };
/** Refused lines in a row that end the stream: each costs little to send, and a long line to answer (MET-13). */
const MAX_REFUSED = 1_000;
/** Lines that take as much from a rate limit as one write (LIM-2). */
const LINES_PER_WRITE = 100;

/** The result of one line. */
export type LineResult =
  | { readonly kind: 'created'; readonly line: number; readonly id: string; readonly replayed: boolean }
  /** The line of a dry run. */
  | { readonly kind: 'checked'; readonly line: number }
  | { readonly kind: 'failed'; readonly line: number; readonly error: ErrorBody }
  /** The body itself broke off, or too many lines in a row were refused. No line follows. */
  | { readonly kind: 'broken'; readonly error: ErrorBody };

/** The results of an NDJSON body, produced while they are sent. */
export interface LinesOutcome {
  readonly kind: 'lines';
  readonly dry: boolean;
  readonly compiled: CompiledResource;
  readonly within: readonly Ancestor[];
  readonly results: AsyncIterable<LineResult>;
}

/** The write of every line. */
interface KeyedLines {
  readonly write: RequestedWrite;
  readonly key: string | null;
}

/**
 * Creates one resource per line, each by a write of its own, and reports the results in the same order (MET-13). Lines
 * are read as their results are sent, so that memory does not grow with their number. Under an `Idempotency-Key` each
 * line is written once. The same lines, sent again after a broken connection, resume where they stopped.
 *
 * @throws {ApiError} 400, 404, 412 before the first line is read
 */
export async function importLines(write: RequestedWrite, services: BatchServices): Promise<LinesOutcome> {
  const { operation, request } = write;
  const key = await recordName(write, services);
  // A body that is sent again after its first line was written is replayed, even if the collection has changed (step 13
  // before 14).
  const isResumed = key !== null && (await services.idempotency.find(lineName(key, 1))) !== null;
  if (!isResumed) await operation.precheck(services);
  const results = lineResults({ write: withoutPreconditions(write), key }, services);
  return { kind: 'lines', dry: request.dry, compiled: operation.callerResource, within: operation.within, results };
}

async function* lineResults(lines: KeyedLines, services: BatchServices): AsyncGenerator<LineResult> {
  const start = (line: RawRecord): StartedTask<LineResult> | null => {
    if (line.raw !== null && isBlank(recordContent(line.raw))) return null;
    return { bytes: line.raw?.length ?? 0, result: runLine(line, lines, services) };
  };
  const row = new RefusedLines();
  try {
    for await (const result of runOrdered(inTimeSlices(limitedLines(lines)), start, row)) {
      row.count(result);
      yield result;
      if (row.isFull) break;
    }
  } catch (error) {
    // The lines that were read are done.
    yield { kind: 'broken', error: describeLineError(error, lines, services) };
    throw error;
  }
  if (row.isFull) yield { kind: 'broken', error: describeLineError(row.error(), lines, services) };
}

/**
 * Counts the refused lines in a row. It bounds the lines in progress by what is left of {@link MAX_REFUSED}. So no line
 * is in progress when the row is full, and every line that was written is reported.
 */
class RefusedLines implements ConcurrencyLimit {
  readonly bytes = CONCURRENCY.bytes;
  #length = 0;
  #last = 0;

  get items(): number {
    return Math.min(CONCURRENCY.items, MAX_REFUSED - this.#length);
  }

  get isFull(): boolean {
    return this.#length === MAX_REFUSED;
  }

  count(result: LineResult): void {
    if (result.kind === 'broken') return;
    this.#length = result.kind === 'failed' ? this.#length + 1 : 0;
    this.#last = result.line;
  }

  error(): ApiError {
    const message = `The last ${MAX_REFUSED} lines were refused, so line ${this.#last} is the last one that was read; correct them, and send them again with the lines after them.`;
    return apiError('REQUEST_BODY_MALFORMED', message);
  }
}

/**
 * Reads lines as fast as the rate limit admits them.
 *
 * @throws {ApiError} RATE_LIMIT_EXCEEDED after the time of an idle client
 */
function limitedLines({ write }: KeyedLines): AsyncIterable<RawRecord> {
  const { quota, contract } = write.operation.system;
  const lines = sentLines(write);
  return quota === null ? lines : inQuota(lines, quota, contract.model.limits.requestTimeout);
}

async function* inQuota(lines: AsyncIterable<RawRecord>, quota: Quota, patience: number): AsyncGenerator<RawRecord> {
  let count = 0;
  for await (const line of lines) {
    // The request has taken the cost of the first lines.
    if (count > 0 && count % LINES_PER_WRITE === 0) await quota.takeOrWait(patience);
    count += 1;
    yield line;
  }
}

function sentLines({ operation, request }: RequestedWrite): AsyncIterable<RawRecord> {
  const { content, gzipped } = request.body;
  if (content === null) return splitLines(none());
  const { limits } = operation.system.contract.model;
  const chunks = gzipped ? inflateChunks(content.chunks(), limits.body) : content.chunks();
  return splitLines(chunks, (bytes) => content.keep?.(bytes));
}

async function* none(): AsyncGenerator<Uint8Array> {}

/** Writes a line. Never rejects. */
async function runLine(line: RawRecord, lines: KeyedLines, services: BatchServices): Promise<LineResult> {
  const { write } = lines;
  const { dry } = write.request;
  const { number } = line;
  try {
    const body = parseLine(line, write.operation.system.contract);
    const key = lines.key === null ? null : lineName(lines.key, number);
    const { result, replayed } = await commitOnce(key, write, { body, dry, since: services.sources.now() }, services);
    return dry ? { kind: 'checked', line: number } : { kind: 'created', line: number, id: result.row.id, replayed };
  } catch (error) {
    return { kind: 'failed', line: number, error: describeLineError(error, lines, services) };
  }
}

function parseLine({ raw }: RawRecord, { model }: Contract): ParsedBody {
  if (raw === null) {
    const error = apiError('REQUEST_BODY_TOO_LARGE', `The line is longer than ${MAX_LINE} bytes; send a shorter one.`);
    return { kind: 'invalid', error, bytes: new Uint8Array() };
  }
  const bytes = recordContent(raw);
  try {
    return { kind: 'parsed', json: readJson(bytes, model.limits), bytes };
  } catch (error) {
    if (error instanceof ApiError) return { kind: 'invalid', error: inLine(error), bytes };
    throw error;
  }
}

/** The parser saw one line, so a position in it is a column. */
function inLine({ status, code, message, details }: ApiError): ApiError {
  return new ApiError(status, code, message.replace('line 1, column', 'column'), { details });
}

function describeLineError(
  failure: unknown,
  { write }: KeyedLines,
  { sources, observe }: Pick<BatchServices, 'sources' | 'observe'>,
): ErrorBody {
  const { correlationId } = write.operation.caller.trace;
  return errorBody(reportedError(failure, correlationId, observe), correlationId, timestamp(sources.now()));
}
