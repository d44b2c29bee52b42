import { ApiError, errorBody, apiError } from '../../conventions/errors.ts';
import { UNCONDITIONAL } from '../../conventions/preconditions.ts';
import { timestamp } from '../../conventions/timestamp.ts';
import { inflateChunks } from '../../formats/gzip.ts';
import { readJson, writeJson } from '../../formats/json.ts';
import { recordContent, isBlank, type RawRecord, MAX_LINE, splitLines } from '../../formats/split-records.ts';
import { commonHeaders, appliedPreferences, uncachedResponse } from '../represent/response.ts';
import type { ParsedBody } from '../write/parsed-body.ts';
import type { ApiResponse, BodyStream } from '../exchange.ts';
import { recordName } from '../write/idempotency.ts';
import { type StartedTask, runOrdered } from './ordered-concurrency.ts';
import { type RequestedWrite, requestedWrite } from '../write/requested-write.ts';
import { reportedError } from '../refuse.ts';
import { commitOnce } from '../write/commit-once.ts';
import type { Surroundings } from '../surroundings.ts';

/** How much may be under way at once: enough lines to share commits, little enough to hold. Lines, bytes. */
const WINDOW = { items: 256, bytes: 4 * 1_048_576 };

/**
 * Takes in one resource a line, and tells what became of each in turn (MET-13): each line is a write of its own. The lines are read as their
 * results leave, so that memory stays the same however many there are. Under an `Idempotency-Key` each line is done once: the same lines,
 * sent again after a broken connection, go on where they stopped.
 *
 * @throws {ApiError} 400, 404, 412 before the first line is read
 */
export async function answerLines(asked: RequestedWrite, surroundings: Surroundings): Promise<ApiResponse> {
  const { operation, dry } = asked;
  const { request, compiled } = operation;
  const key = dry ? null : recordName(request, compiled.resource.idempotency === 'required', surroundings);
  await operation.precheck(surroundings);
  // Preconditions are of the request, and were judged once: what its own lines change does not count against the next one.
  const line = requestedWrite({ ...request, preconditions: UNCONDITIONAL });
  if (line === null) throw new Error('lines were read for a request that writes nothing');
  const headers = [
    ...commonHeaders(request.exchange, surroundings.version),
    ...(dry ? ['Dry-Run', 'true'] : []),
    'Content-Type',
    request.offer.contentType,
    ...appliedPreferences(request),
  ];
  return uncachedResponse(200, headers, results({ ...line, key }, surroundings));
}

interface KeyedLines extends RequestedWrite {
  readonly key: string | null;
}

async function* results(asked: KeyedLines, surroundings: Surroundings): BodyStream & AsyncGenerator<string> {
  const { correlationId } = asked.operation.request.exchange;
  const begin = (line: RawRecord): StartedTask | null => {
    if (line.raw !== null && isBlank(recordContent(line.raw))) return null;
    return { bytes: line.raw?.length ?? 0, result: result(line, asked, surroundings) };
  };
  try {
    yield* runOrdered(linesOf(asked), begin, WINDOW);
  } catch (error) {
    // What broke off is the body itself; the lines that were read are done.
    yield `${writeJson({ error: errorOf(error, correlationId, surroundings) })}\n`;
    throw error;
  }
}

function linesOf({ operation: { request } }: KeyedLines): AsyncIterable<RawRecord> {
  if (request.body === null) return splitLines(none());
  const chunks = request.body.chunks();
  return splitLines(request.gzipped ? inflateChunks(chunks) : chunks);
}

async function* none(): AsyncGenerator<Uint8Array> {}

/** The result of a line, as a line. Never rejects. */
async function result(line: RawRecord, asked: KeyedLines, surroundings: Surroundings): Promise<string> {
  const { compiled, request, within } = asked.operation;
  const { number } = line;
  try {
    const body = readLine(line, surroundings);
    const key = asked.key === null ? null : `${asked.key}:${number}`;
    const settling = { body, dry: asked.dry, since: surroundings.now() };
    const { outcome } = await commitOnce(key, asked.operation, settling, surroundings);
    if (asked.dry) return `${writeJson({ line: number, status: 200 })}\n`;
    const location = surroundings.compiled.addresses.item(request.base, compiled.resource, within, outcome.row.id);
    return `${writeJson({ line: number, status: 201, id: outcome.row.id, location })}\n`;
  } catch (error) {
    const body = errorOf(error, request.exchange.correlationId, surroundings);
    return `${writeJson({ line: number, status: body.httpStatus, error: body })}\n`;
  }
}

function readLine({ raw }: RawRecord, { compiled }: Surroundings): ParsedBody {
  if (raw === null) {
    const error = apiError('REQUEST_BODY_TOO_LARGE', `The line is longer than ${MAX_LINE} bytes; send a shorter one.`);
    return { kind: 'faulty', error, bytes: new Uint8Array() };
  }
  const bytes = recordContent(raw);
  try {
    return { kind: 'read', json: readJson(bytes, compiled.model.limits), bytes };
  } catch (error) {
    if (error instanceof ApiError) return { kind: 'faulty', error: inLine(error), bytes };
    throw error;
  }
}

/** What is read is one line, so a place in it is a column. */
function inLine({ status, code, message, details }: ApiError): ApiError {
  return new ApiError(status, code, message.replace('line 1, column', 'column'), { details });
}

function errorOf(
  failure: unknown,
  correlationId: string,
  { now, observe }: Surroundings,
): ReturnType<typeof errorBody> {
  return errorBody(reportedError(failure, correlationId, observe), correlationId, timestamp(now()));
}
