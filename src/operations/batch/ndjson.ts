import { ApiError, apiError, errorBody } from '../../conventions/errors.ts';
import { UNCONDITIONAL } from '../../conventions/headers/preconditions.ts';
import { timestamp } from '../../conventions/text/timestamp.ts';
import { inflateChunks } from '../../formats/gzip.ts';
import { readJson, writeJson } from '../../formats/json.ts';
import { isBlank, MAX_LINE, type RawRecord, recordContent, splitLines } from '../../formats/split-records.ts';
import { inTimeSlices } from '../../platform/time-slices.ts';
import type { Contract } from '../../contract/contract.ts';
import type { BodyStream } from '../../exchange/handler.ts';
import type { Quota } from '../quota.ts';
import { reportedError } from '../../pipeline/refuse.ts';
import type { ParsedBody } from '../write/parsed-body.ts';
import { requestedWrite, type RequestedWrite } from '../write/requested-write.ts';
import { commitOnce } from '../write/write-request.ts';
import type { BatchServices } from './batch-run.ts';
import { runOrdered, type StartedTask } from './ordered-concurrency.ts';

/** How much may be in progress at a time: enough lines to share commits, little enough to hold in memory. Lines, bytes. */
const CONCURRENCY = { items: 256, bytes: 4 * 1_048_576 };
/** Lines that take as much from a rate limit as one write (LIM-2). */
const LINES_PER_WRITE = 100;

/** The results of NDJSON, a line each, made while they are sent. */
export interface LinesOutcome {
  readonly kind: 'lines';
  readonly dry: boolean;
  readonly results: BodyStream;
}

interface KeyedLines extends RequestedWrite {
  readonly key: string | null;
}

/**
 * Creates one resource per line and reports the result of each in the same order (MET-13): every line is a write of its own. Lines are read as
 * their results are sent, so that memory does not grow with their number. Under an `Idempotency-Key` each line is written once: the same
 * lines, sent again after a broken connection, resume where they stopped.
 *
 * @throws {ApiError} 400, 404, 412 before the first line is read
 */
export async function importLines({ operation, dry }: RequestedWrite, services: BatchServices): Promise<LinesOutcome> {
  const { request, contract, compiled } = operation;
  const name = services.idempotency.name(request, compiled.resource.idempotency === 'required');
  const key = dry ? null : name;
  // Sent again after its first line was written, its lines are replayed whatever became of the collection since (step 13 before 14).
  const isResumed = key !== null && (await services.idempotency.find(lineName(key, 1))) !== null;
  if (!isResumed) await operation.precheck(services);
  // Preconditions belong to the request and were judged once: what its own lines change does not fail the next one.
  const line = requestedWrite({ ...request, contract, preconditions: UNCONDITIONAL });
  return { kind: 'lines', dry, results: resultLines({ ...line, key }, services) };
}

/** The name of a line's idempotency record. */
function lineName(key: string, line: number): string {
  return `${key}:${line}`;
}

async function* resultLines(lines: KeyedLines, services: BatchServices): BodyStream & AsyncGenerator<string> {
  const { correlationId } = lines.operation.request.exchange;
  const start = (line: RawRecord): StartedTask | null => {
    if (line.raw !== null && isBlank(recordContent(line.raw))) return null;
    return { bytes: line.raw?.length ?? 0, result: resultLine(line, lines, services) };
  };
  try {
    yield* runOrdered(inTimeSlices(limitedLines(lines)), start, CONCURRENCY);
  } catch (error) {
    // The body itself broke off; the lines that were read are done.
    yield `${writeJson({ error: errorOf(error, correlationId, services) })}\n`;
    throw error;
  }
}

/** The lines as fast as the rate limit admits them: nothing is read while they wait. @throws {ApiError} RATE_LIMIT_EXCEEDED after the time of an idle client */
function limitedLines(lines: KeyedLines): AsyncIterable<RawRecord> {
  const { quota, contract } = lines.operation.request;
  return quota === null ? linesOf(lines) : inQuota(linesOf(lines), quota, contract.model.limits.requestTimeout);
}

async function* inQuota(lines: AsyncIterable<RawRecord>, quota: Quota, patience: number): AsyncGenerator<RawRecord> {
  let count = 0;
  for await (const line of lines) {
    // The request has taken what the first lines take.
    if (count > 0 && count % LINES_PER_WRITE === 0) await quota.takeOrWait(patience);
    count += 1;
    yield line;
  }
}

function linesOf({ operation: { request } }: KeyedLines): AsyncIterable<RawRecord> {
  const { body, gzipped, contract } = request;
  if (body === null) return splitLines(none());
  const chunks = gzipped ? inflateChunks(body.chunks(), contract.model.limits.body) : body.chunks();
  return splitLines(chunks, (bytes) => body.keep?.(bytes));
}

async function* none(): AsyncGenerator<Uint8Array> {}

/** The result of a line, as a line. Never rejects. */
async function resultLine(line: RawRecord, lines: KeyedLines, services: BatchServices): Promise<string> {
  const { operation, dry } = lines;
  const { contract, shown, request, within } = operation;
  const { number } = line;
  try {
    const body = parseLine(line, request.contract);
    const key = lines.key === null ? null : lineName(lines.key, number);
    const { result, replayed } = await commitOnce(
      key,
      operation,
      { body, dry, since: services.sources.now() },
      services,
    );
    if (dry) return `${writeJson({ line: number, status: 200 })}\n`;
    const { id } = result.row;
    const location = contract.urls.item(request.base, shown.resource, within, id);
    const marks = replayed ? { replayed } : {};
    return `${writeJson({ line: number, status: 201, id, location, ...marks })}\n`;
  } catch (error) {
    const body = errorOf(error, request.exchange.correlationId, services);
    return `${writeJson({ line: number, status: body.httpStatus, error: body })}\n`;
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

function errorOf(
  failure: unknown,
  correlationId: string,
  { sources, observe }: Pick<BatchServices, 'sources' | 'observe'>,
): ReturnType<typeof errorBody> {
  return errorBody(reportedError(failure, correlationId, observe), correlationId, timestamp(sources.now()));
}
