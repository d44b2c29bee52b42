import { type ApiError, apiError } from './errors.ts';

/* What keeps a request from arriving whole, wherever it comes in. */

/** The body passes what is taken in (413). @param limit bytes */
export function bodyTooLargeError(limit: number): ApiError {
  return apiError('REQUEST_BODY_TOO_LARGE', `The body is larger than ${limit} bytes; send a smaller one.`);
}

/** The request did not arrive in time (408). */
export function requestTimeoutError(): ApiError {
  return apiError('REQUEST_TIMEOUT', 'The request did not arrive in time; send it again without pauses.');
}

/** The body has no end. It reaches nobody but the log: the connection that could carry the answer is gone. */
export function incompleteBodyError(cause?: unknown): ApiError {
  return apiError('REQUEST_MALFORMED', 'The connection ended before the body did; send the whole body.', { cause });
}
