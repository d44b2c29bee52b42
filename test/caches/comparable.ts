import zlib from 'node:zlib';
import type { ReceivedResponse } from './send-request.ts';

/** Header fields of the representation. Those of the connection, the exchange, the cache and the date are left out. */
const REPRESENTATION = [
  'content-type',
  'content-encoding',
  'content-length',
  'etag',
  'vary',
  'cache-control',
  'link',
  'api-version',
  'preference-applied',
  'x-next-cursor',
  'x-content-type-options',
];

/**
 * The part of a response that must be equal through every cache. The body of an error contains the time and the id of
 * its request.
 */
export function comparable({ status, headers, bytes }: ReceivedResponse): object {
  const isError = status >= 400;
  const names = isError ? REPRESENTATION.filter((name) => name !== 'content-length') : REPRESENTATION;
  return {
    status,
    fields: names.map((name) => [name, headers[name]]),
    content: isError ? null : bytes.toString('latin1'),
  };
}

/** The text of a response, without its content coding. */
export function decodeText({ headers, bytes }: ReceivedResponse): string {
  const coding = headers['content-encoding'];
  if (bytes.length === 0 || coding === undefined) return bytes.toString();
  if (coding === 'gzip') return zlib.gunzipSync(bytes).toString();
  if (coding === 'br') return zlib.brotliDecompressSync(bytes).toString();
  throw new Error(`no request accepts ${coding}`);
}
