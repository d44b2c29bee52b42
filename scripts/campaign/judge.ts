import { createHash } from 'node:crypto';
import { isObject, toList, member, type Json, type Received, type Request, toText } from './client.ts';
import { pageFaults } from './judge-page.ts';
import { type Fault, faultsWhere } from './fault.ts';

/** Every error code of the contract, with its status. Codes of a resource have its name as a prefix. */
const CODES: Readonly<Record<number, RegExp>> = {
  400: /^(REQUEST_(MALFORMED|URI_INVALID|HEADER_INVALID|BODY_REQUIRED|BODY_MALFORMED|PARAMETER_(UNKNOWN|DUPLICATED|INVALID))|QUERY_(FILTER|SORT|FIELDS|EXPAND)_INVALID|PAGINATION_(LIMIT_INVALID|POSITION_INVALID|CONFLICT|CURSOR_INVALID|CURSOR_MISMATCH)|API_VERSION_(INVALID|UNSUPPORTED|CONFLICT)|IDEMPOTENCY_KEY_(REQUIRED|INVALID)|AUTH_REQUEST_INVALID|BATCH_INVALID|[A-Z]+_INVALID)$/,
  403: /^(AUTH_ORIGIN_FORBIDDEN|[A-Z]+_FORBIDDEN)$/,
  404: /^(REQUEST_ROUTE_NOT_FOUND|API_VERSION_NOT_FOUND|[A-Z]+_NOT_FOUND)$/,
  405: /^REQUEST_METHOD_NOT_ALLOWED$/,
  406: /^REQUEST_NOT_ACCEPTABLE$/,
  409: /^([A-Z]+_(ALREADY_EXISTS|CONFLICT|HAS_DEPENDENTS)|IDEMPOTENCY_KEY_IN_PROGRESS)$/,
  412: /^[A-Z]+_PRECONDITION_FAILED$/,
  413: /^REQUEST_BODY_TOO_LARGE$/,
  414: /^REQUEST_URI_TOO_LONG$/,
  415: /^REQUEST_(MEDIA_TYPE|ENCODING)_UNSUPPORTED$/,
  417: /^REQUEST_EXPECTATION_FAILED$/,
  422: /^IDEMPOTENCY_KEY_REUSED$/,
  428: /^REQUEST_PRECONDITION_REQUIRED$/,
  431: /^REQUEST_HEADERS_TOO_LARGE$/,
  501: /^REQUEST_METHOD_NOT_IMPLEMENTED$/,
};

const MEMBERS = 'httpStatus,errorCode,errorMessage,correlationId,timestamp,details';
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Judges each response by the rules that hold for every request. */
export class Judge {
  /** Digest of the bytes by target and ETag. */
  readonly #bytes = new Map<string, string>();

  faultsOf(request: Request, response: Received): readonly Fault[] {
    const { status } = response;
    return [
      ...faultsWhere([
        [status < 500 || status === 501, '[ERR-7] no 5xx', String(status)],
        [
          !(status === 501) || !KNOWN_METHODS.has(request.method),
          '[MET-6] 501 for unknown methods only',
          request.method,
        ],
      ]),
      ...headerFaults(request, response),
      ...tagFaults(request, response),
      ...this.#oneTag(request, response),
      ...(status >= 400 ? errorFaults(request, response) : []),
      ...(isPage(response.body) ? pageFaults(response) : []),
    ];
  }

  /** One ETag of one target names one sequence of bytes (CACHE-1). */
  #oneTag({ method, target }: Request, { status, headers, bytes }: Received): readonly Fault[] {
    const tag = headers['etag'];
    if (tag === undefined || status !== 200 || method !== 'GET') return [];
    const key = `${target} ${tag}`;
    const digest = createHash('sha256').update(bytes).digest('base64');
    const earlier = this.#bytes.get(key);
    this.#bytes.set(key, digest);
    const same = earlier === undefined || earlier === digest;
    return faultsWhere([[same, '[CACHE-1] one ETag, one byte string', key]]);
  }
}

/** Redirects, and refusals before the version of a request is known (VER-4). */
const UNVERSIONED: ReadonlySet<number> = new Set([308, 414, 417, 431, 501]);

const KNOWN_METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'QUERY',
  'TRACE',
  'CONNECT',
]);

function isPage(body: Json): boolean {
  return isObject(body) && isObject(body['page']) && Array.isArray(body['data']);
}

function headerFaults({ method, target, headers: sent }: Request, response: Received): readonly Fault[] {
  const { status, headers, bytes } = response;
  const correlation = Object.entries(sent ?? {}).find(([name]) => name.toLowerCase() === 'x-correlation-id')?.[1];
  const isValid = correlation !== undefined && /^[A-Za-z0-9._~:-]{1,128}$/.test(correlation);
  const echoed = headers['x-correlation-id'];
  const vary = headers['vary'] ?? '';
  const length = headers['content-length'];
  const isRouted = target.startsWith('/api/') && ![404, 308, 400, 414, 431].includes(status);
  const hasVersion = headers['api-version'] !== undefined;
  const isVersioned = isRouted && !UNVERSIONED.has(status);
  const queries = headers['accept-query'] !== undefined;
  const isBodiless = method === 'HEAD' || status === 204 || status === 304;
  return faultsWhere([
    [echoed !== undefined && echoed !== '', '[ERR-5] X-Correlation-ID on every answer', ''],
    [!isValid || echoed === correlation, '[ERR-5] X-Correlation-ID is echoed', `${correlation} as ${echoed}`],
    [headers['x-content-type-options'] === 'nosniff', '[OPS-3] nosniff', ''],
    [headers['cross-origin-resource-policy'] === 'same-origin', '[AUTH-11] Cross-Origin-Resource-Policy', ''],
    [headers['server'] === undefined, '[OPS-3] no Server', headers['server'] ?? ''],
    [headers['date'] !== undefined, '[CACHE-2] Date', ''],
    [!isBodiless || bytes.length === 0, '[MET-5] no body', bytes.toString()],
    [isBodiless || length === undefined || Number(length) === bytes.length, '[URL-8] Content-Length', length ?? ''],
    [isBodiless || bytes.length === 0 || headers['content-type'] !== undefined, '[NEG-1] Content-Type', ''],
    [!isVersioned || headers['api-version'] === '1.2.3', '[VER-4] API-Version', headers['api-version'] ?? ''],
    [!UNVERSIONED.has(status) || !hasVersion, '[VER-4] no API-Version', `${status} ${headers['api-version']}`],
    [!isRouted || /Accept, Accept-Encoding, Prefer/.test(vary), '[NEG-3] Vary', vary],
    [status !== 405 || headers['allow'] !== undefined, '[MET-6] Allow', ''],
    [method !== 'QUERY' || status !== 415 || queries, '[NEG-2] Accept-Query on the 415 of QUERY', target],
    [status !== 308 || /^\/(?!\/)/.test(headers['location'] ?? ''), '[URL-1] Location of a redirect', ''],
  ]);
}

function tagFaults({ method, target }: Request, { status, headers }: Received): readonly Fault[] {
  const tag = headers['etag'];
  const cache = headers['cache-control'] ?? '';
  const isDryRun = headers['dry-run'] !== undefined;
  const reads = (method === 'GET' || method === 'HEAD') && status === 200 && target.startsWith('/api/v1/');
  const creates = ['POST', 'PATCH'].includes(method) && [200, 201].includes(status) && !isDryRun;
  const isUpload = headers['content-type'] === 'application/x-ndjson' && method === 'POST';
  return faultsWhere([
    [tag === undefined || /^"[\x21\x23-\x7e]+"$/.test(tag), '[CACHE-1] a strong ETag', tag ?? ''],
    [!(reads || (creates && !isUpload)) || tag !== undefined, '[CACHE-1] an ETag on GET, HEAD, POST and PATCH', method],
    [method !== 'PUT' || status !== 200 || tag === undefined, '[MET-2] no ETag on a PUT that replaced', tag ?? ''],
    [status < 400 || tag === undefined, '[CACHE-1] no ETag on an error', tag ?? ''],
    [status < 400 || cache === 'no-store', '[CACHE-5] errors are no-store', cache],
    [status !== 201 || cache === 'no-store', '[CACHE-5] 201 is no-store', cache],
    [!reads || cache !== '', '[CACHE-5] Cache-Control on GET', ''],
  ]);
}

function errorFaults({ method }: Request, { status, headers, body, text }: Received): readonly Fault[] {
  const type = headers['content-type'] ?? '';
  if (method === 'HEAD') return [];
  if (/xml/.test(type)) {
    const names = [...text.matchAll(/<(httpStatus|errorCode|errorMessage|correlationId|timestamp|details)[ />]/g)];
    return faultsWhere([
      [
        names
          .map(([, each]) => each)
          .slice(0, 6)
          .join() === MEMBERS,
        '[ERR-6] XML errors',
        text,
      ],
    ]);
  }
  if (type.startsWith('text/plain')) {
    const names = text.split('\n').map((line) => /^[a-zA-Z]+(?=:)/.exec(line)?.[0] ?? '');
    return faultsWhere([[names.slice(0, 5).join() === MEMBERS.replace(',details', ''), '[ERR-6] text errors', text]]);
  }
  if (!isObject(body)) return [{ rule: '[ERR-1] every error has a body', what: `${status} ${text}` }];
  const code = toText(body['errorCode']);
  const problem = type === 'application/problem+json';
  const details = toList(body['details']);
  return faultsWhere([
    [Object.keys(body).slice(0, 6).join() === MEMBERS, '[ERR-1] six members in order', Object.keys(body).join()],
    [problem || Object.keys(body).length === 6, '[ERR-1] six members', Object.keys(body).join()],
    [body['httpStatus'] === status, '[ERR-1] httpStatus', toText(body['httpStatus'])],
    [CODES[status]?.test(code) ?? false, '[ERR-2] the code belongs to the status', `${status} ${code}`],
    [body['correlationId'] === headers['x-correlation-id'], '[ERR-5] correlationId', toText(body['correlationId'])],
    [TIMESTAMP.test(toText(body['timestamp'])), '[ERR-1] timestamp', toText(body['timestamp'])],
    [toText(body['errorMessage']).length > 5, '[ERR-4] errorMessage', ''],
    [!/SQLITE|\.[jt]s:\d|\n +at |node_modules/.test(text), '[ERR-4] no internals', text],
    [Array.isArray(body['details']) && details.length <= 100, '[ERR-3] details', ''],
    [details.every((each) => typeof member(each, 'field') === 'string'), '[ERR-3] details name fields', text],
    [bounded(text), '[ERR-3] what is quoted is cut', String(text.length)],
  ]);
}

/** At most 100 details with a field and a message, and what surrounds them. */
function bounded(text: string): boolean {
  return text.length < 100 * 3_000;
}
