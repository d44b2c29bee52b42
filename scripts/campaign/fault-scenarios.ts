import { member, type Request } from './client.ts';
import type { Session } from './session.ts';

/**
 * A request that the contract refuses (or answers), with the status that it gives. Targets are below `/api/v1` unless
 * they begin with `/api`.
 */
interface Row {
  readonly send: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly status: number;
  readonly code?: string;
}

const JSON_TYPE = { 'Content-Type': 'application/json' };
const rows: readonly Row[] = [
  { send: 'GET /books?limit=0', status: 400, code: 'PAGINATION_LIMIT_INVALID' },
  { send: 'GET /books?limit=1.5', status: 400, code: 'PAGINATION_LIMIT_INVALID' },
  { send: 'GET /books?limit=9999999', status: 200 },
  { send: 'GET /books?offset=1000001', status: 400 },
  { send: 'GET /books?page=1&offset=1', status: 400, code: 'PAGINATION_CONFLICT' },
  { send: 'GET /books?after=forged', status: 400, code: 'PAGINATION_CURSOR_INVALID' },
  { send: 'GET /books?after_id=1', status: 400 },
  {
    send: 'GET /books?start_time=2027-01-01T00:00:00Z&before=2026-01-01T00:00:00Z',
    status: 400,
    code: 'PAGINATION_POSITION_INVALID',
  },
  { send: 'GET /books?start_time=2026-01-01T00:00:00+01:00', status: 400 },
  { send: 'GET /books?last_id=1&sort=title', status: 400, code: 'PAGINATION_CONFLICT' },
  { send: 'GET /books?page=50', status: 200 },
  { send: 'GET /books?sort=cost', status: 400, code: 'QUERY_SORT_INVALID' },
  { send: 'GET /books?sort=unknown', status: 400, code: 'QUERY_SORT_INVALID' },
  { send: 'GET /books?cost=5', status: 400, code: 'REQUEST_PARAMETER_UNKNOWN' },
  { send: 'GET /books?titel=5', status: 400, code: 'REQUEST_PARAMETER_UNKNOWN' },
  { send: 'GET /books?titel=5', headers: { Prefer: 'handling=lenient' }, status: 200 },
  { send: 'GET /books?limit=1&limit=2', status: 400, code: 'REQUEST_PARAMETER_DUPLICATED' },
  { send: 'GET /books?pages[gt]=much', status: 400, code: 'QUERY_FILTER_INVALID' },
  { send: 'GET /authors?country=SE', status: 400, code: 'QUERY_FILTER_INVALID' },
  { send: 'GET /books?status[in]=DRAFT,OPEN', status: 400, code: 'QUERY_FILTER_INVALID' },
  { send: 'GET /books?fields=none', status: 400, code: 'QUERY_FIELDS_INVALID' },
  { send: 'GET /books?expand=reviews.author.books.reviews', status: 400, code: 'QUERY_EXPAND_INVALID' },
  { send: 'GET /books/none', status: 404, code: 'BOOK_NOT_FOUND' },
  { send: 'GET /books/none/reviews', status: 404, code: 'BOOK_NOT_FOUND' },
  { send: 'POST /books/none/reviews', headers: JSON_TYPE, body: '{"stars":1}', status: 404, code: 'BOOK_NOT_FOUND' },
  { send: 'GET /none', status: 404, code: 'REQUEST_ROUTE_NOT_FOUND' },
  { send: 'GET /%', status: 400, code: 'REQUEST_URI_INVALID' },
  { send: 'GET /books/%ff', status: 400, code: 'REQUEST_URI_INVALID' },
  { send: 'GET /books/%00', status: 400, code: 'REQUEST_URI_INVALID' },
  { send: 'GET /books/{id}', status: 400, code: 'REQUEST_URI_INVALID' },
  { send: 'GET /books/', status: 308 },
  { send: 'GET //books', status: 308 },
  { send: 'GET /%62ooks', status: 308 },
  { send: `GET /books?q=${'a'.repeat(8200)}`, status: 414, code: 'REQUEST_URI_TOO_LONG' },
  { send: 'GET /books', headers: { 'X-Long': 'a'.repeat(17_000) }, status: 431, code: 'REQUEST_HEADERS_TOO_LARGE' },
  { send: 'DELETE /books', status: 405, code: 'REQUEST_METHOD_NOT_ALLOWED' },
  { send: 'POST /books/1', headers: JSON_TYPE, body: '{}', status: 405, code: 'REQUEST_METHOD_NOT_ALLOWED' },
  { send: 'BREW /books', status: 501, code: 'REQUEST_METHOD_NOT_IMPLEMENTED' },
  { send: 'OPTIONS /books', status: 204 },
  { send: 'GET /books', headers: { Accept: 'image/png' }, status: 406, code: 'REQUEST_NOT_ACCEPTABLE' },
  { send: 'GET /books', headers: { Accept: ';;' }, status: 400 },
  { send: 'GET /books', headers: { 'API-Version': '9' }, status: 400, code: 'API_VERSION_CONFLICT' },
  { send: 'GET /api/books', headers: { 'API-Version': '9' }, status: 400, code: 'API_VERSION_UNSUPPORTED' },
  { send: 'GET /api/books', headers: { 'API-Version': 'one' }, status: 400, code: 'API_VERSION_INVALID' },
  { send: 'GET /api/v9/books', status: 404, code: 'API_VERSION_NOT_FOUND' },
  {
    send: 'POST /books',
    headers: { 'Content-Type': 'text/plain' },
    body: 'a',
    status: 415,
    code: 'REQUEST_MEDIA_TYPE_UNSUPPORTED',
  },
  {
    send: 'POST /books',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: '{"title":"a"}',
    status: 415,
  },
  {
    send: 'POST /books',
    headers: { ...JSON_TYPE, 'Content-Encoding': 'lzma' },
    body: '{}',
    status: 415,
    code: 'REQUEST_ENCODING_UNSUPPORTED',
  },
  { send: 'POST /books', headers: JSON_TYPE, status: 400, code: 'REQUEST_BODY_REQUIRED' },
  { send: 'POST /books', headers: JSON_TYPE, body: '{"title":', status: 400, code: 'REQUEST_BODY_MALFORMED' },
  {
    send: 'POST /books',
    headers: JSON_TYPE,
    body: '{"title":"a","title":"b"}',
    status: 400,
    code: 'REQUEST_BODY_MALFORMED',
  },
  { send: 'POST /books', headers: JSON_TYPE, body: '{"title":"\\u0000"}', status: 400, code: 'REQUEST_BODY_MALFORMED' },
  { send: 'POST /books', headers: JSON_TYPE, body: '{"title":"\\ud800"}', status: 400, code: 'REQUEST_BODY_MALFORMED' },
  { send: 'POST /books', headers: JSON_TYPE, body: '{"__proto__":{}}', status: 400, code: 'REQUEST_BODY_MALFORMED' },
  {
    send: 'POST /books',
    headers: JSON_TYPE,
    body: `{"pages":9007199254740993}`,
    status: 400,
    code: 'REQUEST_BODY_MALFORMED',
  },
  {
    send: 'POST /books',
    headers: JSON_TYPE,
    body: `{"tags":${'['.repeat(40)}${']'.repeat(40)}}`,
    status: 400,
    code: 'REQUEST_BODY_MALFORMED',
  },
  { send: 'POST /books', headers: JSON_TYPE, body: '[]', status: 400 },
  { send: 'POST /books', headers: { 'Content-Type': 'application/xml' }, body: '<!DOCTYPE a><book/>', status: 400 },
  {
    send: 'POST /books',
    headers: JSON_TYPE,
    body: '{"isbn":"1","title":"a","author_id":"none"}',
    status: 400,
    code: 'BOOK_INVALID',
  },
  {
    send: 'POST /authors',
    headers: { ...JSON_TYPE, 'Sec-Fetch-Site': 'cross-site' },
    body: '{"name":"a"}',
    status: 403,
    code: 'AUTH_ORIGIN_FORBIDDEN',
  },
  {
    send: 'POST /authors',
    headers: { ...JSON_TYPE, Origin: 'https://other.example' },
    body: '{"name":"a"}',
    status: 403,
    code: 'AUTH_ORIGIN_FORBIDDEN',
  },
  { send: 'GET /authors', headers: { 'Sec-Fetch-Site': 'cross-site' }, status: 200 },
  {
    send: 'POST /orders',
    headers: { ...JSON_TYPE, 'Idempotency-Key': 'a b' },
    body: '{}',
    status: 400,
    code: 'IDEMPOTENCY_KEY_INVALID',
  },
  { send: 'POST /batches', headers: JSON_TYPE, body: '{"operations":5}', status: 400, code: 'BATCH_INVALID' },
  { send: 'POST /batches', headers: JSON_TYPE, body: '{"operations":[]}', status: 400, code: 'BATCH_INVALID' },
  { send: 'GET /batches/none', status: 404, code: 'BATCH_NOT_FOUND' },
  { send: 'GET /books', headers: { Host: 'attacker.example' }, status: 400, code: 'REQUEST_HEADER_INVALID' },
  { send: 'GET /api', status: 200 },
  { send: 'GET /api/v1', status: 200 },
];

/** Formats that errors have, too. */
const ACCEPTS = [
  undefined,
  undefined,
  undefined,
  'application/problem+json, application/json;q=0.5',
  'application/xml',
];

/** Sends one of the requests that have one right answer. */
export async function refused(session: Session): Promise<void> {
  const { random } = session;
  const row = random.pick(rows);
  const [method = '', target = ''] = row.send.split(' ');
  const hasChoice = row.headers?.['Accept'] === undefined && row.status >= 400 && !target.startsWith('/batches');
  const accept = hasChoice ? random.pick(ACCEPTS) : undefined;
  const correlation = random.pick([undefined, `c-${random.integer(0, 1e9)}`, 'not valid!', 'x'.repeat(129)]);
  const request: Request = {
    method,
    target: target.startsWith('//') ? `/api/v1${target}` : target,
    headers: {
      ...(accept === undefined ? {} : { Accept: accept }),
      ...(correlation === undefined ? {} : { 'X-Correlation-ID': correlation }),
      ...row.headers,
    },
    ...(row.body === undefined ? {} : { body: row.body }),
  };
  const response = await session.send(request);
  session.equal(
    response.status,
    row.status,
    `the status of ${row.send.slice(0, 60)} ${JSON.stringify(row.headers ?? {}).slice(0, 60)}`,
  );
  if (row.code !== undefined && response.body !== null) {
    session.equal(member(response.body, 'errorCode'), row.code, `the code of ${row.send.slice(0, 60)}`);
  }
}
