import { apiError } from '../conventions/errors.ts';
import { type QueryParameter, parseQuery } from '../conventions/url/query.ts';
import { inflate } from '../formats/gzip.ts';
import type { Negotiated } from './negotiate.ts';

const UTF_8 = new TextDecoder('utf-8', { fatal: true });
/** Characters that a form may hold raw and a URL may not. */
const RAW = /[^\x21-\x7e]|["<>\\^`{|}#]/gu;

/**
 * The parameters of a QUERY: those of its URL and those of its form are one set (MET-9).
 *
 * @throws {ApiError} 400, 413, 408
 */
export async function queryParameters(request: Negotiated): Promise<readonly QueryParameter[]> {
  const { body, gzipped, parameters, contract } = request;
  if (body === null) return parameters;
  const { limits } = contract.model;
  const bytes = await body.read(limits.body);
  const plain = gzipped ? await inflate(bytes, limits.body) : bytes;
  const own = parseQuery(decode(plain).replace(RAW, encodeURIComponent));
  if (own.some(({ name }) => name === 'api_version')) {
    throw apiError(
      'REQUEST_PARAMETER_INVALID',
      'Send api_version in the URL: the version is known before the body is read.',
      {
        details: [{ field: 'api_version', message: 'belongs in the URL' }],
      },
    );
  }
  return [...parameters, ...own];
}

function decode(bytes: Uint8Array): string {
  try {
    return UTF_8.decode(bytes);
  } catch (cause) {
    throw apiError('REQUEST_BODY_MALFORMED', 'The form is not UTF-8: send it percent-encoded.', { cause });
  }
}
