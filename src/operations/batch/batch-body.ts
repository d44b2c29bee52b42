import { cut } from '../../conventions/text/quoted.ts';
import { type ApiError, type ErrorDetail, apiError } from '../../conventions/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../conventions/json/json.ts';
import { closestMatch } from '../../conventions/text/closest-match.ts';
import { BATCH_METHODS, MAX_OPERATIONS } from '../../plan/write/batch-rule.ts';
import type { Caller } from '../caller.ts';
import type { RequestedWrite } from '../write/write-request.ts';

/** A write of a batch as it was sent. */
export interface BatchOperation {
  readonly method: (typeof BATCH_METHODS)[number];
  /** Relative to the root of the version: `/products/1`. */
  readonly path: string;
  /** Names and values alternating. */
  readonly headers: readonly string[];
  /** Absent if the operation has none. */
  readonly body?: Json;
}

/** A batch as it was sent. */
export interface Batch {
  readonly atomic: boolean;
  readonly operations: readonly BatchOperation[];
}

/** A well-formed operation. */
export interface ReceivedOperation {
  /**
   * Plans it as a request of its own (steps 4 to 12).
   *
   * @throws {ApiError} 400 to 415, as the request would be refused alone
   */
  readonly plan: (caller: Caller) => RequestedWrite;
}

/** The reason why an operation is not a well-formed request, and the member that is its cause. */
export interface OperationError {
  readonly part: 'path' | 'headers';
  readonly message: string;
}

/** Reads an operation as a request (step 1). */
export type ReceiveOperation = (operation: BatchOperation) => ReceivedOperation | OperationError;

/** A batch whose operations are well-formed requests. */
export interface ReceivedBatch {
  readonly atomic: boolean;
  readonly operations: readonly ReceivedOperation[];
}

/** Header fields that an operation may have. All others belong to the whole batch. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  'content-type',
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
  'prefer',
]);
/** Fields of the whole batch that an operation may not have: ignoring them would mislead its sender. */
const BATCH_FIELDS: ReadonlySet<string> = new Set([
  'api-version',
  'authorization',
  'content-encoding',
  'content-length',
  'expect',
  'host',
  'idempotency-key',
  'transfer-encoding',
]);
const MEMBERS = ['method', 'path', 'headers', 'body'];

/**
 * Reads the body of a batch: `{"atomic": true, "operations": [{"method", "path", "headers", "body"}]}`. Default:
 * atomic.
 *
 * @throws {ApiError} BATCH_INVALID with all errors
 */
export function readBatch(json: Json, lenient: boolean): Batch {
  if (!isJsonObject(json)) throw invalidBatch([{ field: 'body', message: 'must be a JSON object with operations' }]);
  const errors: ErrorDetail[] = lenient ? [] : unknownMembers(json, ['atomic', 'operations'], '');
  const { atomic = true, operations = null } = json;
  if (typeof atomic !== 'boolean') errors.push({ field: 'atomic', message: 'must be true or false' });
  if (!Array.isArray(operations) || operations.length === 0 || operations.length > MAX_OPERATIONS) {
    errors.push({ field: 'operations', message: `must be an array of 1 to ${MAX_OPERATIONS} operations` });
    throw invalidBatch(errors);
  }
  const read = operations.map((operation: Json, index) =>
    readOperation(operation, `operations[${index}]`, lenient, errors),
  );
  if (errors.length > 0) throw invalidBatch(errors);
  return { atomic: atomic === true, operations: read.filter((operation) => operation !== null) };
}

function readOperation(json: Json, at: string, lenient: boolean, errors: ErrorDetail[]): BatchOperation | null {
  if (!isJsonObject(json)) {
    errors.push({ field: at, message: 'must be an object with method and path' });
    return null;
  }
  if (!lenient) errors.push(...unknownMembers(json, MEMBERS, `${at}.`));
  const method = BATCH_METHODS.find((each) => each === json['method']);
  if (method === undefined)
    errors.push({ field: `${at}.method`, message: `must be one of ${BATCH_METHODS.join(', ')}` });
  const { path = null, headers = {}, body } = json;
  const error = pathError(path);
  if (error !== null) errors.push({ field: `${at}.path`, message: error });
  const fields = readHeaders(headers, `${at}.headers`, errors);
  if (method === undefined || typeof path !== 'string') return null;
  return { method, path, headers: fields, ...(body === undefined ? {} : { body }) };
}

function pathError(path: Json): string | null {
  if (typeof path !== 'string' || !/^\/[^/]/.test(path)) {
    return 'must be a path below the version, such as /products/1';
  }
  return /^[^?]*(?:\/\/|\/(?:\?|$))/.test(path) ? 'must have no doubled or trailing slash' : null;
}

function readHeaders(headers: Json, at: string, errors: ErrorDetail[]): readonly string[] {
  if (!isJsonObject(headers)) {
    errors.push({ field: at, message: 'must be an object of header fields and their values' });
    return [];
  }
  const names = new Set<string>();
  return Object.entries(headers).flatMap(([name, value]) => {
    const lower = name.toLowerCase();
    if (names.size === names.add(lower).size) errors.push({ field: `${at}.${cut(name)}`, message: 'is given twice' });
    if (BATCH_FIELDS.has(lower)) {
      errors.push({ field: `${at}.${cut(name)}`, message: 'applies to the whole batch; send it with the request' });
      return [];
    }
    if (!OWN_FIELDS.has(lower)) return [];
    if (typeof value === 'string' && /^[\t\u{20}-\u{7e}]*$/u.test(value)) return [name, value];
    errors.push({ field: `${at}.${cut(name)}`, message: 'must be a string of visible ASCII characters' });
    return [];
  });
}

function unknownMembers(json: JsonObject, known: readonly string[], at: string): ErrorDetail[] {
  return Object.keys(json)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const match = closestMatch(name, known);
      return {
        field: `${at}${cut(name)}`,
        message: `is not a known member; ${match === null ? 'remove it' : `did you mean "${match}"?`}`,
      };
    });
}

/**
 * Reads the operations of a batch as requests. An operation that could not be sent alone is an error of the document,
 * even if the batch is not atomic. It would fail in the same way each time.
 *
 * @throws {ApiError} BATCH_INVALID with all errors
 */
export function receiveBatch({ atomic, operations }: Batch, receive: ReceiveOperation): ReceivedBatch {
  const errors: ErrorDetail[] = [];
  const received = operations.map((operation, index) => {
    const outcome = receive(operation);
    if ('part' in outcome) errors.push({ field: `operations[${index}].${outcome.part}`, message: outcome.message });
    return outcome;
  });
  if (errors.length > 0) throw invalidBatch(errors);
  return { atomic, operations: received.flatMap((outcome) => ('part' in outcome ? [] : [outcome])) };
}

/** 400 BATCH_INVALID. */
function invalidBatch(details: readonly ErrorDetail[]): ApiError {
  return apiError('BATCH_INVALID', 'The batch is invalid; see details.', { details });
}
