import { ApiError, type ErrorBody, errorBody } from '../conventions/errors.ts';
import type { JsonObject } from '../conventions/json/json.ts';
import { essence } from '../conventions/media/media-type.ts';
import { negotiate, type Offer, parseAccept } from '../conventions/media/negotiation.ts';
import { STATUS_PHRASES } from '../conventions/status-phrases.ts';
import { timestamp } from '../conventions/text/timestamp.ts';
import { writeJson } from '../formats/json.ts';
import { writeText } from '../formats/text.ts';
import { writeXml } from '../formats/xml.ts';
import type { Observe } from '../observe/observation.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { BufferedResponse } from '../exchange/handler.ts';
import { errorHeaders, reportedError } from '../operations/reported-error.ts';
import { commonHeaders, uncachedResponse } from '../represent/response.ts';

/** The formats of an error body, the default first (ERR-6). */
const OFFERS: readonly (Offer & { readonly contentType?: string; readonly write: (body: ErrorBody) => string })[] = [
  { type: 'application', subtype: 'json', write: writeJson },
  { type: 'application', subtype: 'problem+json', write: problem },
  { type: 'application', subtype: 'xml', write: (body) => writeXml('error', errorJson(body)) },
  { type: 'text', subtype: 'plain', contentType: 'text/plain; charset=utf-8', write: errorText },
];
const [JSON_ERROR] = OFFERS;

/** Options of {@link refuse}. */
export interface RefuseOptions {
  readonly observe: Observe;
  readonly now: () => number;
}

/**
 * Responds to a failure: the one place that writes an error body (ERR-1 to ERR-7). Any error other than an `ApiError`
 * is observed and becomes a constant 500.
 */
export function refuse(exchange: Exchange, failure: unknown, { observe, now }: RefuseOptions): BufferedResponse {
  const error = reportedError(failure, exchange.correlationId, observe);
  exchange.note.errorCode = error.code;
  const body = errorBody(error, exchange.correlationId, timestamp(now()));
  const headers = [...commonHeaders(exchange), ...Object.entries(errorHeaders(error)).flat()];
  const offer = chosenOffer(exchange) ?? JSON_ERROR;
  if (offer === undefined) throw new Error('errors have no format');
  return uncachedResponse(
    error.status,
    [...headers, 'Content-Type', offer.contentType ?? essence(offer)],
    offer.write(body),
  );
}

/** Writes problem details (RFC 9457): our six members first, then the standard's. */
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

/** Writes six lines, the details in one. */
function errorText(body: ErrorBody): string {
  const details = body.details.map(({ field, message }) => `${field} ${message}`).join('; ');
  return writeText({ ...body, details });
}

/** Selects the format that the caller ranks highest (ERR-6); null if nothing fits, or `Accept` is invalid. */
function chosenOffer({ fields }: Exchange): (typeof OFFERS)[number] | null {
  try {
    return negotiate(parseAccept(fields.get('accept')), OFFERS);
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}
