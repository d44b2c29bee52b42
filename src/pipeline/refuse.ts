import { ApiError, type ErrorBody, errorBody, apiError } from '../conventions/errors.ts';
import type { JsonObject } from '../conventions/json/json.ts';
import { essence } from '../conventions/media/media-type.ts';
import { negotiate, type Offer, parseAccept } from '../conventions/media/negotiation.ts';
import { STATUS_PHRASES } from '../conventions/status-phrases.ts';
import { timestamp } from '../conventions/text/timestamp.ts';
import { writeJson } from '../formats/json.ts';
import { writeText } from '../formats/text.ts';
import { writeXml } from '../formats/xml.ts';
import type { Observe } from '../observe/observation.ts';
import {
  StatementTimeout,
  StoreOverloaded,
  StoreUnavailable,
  type UnavailableReason,
  WriteOutcomeUnknown,
} from '../stores/store.ts';
import { commonHeaders, uncachedResponse } from '../represent/response.ts';
import type { BufferedResponse } from '../exchange/handler.ts';
import type { Exchange, ServedContract } from './receive.ts';

/** The formats of an error body, the default first (ERR-6). */
const OFFERS: readonly (Offer & { readonly contentType?: string; readonly write: (body: ErrorBody) => string })[] = [
  { type: 'application', subtype: 'json', write: writeJson },
  { type: 'application', subtype: 'problem+json', write: problem },
  { type: 'application', subtype: 'xml', write: (body) => writeXml('error', errorJson(body)) },
  { type: 'text', subtype: 'plain', contentType: 'text/plain; charset=utf-8', write: errorText },
];
const [JSON_ERROR] = OFFERS;

/** Seconds after which a client may retry what failed for a temporary reason. */
const RETRY_AFTER = '1';

/** Messages for a database that cannot be used. */
const UNAVAILABLE: Readonly<Record<UnavailableReason | 'unknown', string>> = {
  locked: 'The database has been locked by another process for too long; try again.',
  full: 'The disk of the server is full; reads still work. Try again later.',
  io: 'The disk of the server has failed to read or write; try again later.',
  'read-only': 'The database of the server can only be read at the moment; try again later.',
  corrupt: 'The database of the server is damaged; its operator has to restore it.',
  lost: 'The database file of the server was moved, deleted or replaced, and the server has to be restarted. A write that got this response is not acknowledged; that file may contain it.',
  away: 'The database of the server cannot be reached; nothing was changed. Try again.',
  migrated:
    'The database of the server was migrated to another model; its operator has to restart the server with that model.',
  unknown: 'The database is not available; try again.',
};

/** What `refuse` needs besides the exchange. */
export interface RefuseOptions {
  /** Of a request whose own contract is not known. */
  readonly contract: ServedContract;
  readonly observe: Observe;
  readonly now: () => number;
}

/**
 * The response to a failure: the one place that writes an error body (ERR-1 to ERR-7). Any error other than an `ApiError` is observed and
 * becomes a constant 500.
 */
export function refuse(
  exchange: Exchange,
  failure: unknown,
  { contract, observe, now }: RefuseOptions,
): BufferedResponse {
  const error = reportedError(failure, exchange.correlationId, observe);
  exchange.note.errorCode = error.code;
  const body = errorBody(error, exchange.correlationId, timestamp(now()));
  const headers = [
    ...commonHeaders(exchange, exchange.note.contract ?? contract),
    ...Object.entries(errorHeaders(error)).flat(),
  ];
  const offer = chosenOffer(exchange) ?? JSON_ERROR;
  if (offer === undefined) throw new Error('errors have no format');
  return uncachedResponse(
    error.status,
    [...headers, 'Content-Type', offer.contentType ?? essence(offer)],
    offer.write(body),
  );
}

/** Problem details (RFC 9457): our six members first, then the standard's. */
function problem(body: ErrorBody): string {
  const { httpStatus: status, errorMessage: detail, correlationId } = body;
  const title = STATUS_PHRASES[status] ?? 'Error';
  // A URI reference that names this occurrence and cannot be fetched (RFC 9457 3.1.5).
  const instance = `#${correlationId}`;
  return writeJson({ ...body, type: 'about:blank', title, status, detail, instance });
}

function errorJson(body: ErrorBody): JsonObject {
  return { ...body, details: body.details.map(({ field, message }) => ({ field, message })) };
}

/** Six lines, the details in one. */
function errorText(body: ErrorBody): string {
  const details = body.details.map(({ field, message }) => `${field} ${message}`).join('; ');
  return writeText({ ...body, details });
}

/** The header fields of an error; 503 has `Retry-After`. */
export function errorHeaders({ status, headers }: ApiError): ApiError['headers'] {
  return status === 503 ? { 'Retry-After': RETRY_AFTER, ...headers } : headers;
}

/** A failure as the error that the client receives. What the client does not receive is observed. */
export function reportedError(failure: unknown, correlationId: string, observe: Observe): ApiError {
  const error = asApiError(failure);
  if (error.status === 500) observe({ kind: 'error', correlationId, error: failure });
  if (failure instanceof StoreUnavailable) observe({ kind: 'store-unavailable', error: failure });
  if (failure instanceof StatementTimeout) observe({ kind: 'read-stopped', reason: 'timeout', correlationId });
  if (failure instanceof StoreOverloaded) observe({ kind: 'read-stopped', reason: 'queue', correlationId });
  return error;
}

/** Any other error becomes a constant 500 (ERR-7). */
function asApiError(failure: unknown): ApiError {
  if (failure instanceof ApiError) return failure;
  if (failure instanceof StatementTimeout) {
    return apiError(
      'SERVER_TIMEOUT',
      'The query took too long and was stopped; narrow it by a filter or an indexed sort.',
    );
  }
  if (failure instanceof StoreOverloaded) {
    return apiError(
      'SERVER_OVERLOADED',
      'Too many reads wait for the database; try again, or narrow the query by a filter.',
    );
  }
  if (failure instanceof WriteOutcomeUnknown) {
    const message =
      'The database did not confirm the write, which may have been made. Send it again with the same Idempotency-Key, which makes it once; without one, read first.';
    return apiError('SERVER_OUTCOME_UNKNOWN', message, { cause: failure });
  }
  if (failure instanceof StoreUnavailable) {
    return apiError('SERVER_UNAVAILABLE', UNAVAILABLE[failure.reason ?? 'unknown'], { cause: failure });
  }
  return apiError('SERVER_ERROR', 'The server failed; the cause is in its log under the correlation id.', {
    cause: failure,
  });
}

/** The format that the caller ranks highest (ERR-6); null where nothing fits, or where `Accept` cannot be read and so ranks nothing. */
function chosenOffer({ fields }: Exchange): (typeof OFFERS)[number] | null {
  try {
    return negotiate(parseAccept(fields.get('accept')), OFFERS);
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}
