import { weakMemoize } from '../../cache/memoize.ts';
import { type ErrorCode, errors } from '../../conventions/errors.ts';
import { hasRoles } from '../../model/auth-rules.ts';
import type { DescribedContract } from '../described-contract.ts';
import type { CodesByStatus, OperationKind, OperationTarget } from './operation.ts';
import { type CodeWithStatus, resourceErrorCodes } from './resource-error-codes.ts';

const WRITES: ReadonlySet<OperationKind> = new Set(['create', 'replace', 'patch', 'delete', 'batch']);
const WITH_BODY: ReadonlySet<OperationKind> = new Set(['query', 'create', 'replace', 'patch', 'batch']);
const WITH_KEY: ReadonlySet<OperationKind> = new Set(['create', 'patch', 'batch']);

/** The codes of the errors of an operation (ERR-2). An operation of a batch has any code, which the batch has then. */
export function errorCodes(operation: OperationTarget, contract: DescribedContract): CodesByStatus {
  const { kind, resource } = operation;
  const required: readonly CodeWithStatus[] =
    WITH_KEY.has(kind) && resource?.idempotency === 'required' ? [['IDEMPOTENCY_KEY_REQUIRED', 400]] : [];
  const guarded: readonly CodeWithStatus[] = needsMatch(operation) ? [['REQUEST_PRECONDITION_REQUIRED', 428]] : [];
  const general = generalCodes(contract)(kind);
  return byStatus([...general, ...required, ...guarded, ...resourceErrorCodes(operation, contract)]);
}

/** True if an operation must have a precondition: it changes an existing resource that requires one (CACHE-3). */
export function needsMatch({ kind, resource }: Pick<OperationTarget, 'kind' | 'resource'>): boolean {
  return resource?.requireIfMatch === true && (kind === 'replace' || kind === 'patch' || kind === 'delete');
}

function byStatus(all: readonly CodeWithStatus[]): CodesByStatus {
  const groups = Map.groupBy(all, ([, status]) => status);
  return new Map(
    [...groups]
      .sort(([one], [other]) => one - other)
      .map(([status, codes]) => [status, [...new Set(codes.map(([code]) => code))].sort()]),
  );
}

/** The codes of a kind of operation that are none of a resource. */
export function generalErrorCodes(kind: OperationKind, contract: DescribedContract): CodesByStatus {
  return byStatus(generalCodes(contract)(kind));
}

/** The errors of a kind of operation that have no code of a resource: the same for all resources. */
const generalCodes = weakMemoize((contract: DescribedContract) => {
  const known = new Map<OperationKind, readonly CodeWithStatus[]>();
  return (kind: OperationKind): readonly CodeWithStatus[] => {
    const found = known.get(kind);
    if (found !== undefined) return found;
    const codes = [...requestCodes(kind), ...callerCodes(kind, contract), ...bodyCodes(kind)];
    const made = codes.map((code): CodeWithStatus => [code, errors[code]]);
    known.set(kind, made);
    return made;
  };
});

/** The request line, header fields and parameters. */
function requestCodes(kind: OperationKind): readonly ErrorCode[] {
  const codes: ErrorCode[] = ['REQUEST_MALFORMED', 'REQUEST_URI_INVALID', 'REQUEST_HEADER_INVALID'];
  codes.push('REQUEST_URI_TOO_LONG', 'REQUEST_EXPECTATION_FAILED', 'REQUEST_HEADERS_TOO_LARGE');
  codes.push('SERVER_ERROR', 'SERVER_UNAVAILABLE', 'SERVER_OVERLOADED', 'SERVER_TIMEOUT');
  if (kind === 'health') return codes;
  codes.push('API_VERSION_INVALID', 'API_VERSION_UNSUPPORTED', 'API_VERSION_CONFLICT', 'REQUEST_NOT_ACCEPTABLE');
  if (kind === 'options') return codes;
  codes.push('REQUEST_PARAMETER_UNKNOWN', 'REQUEST_PARAMETER_DUPLICATED', 'REQUEST_PARAMETER_INVALID');
  if (kind === 'list' || kind === 'query' || kind === 'get') codes.push('QUERY_FIELDS_INVALID', 'QUERY_EXPAND_INVALID');
  if (kind === 'events') codes.push('EVENT_POSITION_EXPIRED', 'RATE_LIMIT_EXCEEDED');
  if (kind === 'list' || kind === 'query') codes.push('QUERY_SORT_INVALID');
  else if (kind !== 'events') return codes;
  codes.push('QUERY_FILTER_INVALID', 'PAGINATION_LIMIT_INVALID', 'PAGINATION_POSITION_INVALID');
  codes.push('PAGINATION_CONFLICT', 'PAGINATION_CURSOR_INVALID', 'PAGINATION_CURSOR_MISMATCH');
  return codes;
}

/** The codes of authentication, origin and rate limits. */
function callerCodes(kind: OperationKind, contract: DescribedContract): readonly ErrorCode[] {
  const { model, retires } = contract;
  if (kind === 'health') return model.requireTls ? ['AUTH_TLS_REQUIRED'] : [];
  const codes: ErrorCode[] = [];
  // A repeated field is refused even where there is no authentication.
  codes.push('AUTH_REQUEST_INVALID');
  if (model.auth !== null) {
    codes.push('AUTH_REQUIRED', 'AUTH_TOKEN_EXPIRED', 'AUTH_TOKEN_INVALID', 'AUTH_UNAVAILABLE');
    codes.push('AUTH_SCOPE_INSUFFICIENT');
    if (hasRoles(model)) codes.push('AUTH_ROLE_FORBIDDEN');
  }
  if (model.requireTls) codes.push('AUTH_TLS_REQUIRED');
  if (WRITES.has(kind)) codes.push('AUTH_ORIGIN_FORBIDDEN');
  if (model.limits.rate !== null) codes.push('RATE_LIMIT_EXCEEDED');
  // The same operations are at a path without a version, where any can be named.
  if (retires) codes.push('API_VERSION_RETIRED');
  return codes;
}

/** The body, the key under which it is sent, and what became of it. */
function bodyCodes(kind: OperationKind): readonly ErrorCode[] {
  const codes: ErrorCode[] = [];
  if (WRITES.has(kind)) codes.push('SERVER_OUTCOME_UNKNOWN');
  if (WITH_BODY.has(kind)) {
    codes.push('REQUEST_BODY_MALFORMED', 'REQUEST_BODY_TOO_LARGE', 'REQUEST_TIMEOUT');
    codes.push('REQUEST_MEDIA_TYPE_UNSUPPORTED', 'REQUEST_ENCODING_UNSUPPORTED');
    if (kind !== 'query') codes.push('REQUEST_BODY_REQUIRED');
  }
  if (WITH_KEY.has(kind)) {
    codes.push('IDEMPOTENCY_KEY_INVALID', 'IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_KEY_IN_PROGRESS');
  }
  if (kind === 'batch') {
    codes.push(
      'BATCH_INVALID',
      'REQUEST_ROUTE_NOT_FOUND',
      'REQUEST_METHOD_NOT_ALLOWED',
      'REQUEST_PRECONDITION_REQUIRED',
    );
  }
  return codes;
}
