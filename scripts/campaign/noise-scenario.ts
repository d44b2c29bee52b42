import type { Session } from './session.ts';

/** Pieces of targets, header fields and bodies that are put together at random. */
const PIECES = [
  '%',
  '%2',
  '%zz',
  '%00',
  '%2F',
  '%c3%28',
  '//',
  '..',
  '.',
  '[',
  ']',
  '[gt]',
  '[in]',
  '[[]]',
  '=',
  '==',
  '&&',
  '?',
  '{',
  '}',
  '|',
  '+',
  ',',
  ';',
  "'",
  'null',
  'true',
  '-1',
  '1e9',
  '9007199254740993',
  'x'.repeat(300),
  'é',
  '😀',
  'limit=',
  'sort=',
  'fields=',
  'expand=',
  'q=',
  'after=',
  'page=',
  'offset=',
  'last_id=',
  'books',
  'title',
  'links',
];
const FIELDS = [
  'Accept',
  'Accept-Encoding',
  'Content-Type',
  'Content-Encoding',
  'If-Match',
  'If-None-Match',
  'If-Modified-Since',
  'Prefer',
  'API-Version',
  'Idempotency-Key',
  'X-Correlation-ID',
  'traceparent',
  'Range',
  'Expect',
  'Origin',
];
const VALUES = [
  '',
  '*',
  '*/*',
  '"',
  '"a',
  'W/"a"',
  '"a", "b"',
  'q=2',
  ';;',
  'application/json;q=x',
  'gzip;q=0',
  'multipart/form-data',
  'application/x-www-form-urlencoded',
  'application/xml',
  'application/x-ndjson',
  'application/json; charset=latin1',
  'return=minimal, handling=lenient',
  '1',
  '1.2.9',
  'v1',
  'null',
  'bytes=0-1',
  '100-continue',
  'Thu, 01 Jan 1970 00:00:00 GMT',
];

/** Sends a request of random pieces. Anything is right that is no 5xx and keeps the rules of every response. */
export async function noise(session: Session): Promise<void> {
  const { random, rows: known } = session;
  const pieces = (most: number): string =>
    Array.from({ length: random.integer(0, most) }, () => random.pick(PIECES)).join('');
  const base = random.pick(['/books', '/authors', '/notes', '/batches', known.any(random)?.path ?? '', '']);
  const target = asciiTarget(`${base}${random.pick(['', '/', '?'])}${pieces(5)}`);
  const fields = random.some(FIELDS, 0.15).map((name) => [name, random.pick(VALUES)] as const);
  const method = random.pick(['GET', 'GET', 'GET', 'HEAD', 'OPTIONS', 'QUERY', 'POST']);
  const hasBody = method === 'POST' || method === 'QUERY';
  // Only invalid bodies, so that the known rows stay known.
  const body = random.pick(['{', '[]', '{"links":null', pieces(3), '<a>', '{"a":{"b":[1,2', '"', '\u0000']);
  const response = await session.send({
    method,
    target,
    headers: { ...(hasBody ? { 'Content-Type': 'application/json' } : {}), ...Object.fromEntries(fields) },
    ...(hasBody ? { body } : {}),
  });
  if (method === 'POST') session.check(response.status >= 308 || !changed(response.status), 'noise creates nothing');
}

function changed(status: number): boolean {
  return status === 201;
}

/** A target that Node's client accepts: other characters are sent percent-encoded. */
function asciiTarget(target: string): string {
  return target.replaceAll(/[^\x21-\x7e]/gu, (character) => (character === ' ' ? '+' : encodeURIComponent(character)));
}
