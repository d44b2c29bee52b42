import { cut } from './text/quoted.ts';

/**
 * A problem with one field, parameter or header. `field` is a dotted path in wire names (`items[0].sku`).
 *
 * @example
 * ```ts
 * const detail: ErrorDetail = { field: 'price', message: 'must be at least 0' };
 * ```
 */
export interface ErrorDetail {
  readonly field: string;
  readonly message: string;
}

/** The body of every error, its six members in this order (ERR-1). */
export interface ErrorBody {
  readonly httpStatus: number;
  readonly errorCode: string;
  readonly errorMessage: string;
  readonly correlationId: string;
  readonly timestamp: string;
  readonly details: readonly ErrorDetail[];
}

/**
 * Every error code without a resource prefix, with its status (ERR-2). This table and {@link resourceErrors} are the
 * whole catalogue.
 */
export const errors = {
  REQUEST_MALFORMED: 400,
  REQUEST_URI_INVALID: 400,
  REQUEST_HEADER_INVALID: 400,
  REQUEST_BODY_REQUIRED: 400,
  REQUEST_BODY_MALFORMED: 400,
  REQUEST_PARAMETER_UNKNOWN: 400,
  REQUEST_PARAMETER_DUPLICATED: 400,
  REQUEST_PARAMETER_INVALID: 400,
  QUERY_FILTER_INVALID: 400,
  QUERY_SORT_INVALID: 400,
  QUERY_FIELDS_INVALID: 400,
  QUERY_EXPAND_INVALID: 400,
  PAGINATION_LIMIT_INVALID: 400,
  PAGINATION_POSITION_INVALID: 400,
  PAGINATION_CONFLICT: 400,
  PAGINATION_CURSOR_INVALID: 400,
  PAGINATION_CURSOR_MISMATCH: 400,
  API_VERSION_INVALID: 400,
  API_VERSION_UNSUPPORTED: 400,
  API_VERSION_CONFLICT: 400,
  IDEMPOTENCY_KEY_REQUIRED: 400,
  IDEMPOTENCY_KEY_INVALID: 400,
  AUTH_REQUEST_INVALID: 400,
  WEBHOOK_URL_FORBIDDEN: 400,
  BATCH_INVALID: 400,
  AUTH_REQUIRED: 401,
  AUTH_TOKEN_EXPIRED: 401,
  AUTH_TOKEN_INVALID: 401,
  AUTH_SCOPE_INSUFFICIENT: 403,
  AUTH_TLS_REQUIRED: 403,
  AUTH_ORIGIN_FORBIDDEN: 403,
  AUTH_ROLE_FORBIDDEN: 403,
  REQUEST_ROUTE_NOT_FOUND: 404,
  API_VERSION_NOT_FOUND: 404,
  REQUEST_METHOD_NOT_ALLOWED: 405,
  REQUEST_NOT_ACCEPTABLE: 406,
  REQUEST_TIMEOUT: 408,
  IDEMPOTENCY_KEY_IN_PROGRESS: 409,
  API_VERSION_RETIRED: 410,
  EVENT_POSITION_EXPIRED: 410,
  REQUEST_BODY_TOO_LARGE: 413,
  REQUEST_URI_TOO_LONG: 414,
  REQUEST_MEDIA_TYPE_UNSUPPORTED: 415,
  REQUEST_ENCODING_UNSUPPORTED: 415,
  REQUEST_EXPECTATION_FAILED: 417,
  IDEMPOTENCY_KEY_REUSED: 422,
  REQUEST_PRECONDITION_REQUIRED: 428,
  RATE_LIMIT_EXCEEDED: 429,
  REQUEST_HEADERS_TOO_LARGE: 431,
  SERVER_ERROR: 500,
  REQUEST_METHOD_NOT_IMPLEMENTED: 501,
  SERVER_UNAVAILABLE: 503,
  SERVER_OUTCOME_UNKNOWN: 503,
  SERVER_OVERLOADED: 503,
  SERVER_TIMEOUT: 503,
  AUTH_UNAVAILABLE: 503,
} as const;

/** Error codes with a resource prefix (`PRODUCT_NOT_FOUND`): the part after the prefix, with its status. */
export const resourceErrors = {
  INVALID: 400,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  CONFLICT: 409,
  HAS_DEPENDENTS: 409,
  GONE: 410,
  PRECONDITION_FAILED: 412,
} as const;

/**
 * The code of an error of the API.
 *
 * @example
 * ```ts
 * if (error instanceof ApiError && error.code === 'REQUEST_BODY_TOO_LARGE') shorten();
 * ```
 */
export type ErrorCode = keyof typeof errors;
export type ResourceErrorCode = keyof typeof resourceErrors;

/** Maximum number of entries in `details` (ERR-3). */
export const MAX_DETAILS = 100;
/** Maximum characters of a field name, of a message, and of all `details`, so that no request makes an error large. */
const MAX_FIELD = 256;
const MAX_MESSAGE = 2_048;
const MAX_DETAILS_TEXT = 32_768;

export interface ApiErrorOptions {
  readonly details?: readonly ErrorDetail[];
  /** Response header fields of this error (`Allow`, `Accept-Patch`, `Retry-After`), by name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The internal cause. It is logged and never sent to the caller (ERR-4, ERR-7). */
  readonly cause?: unknown;
}

/**
 * An error that is sent to the caller. Its message states the cause and, if that is safe, the fix (ERR-4).
 *
 * @example
 * ```ts
 * if (error instanceof ApiError && error.code === 'RATE_LIMIT_EXCEEDED') retryLater();
 * ```
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly details: readonly ErrorDetail[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, message: string, options: ApiErrorOptions = {}) {
    super(cut(message, MAX_MESSAGE), options.cause === undefined ? undefined : { cause: options.cause });
    this.status = status;
    this.code = code;
    this.details = boundedDetails(options.details ?? []);
    this.headers = options.headers ?? {};
  }
}

/** The first details, as many as an error may have: at least one, if there is any. */
function boundedDetails(details: readonly ErrorDetail[]): readonly ErrorDetail[] {
  const bounded: ErrorDetail[] = [];
  let size = 0;
  for (const { field, message } of details.slice(0, MAX_DETAILS)) {
    const detail = { field: cut(field, MAX_FIELD), message: cut(message, MAX_MESSAGE) };
    size += detail.field.length + detail.message.length;
    if (size > MAX_DETAILS_TEXT) break;
    bounded.push(detail);
  }
  return bounded;
}

/** An error with a code without a resource prefix. */
export function apiError(code: ErrorCode, message: string, options?: ApiErrorOptions): ApiError {
  return new ApiError(errors[code], code, message, options);
}

/**
 * An error with the code of a resource.
 *
 * @param prefix the singular name of the resource in capitals, `ORDER_ITEM`
 */
export function resourceError(
  prefix: string,
  code: ResourceErrorCode,
  message: string,
  options?: ApiErrorOptions,
): ApiError {
  return new ApiError(resourceErrors[code], `${prefix}_${code}`, message, options);
}

/** The body of an error (ERR-1). @param timestamp RFC 3339 in UTC with milliseconds */
export function errorBody(error: ApiError, correlationId: string, timestamp: string): ErrorBody {
  return {
    httpStatus: error.status,
    errorCode: error.code,
    errorMessage: error.message,
    correlationId,
    timestamp,
    details: error.details,
  };
}
