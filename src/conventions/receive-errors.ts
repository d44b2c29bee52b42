import { type ApiError, apiError } from './errors.ts';

/** The body is larger than the limit (413). @param limit bytes */
export function bodyTooLargeError(limit: number): ApiError {
  return apiError('REQUEST_BODY_TOO_LARGE', `The body is larger than ${limit} bytes; send a smaller one.`);
}

/** The request was not received in time (408). */
export function requestTimeoutError(): ApiError {
  return apiError('REQUEST_TIMEOUT', 'The request was not received in time; send it again.');
}

/** The connection closed before the body was complete. Only the log shows this error: no client is left to receive it. */
export function incompleteBodyError(cause?: unknown): ApiError {
  return apiError('REQUEST_MALFORMED', 'The connection closed before the body was complete; send the whole body.', {
    cause,
  });
}
