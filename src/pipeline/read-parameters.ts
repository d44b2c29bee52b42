import { apiError } from '../conventions/errors.ts';
import { type QueryParameter, parseQuery } from '../conventions/url/query.ts';
import { inflate } from '../formats/gzip.ts';
import type { MaybePromise } from '../platform/maybe-promise.ts';
import type { Caller } from '../operations/caller.ts';
import { limitForm } from './limit.ts';
import type { RequestTarget } from './negotiate.ts';

const UTF_8 = new TextDecoder('utf-8', { fatal: true });
/** Characters that a form may hold raw and a URL may not. */
const RAW = /[^\x21-\x7e]|["<>\\^`{|}#]/gu;

/**
 * Reads the parameters of a request. Those of the URL of a QUERY and those of its form are one set (MET-9). Only a form has to be waited for.
 *
 * @throws {ApiError} 400, 408, 413, 429
 */
export function readParameters(caller: Caller, target: RequestTarget): MaybePromise<readonly QueryParameter[]> {
  const { received, route, method, body } = target;
  const { parameters } = received;
  const hasForm = route.kind === 'collection' && method === 'QUERY' && body.content !== null;
  return hasForm ? withForm(caller, parameters, body) : parameters;
}

async function withForm(
  { contract, quota }: Caller,
  sent: readonly QueryParameter[],
  { content, gzipped }: RequestTarget['body'],
): Promise<readonly QueryParameter[]> {
  if (content === null) return sent;
  const { limits } = contract.model;
  const bytes = await content.read(limits.body);
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
  const parameters = [...sent, ...own];
  await limitForm(quota, sent, parameters);
  return parameters;
}

function decode(bytes: Uint8Array): string {
  try {
    return UTF_8.decode(bytes);
  } catch (cause) {
    throw apiError('REQUEST_BODY_MALFORMED', 'The form is not UTF-8: send it percent-encoded.', { cause });
  }
}
