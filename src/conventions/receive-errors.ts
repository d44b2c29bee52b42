import { type ApiError, apiError } from './errors.ts';

const RETRY_AFTER = { headers: { 'Retry-After': '1' } };

/** The body is larger than the limit (413). @param limit bytes */
export function bodyTooLargeError(limit: number): ApiError {
  return apiError('REQUEST_BODY_TOO_LARGE', `The body is larger than ${limit} bytes; send a smaller one.`);
}

/** Too much is in progress to begin with this request (503, LIM-1, LIM-3). */
export function serverOverloadedError(): ApiError {
  return apiError('SERVER_OVERLOADED', 'The server is overloaded. Send the request again later.', RETRY_AFTER);
}

/** The handler took too long (503, LIM-1). */
export function handlerTimedOut(): ApiError {
  const message = 'The server took too long to respond. Send the request again later.';
  return apiError('SERVER_TIMEOUT', message, RETRY_AFTER);
}

/** Clients have not read too many responses yet (503, LIM-1). */
export function unsentResponsesError(): ApiError {
  const message = 'The server holds too many responses that clients have not read yet. Send the request again later.';
  return apiError('SERVER_OVERLOADED', message, RETRY_AFTER);
}

/** The request was not received in time (408). */
export function requestTimeoutError(): ApiError {
  return apiError('REQUEST_TIMEOUT', 'The request was not received in time; send it again.');
}

/**
 * The connection closed before the body was complete. Only the log shows this error: no client is left to receive it.
 */
export function incompleteBodyError(cause?: unknown): ApiError {
  return apiError('REQUEST_MALFORMED', 'The connection closed before the body was complete; send the whole body.', {
    cause,
  });
}

/**
 * The connection closed before the response was made. Only the log shows this error: no client is left to receive it.
 */
export function abandonedRequestError(): ApiError {
  return apiError('REQUEST_MALFORMED', 'The connection closed before the response was complete.');
}

/**
 * The host application has read the body before the API could (500). This is a mistake in its code; the message
 * names it for its developer.
 *
 * @param contentType of the request; null if absent
 */
export function bodyAlreadyReadError(contentType: string | null): ApiError {
  const [, parser = 'express.raw()'] = BODY_PARSERS.find(([type]) => contentType?.toLowerCase().includes(type)) ?? [];
  const message = `A body parser, such as ${parser}, read the body before the API could. Mount the API before body parsers, and pass it requests with an unread body.`;
  return apiError('SERVER_ERROR', message);
}

/** The usual parser of Express by a part of the media type. */
const BODY_PARSERS: readonly (readonly [type: string, parser: string])[] = [
  ['json', 'express.json()'],
  ['x-www-form-urlencoded', 'express.urlencoded()'],
  ['multipart/', 'multer'],
  ['text/', 'express.text()'],
];
