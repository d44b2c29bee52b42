import { type ApiError, type ErrorDetail, apiError } from '../../conventions/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../conventions/json.ts';
import { closestMatch } from '../../conventions/closest-match.ts';

/** Most writes of one batch (MET-13). */
export const MAX_OPERATIONS = 100;

const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** A write of a batch as it was sent. */
export interface BatchOperation {
  readonly method: (typeof METHODS)[number];
  /** Relative to the root of the version: `/products/1`. */
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** Absent where the operation has none. */
  readonly body?: Json;
}

/** A batch as it was sent. */
export interface Batch {
  readonly atomic: boolean;
  readonly operations: readonly BatchOperation[];
}

/** What an operation may say of its own. What else a header field says holds for the whole batch. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  'content-type',
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
  'prefer',
]);
/** Fields that would mean something else than the caller expects if they were passed over. */
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
 * Reads the body of a batch: `{"atomic": true, "operations": [{"method", "path", "headers", "body"}]}`. A batch is atomic unless it says
 * otherwise.
 *
 * @param batches the path segment under which batches are sent: none may hold another
 * @throws {ApiError} BATCH_INVALID with all faults
 */
export function readBatch(json: Json, batches: string, lenient: boolean): Batch {
  if (!isJsonObject(json)) throw invalid([{ field: 'body', message: 'must be a JSON object with operations' }]);
  const faults: ErrorDetail[] = lenient ? [] : strangers(json, ['atomic', 'operations'], '');
  const { atomic = true, operations = null } = json;
  if (typeof atomic !== 'boolean') faults.push({ field: 'atomic', message: 'must be true or false' });
  if (!Array.isArray(operations) || operations.length === 0 || operations.length > MAX_OPERATIONS) {
    faults.push({ field: 'operations', message: `must be a list of 1 to ${MAX_OPERATIONS} operations` });
    throw invalid(faults);
  }
  const read = operations.map((operation: Json, index) => readOperation(operation, index, batches, lenient, faults));
  if (faults.length > 0) throw invalid(faults);
  return { atomic: atomic === true, operations: read.filter((operation) => operation !== null) };
}

function readOperation(
  json: Json,
  index: number,
  batches: string,
  lenient: boolean,
  faults: ErrorDetail[],
): BatchOperation | null {
  const at = `operations[${index}]`;
  if (!isJsonObject(json)) {
    faults.push({ field: at, message: 'must be an object with method and path' });
    return null;
  }
  if (!lenient) faults.push(...strangers(json, MEMBERS, `${at}.`));
  const method = METHODS.find((each) => each === json['method']);
  if (method === undefined) faults.push({ field: `${at}.method`, message: `must be one of ${METHODS.join(', ')}` });
  const { path = null, headers = {}, body } = json;
  const fault = pathFault(path, batches);
  if (fault !== null) faults.push({ field: `${at}.path`, message: fault });
  const fields = readHeaders(headers, `${at}.headers`, faults);
  if (method === undefined || typeof path !== 'string') return null;
  return { method, path, headers: fields, ...(body === undefined ? {} : { body }) };
}

function pathFault(path: Json, batches: string): string | null {
  if (typeof path !== 'string' || !/^\/[^/]/.test(path)) {
    return 'must be a path below the version, such as /products/1';
  }
  if (/^[^?]*(?:\/\/|\/(?:\?|$))/.test(path)) return 'must have no doubled or trailing slash';
  const [, first = ''] = /^\/([^/?]*)/.exec(path) ?? [];
  return first === batches ? 'names batches; a batch holds no other' : null;
}

function readHeaders(headers: Json, at: string, faults: ErrorDetail[]): readonly string[] {
  if (!isJsonObject(headers)) {
    faults.push({ field: at, message: 'must be an object of header fields and their values' });
    return [];
  }
  const names = new Set<string>();
  return Object.entries(headers).flatMap(([name, value]) => {
    const lower = name.toLowerCase();
    if (names.size === names.add(lower).size) faults.push({ field: `${at}.${name}`, message: 'is given twice' });
    if (BATCH_FIELDS.has(lower)) {
      faults.push({ field: `${at}.${name}`, message: 'is one for the whole batch; send it with the request' });
      return [];
    }
    if (!OWN_FIELDS.has(lower)) return [];
    if (typeof value === 'string' && /^[\t\u{20}-\u{7e}]*$/u.test(value)) return [name, value];
    faults.push({ field: `${at}.${name}`, message: 'must be a text of visible ASCII' });
    return [];
  });
}

function strangers(json: JsonObject, known: readonly string[], at: string): ErrorDetail[] {
  return Object.keys(json)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const meant = closestMatch(name, known);
      return {
        field: `${at}${name}`,
        message: `is not a known member; ${meant === null ? 'leave it out' : `did you mean "${meant}"?`}`,
      };
    });
}

function invalid(details: readonly ErrorDetail[]): ApiError {
  return apiError('BATCH_INVALID', 'The batch cannot be read; see details.', { details });
}
