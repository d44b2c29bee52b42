import type { Json } from '../conventions/json/json.ts';
import { UnusableKeys } from './key-set.ts';

/** A document of an issuer. */
export interface FetchedDocument {
  readonly body: Json;
  /** Milliseconds for which it need not be fetched again; null where the response does not say. */
  readonly maxAge: number | null;
}

/**
 * Fetches a JSON document.
 *
 * @throws {UnusableKeys} with the cause
 */
export type FetchDocument = (url: string, signal: AbortSignal) => Promise<FetchedDocument>;

/** Far above the metadata and the key set of any issuer. */
const MAX_BYTES = 256 * 1_024;

/**
 * Fetches documents of issuers: status 200 alone, no redirects, of bounded size. What it is follows from its content:
 * issuers send all kinds of `Content-Type`.
 */
export function documentFetcher(fetch: typeof globalThis.fetch): FetchDocument {
  return async (url, signal) => {
    const response = await request(fetch, url, signal);
    if (response.status !== 200) {
      await response.body?.cancel();
      const redirected = response.status >= 300 && response.status < 400 ? ': redirects are not followed' : '';
      throw new UnusableKeys(`${url} has status ${response.status}${redirected}`);
    }
    const text = await readText(url, response);
    try {
      const body: Json = JSON.parse(text);
      return { body, maxAge: readMaxAge(response.headers.get('cache-control') ?? '') };
    } catch (error) {
      throw new UnusableKeys(`${url} is not JSON`, { cause: error });
    }
  };
}

async function request(fetch: typeof globalThis.fetch, url: string, signal: AbortSignal): Promise<Response> {
  try {
    const headers = { Accept: 'application/jwk-set+json, application/json' };
    return await fetch(url, { headers, redirect: 'manual', credentials: 'omit', signal });
  } catch (error) {
    throw new UnusableKeys(`${url} cannot be fetched: ${describeFetchError(error)}`, { cause: error });
  }
}

async function readText(url: string, { body }: Response): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let bytes = 0;
  try {
    // Leaving the loop cancels the body.
    for await (const chunk of body ?? []) {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) break;
      text += decoder.decode(chunk, { stream: true });
    }
    text += bytes > MAX_BYTES ? '' : decoder.decode();
  } catch (error) {
    throw new UnusableKeys(`${url} cannot be read: ${describeFetchError(error)}`, { cause: error });
  }
  if (bytes > MAX_BYTES) throw new UnusableKeys(`${url} has more than ${MAX_BYTES} bytes`);
  return text;
}

/** The message of an error with that of its cause: `fetch failed: connect ECONNREFUSED 127.0.0.1:8080`. */
function describeFetchError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

function readMaxAge(cacheControl: string): number | null {
  const [, seconds] = /(?:^|[,\s])max-age="?([0-9]{1,9})/i.exec(cacheControl) ?? [];
  return seconds === undefined ? null : Number(seconds) * 1_000;
}
