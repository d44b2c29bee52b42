import {
  type ErrorBody,
  type ErrorCode,
  type ErrorDetail,
  errors,
  type ResourceErrorCode,
} from '../conventions/errors.ts';
import type { resourceErrors } from '../conventions/errors.ts';

/** Failures that no response of the API describes. Their status is that of a response of something else, such as a proxy, and 0 without one. */
const CLIENT_ERRORS = ['CLIENT_CONNECTION_FAILED', 'CLIENT_TIMEOUT', 'CLIENT_RESPONSE_INVALID'] as const;

type ClientErrorCode = (typeof CLIENT_ERRORS)[number];

/** The kinds of errors: all codes, those of resources without the prefix of the resource. */
export type ErrorKind = ErrorCode | ResourceErrorCode | ClientErrorCode | 'UNKNOWN';

type CodeOf<K extends ErrorKind> = K extends ResourceErrorCode ? `${string}_${K}` : K extends 'UNKNOWN' ? string : K;

type StatusOf<K extends ErrorKind> = K extends ErrorCode
  ? (typeof errors)[K]
  : K extends ResourceErrorCode
    ? (typeof resourceErrors)[K]
    : number;

/** An error of one kind. */
interface ErrorOfKind<K extends ErrorKind> extends Error {
  readonly name: 'RequestError';
  /** The code without the prefix of a resource: `NOT_FOUND`. `UNKNOWN` for a code of a newer server. */
  readonly kind: K;
  /** The code as the server sent it: `PRODUCT_NOT_FOUND`. */
  readonly code: CodeOf<K>;
  readonly status: StatusOf<K>;
  /** Errors of single fields, parameters or header fields. */
  readonly details: readonly ErrorDetail[];
  /** Names the request in the log of the server; null if no response has one. */
  readonly correlationId: string | null;
  /** Milliseconds after which the server wants to be asked again; null if it did not say. */
  readonly retryAfter: number | null;
}

/** Why a request failed: a union that `kind` discriminates. */
export type RequestError = { [K in ErrorKind]: ErrorOfKind<K> }[ErrorKind];

const FAILED = Symbol.for('restwright.request-error');

const KINDS_OF_RESOURCES =
  /_(INVALID|FORBIDDEN|NOT_FOUND|ALREADY_EXISTS|CONFLICT|HAS_DEPENDENTS|GONE|PRECONDITION_FAILED)$/;

/** What is known of a failure. */
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
    this.kind = kindOf(code);
    this.code = code;
    this.status = facts.status;
    this.details = facts.details ?? [];
    this.correlationId = facts.correlationId ?? null;
    this.retryAfter = facts.retryAfter ?? null;
  }
}

function kindOf(code: string): string {
  if (code in errors || isClientError(code)) return code;
  return KINDS_OF_RESOURCES.exec(code)?.[1] ?? 'UNKNOWN';
}

/** Whether a kind is one of failures that no response of the API describes. */
export function isClientError(kind: string): boolean {
  return CLIENT_ERRORS.some((each) => each === kind);
}

/** Whether a value is an error that a client has thrown, also a client of another copy of the package. */
export function isRequestError(value: unknown): value is RequestError {
  return value instanceof Error && FAILED in value;
}

/** The error that a body describes; null if it is no error of an API. */
export function describedFailure(body: unknown, retryAfter: number | null): FailedRequest | null {
  if (!isErrorBody(body)) return null;
  const { httpStatus: status, errorCode, errorMessage, correlationId, details } = body;
  return new FailedRequest(errorCode, errorMessage, { status, details, correlationId, retryAfter });
}

function isErrorBody(body: unknown): body is ErrorBody {
  return typeof body === 'object' && body !== null && 'errorCode' in body && typeof body.errorCode === 'string';
}
