import { ApiError, apiError } from '../conventions/errors.ts';
import { ConversionError } from '../model/values/conversion-error.ts';
import type { Observe } from '../observe/observation.ts';
import {
  RoleForbidden,
  StatementTimeout,
  StoreOverloaded,
  StoreUnavailable,
  type UnavailableReason,
  WriteOutcomeUnknown,
} from '../stores/store.ts';

/** Seconds after which a client may retry a request that failed for a temporary reason. */
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

/** Lists the header fields of an error; 503 has `Retry-After`. */
export function errorHeaders({ status, headers }: ApiError): ApiError['headers'] {
  return status === 503 ? { 'Retry-After': RETRY_AFTER, ...headers } : headers;
}

/** Makes the error that the client receives for a failure. Details that the client does not receive are observed. */
export function reportedError(failure: unknown, correlationId: string, observe: Observe): ApiError {
  const error = asApiError(failure);
  const reported = error.status === 500 ? failure : failedFunction(error);
  if (reported !== null) observe({ kind: 'error', correlationId, error: reported });
  if (failure instanceof StoreUnavailable) observe({ kind: 'store-unavailable', error: failure });
  if (failure instanceof StatementTimeout) observe({ kind: 'read-stopped', reason: 'timeout', correlationId });
  if (failure instanceof StoreOverloaded) observe({ kind: 'read-stopped', reason: 'queue', correlationId });
  return error;
}

/** The error of a function of the model that converts values of an older contract; null for any other refusal. */
function failedFunction({ cause }: ApiError): unknown {
  return cause instanceof ConversionError ? (cause.cause ?? null) : null;
}

/** Any other error becomes a constant 500 (ERR-7). */
function asApiError(failure: unknown): ApiError {
  if (failure instanceof ApiError) return failure;
  if (failure instanceof RoleForbidden) return roleForbidden(failure);
  if (failure instanceof StatementTimeout) {
    return apiError(
      'SERVER_TIMEOUT',
      'The query took too long and was stopped; narrow it by a filter, an indexed sort, or further words in q.',
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

/** 403 of a caller whose role of the database may not do this; 401 without credentials. */
function roleForbidden(cause: RoleForbidden): ApiError {
  if (!cause.isAnonymous)
    return apiError('AUTH_ROLE_FORBIDDEN', 'The database role of this token does not allow this.', { cause });
  return apiError('AUTH_REQUIRED', 'This needs credentials; send "Authorization: Bearer <token>".', { cause });
}
