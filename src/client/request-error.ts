import {
  type ErrorBody,
  type ErrorCode,
  type ErrorDetail,
  errors,
  type ResourceErrorCode,
} from '../conventions/errors.ts';
import type { resourceErrors } from '../conventions/errors.ts';
import type { ApiTypes, ErrorPrefix } from './api-types.ts';
import type { ApiOf } from './model-types.ts';

/**
 * Failures that no response of the API describes. Their status is that of a response of something else, such as a
 * proxy, and 0 without one.
 */
const CLIENT_ERRORS = ['CLIENT_CONNECTION_FAILED', 'CLIENT_TIMEOUT', 'CLIENT_RESPONSE_INVALID'] as const;

type ClientErrorCode = (typeof CLIENT_ERRORS)[number];

/** The kinds of errors: all codes, those of resources without the prefix of the resource. */
export type ErrorKind = ErrorCode | ResourceErrorCode | ClientErrorCode | 'UNKNOWN';

/** @typeParam P the prefixes of resources */
type CodeOf<K extends ErrorKind, P extends string> = K extends ResourceErrorCode ? `${P}_${K}` : K;

type StatusOf<K extends ErrorKind> = K extends ErrorCode
  ? (typeof errors)[K]
  : K extends ResourceErrorCode
    ? (typeof resourceErrors)[K]
    : number;

/** An error of one kind. */
interface ErrorOfKind<K extends ErrorKind, P extends string> extends Error {
  readonly name: 'RequestError';
  /** The code without the prefix of a resource: `NOT_FOUND`. */
  readonly kind: K;
  /**
   * The code: `PRODUCT_NOT_FOUND`. `UNKNOWN` for one of a newer server, which is in `cause`, the body of the response:
   * any string would be no discriminant.
   */
  readonly code: CodeOf<K, P>;
  readonly status: StatusOf<K>;
  /** Errors of single fields, parameters or header fields. */
  readonly details: readonly ErrorDetail[];
  /** Names the request in the log of the server; null if no response has one. */
  readonly correlationId: string | null;
  /** Milliseconds after which the server wants to be asked again; null if it did not say. */
  readonly retryAfter: number | null;
}

type ErrorWith<P extends string> = { [K in ErrorKind]: ErrorOfKind<K, P> }[ErrorKind];

/**
 * The reason why a request failed: a union that `kind` discriminates, and `code`.
 *
 * @typeParam M the API, as in `createClient<M>`: then the prefixes of the codes are those of its resources
 */
export type RequestError<M = ApiTypes> = ErrorWith<ErrorPrefix<ApiOf<M>>>;

const FAILED = Symbol.for('restwright.request-error');

const KINDS_OF_RESOURCES =
  /_(INVALID|FORBIDDEN|NOT_FOUND|ALREADY_EXISTS|CONFLICT|HAS_DEPENDENTS|GONE|PRECONDITION_FAILED)$/;

/** The known facts of a failure. */
interface FailureFacts {
  readonly status: number;
  readonly details?: readonly ErrorDetail[];
  readonly correlationId?: string | null;
  readonly retryAfter?: number | null;
  readonly cause?: unknown;
}

/** The error that the client throws. */
export class FailedRequest extends Error {
  override readonly name = 'RequestError';
  readonly [FAILED] = true;
  readonly kind: string;
  readonly code: string;
  readonly status: number;
  readonly details: readonly ErrorDetail[];
  readonly correlationId: string | null;
  readonly retryAfter: number | null;

  constructor(code: string, message: string, facts: FailureFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.kind = classifyCode(code);
    this.code = this.kind === 'UNKNOWN' ? 'UNKNOWN' : code;
    this.status = facts.status;
    this.details = facts.details ?? [];
    this.correlationId = facts.correlationId ?? null;
    this.retryAfter = facts.retryAfter ?? null;
  }
}

function classifyCode(code: string): string {
  if (code in errors || isClientError(code)) return code;
  return KINDS_OF_RESOURCES.exec(code)?.[1] ?? 'UNKNOWN';
}

/** True if a kind is one of failures that no response of the API describes. */
export function isClientError(kind: string): boolean {
  return CLIENT_ERRORS.some((each) => each === kind);
}

/**
 * True if a value is an error that a client has thrown, also a client of another copy of the package.
 *
 * @typeParam M the API, so that `switch (error.code)` knows the codes of its resources
 *
 * @example
 * ```ts
 * if (isRequestError(error) && error.code === 'PRODUCT_NOT_FOUND') return null;
 * ```
 */
export function isRequestError<M = ApiTypes>(value: unknown): value is RequestError<M> {
  return value instanceof Error && FAILED in value;
}

/** The error that a body describes; null if it is no error of an API. */
export function describedFailure(body: unknown, retryAfter: number | null): FailedRequest | null {
  if (!isErrorBody(body)) return null;
  const { httpStatus: status, errorCode, errorMessage, correlationId, details } = body;
  const facts = { status, details, correlationId, retryAfter };
  const isKnown = classifyCode(errorCode) !== 'UNKNOWN';
  return new FailedRequest(errorCode, errorMessage, isKnown ? facts : { ...facts, cause: body });
}

function isErrorBody(body: unknown): body is ErrorBody {
  return typeof body === 'object' && body !== null && 'errorCode' in body && typeof body.errorCode === 'string';
}
