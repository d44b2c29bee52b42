import { isJsonObject, type Json } from '../conventions/json/json.ts';
import { urlProblem } from '../conventions/url/key-url.ts';
import type { FetchDocument, FetchedDocument } from './fetch-document.ts';
import { readKeySet, UnusableKeys } from './key-set.ts';
import type { LoadedKeys } from './refreshed-keys.ts';

/** Fetches a key set from its URL. @throws {UnusableKeys} */
export async function fetchKeys(url: string, fetch: FetchDocument, signal: AbortSignal): Promise<LoadedKeys> {
  const { body, maxAge } = await fetch(url, signal);
  try {
    return { keys: readKeySet(body), maxAge };
  } catch (error) {
    throw error instanceof UnusableKeys ? new UnusableKeys(`${url}: ${error.message}`) : error;
  }
}

/**
 * Fetches the key set that the metadata of an issuer names. The metadata must be of this very issuer (RFC 8414 3.3):
 * else one issuer could pass its keys off as those of another.
 *
 * @throws {UnusableKeys}
 */
export async function discoverKeys(issuer: string, fetch: FetchDocument, signal: AbortSignal): Promise<LoadedKeys> {
  const { url, metadata } = await fetchMetadata(issuer, fetch, signal);
  const { issuer: named, jwks_uri: keys } = isJsonObject(metadata) ? metadata : {};
  if (named !== issuer) throw new UnusableKeys(`${url} is of the issuer ${JSON.stringify(named)}, not of ${issuer}`);
  if (typeof keys !== 'string') throw new UnusableKeys(`${url} has no jwks_uri`);
  const problem = urlProblem(keys) ?? (isHttps(issuer) && !isHttps(keys) ? 'is not an https URL' : null);
  if (problem !== null) throw new UnusableKeys(`the jwks_uri in ${url} ${problem}`);
  return fetchKeys(keys, fetch, signal);
}

interface Metadata {
  readonly url: string;
  readonly metadata: Json;
}

/** The metadata at the place of OpenID Connect, else at that of RFC 8414. */
async function fetchMetadata(issuer: string, fetch: FetchDocument, signal: AbortSignal): Promise<Metadata> {
  const [openId, oauth] = metadataUrls(issuer);
  try {
    return readMetadata(openId, await fetch(openId, signal));
  } catch (error) {
    if (!(error instanceof UnusableKeys) || signal.aborted) throw error;
    return readMetadata(oauth, await fetch(oauth, signal));
  }
}

function readMetadata(url: string, { body }: FetchedDocument): Metadata {
  return { url, metadata: body };
}

/** OpenID Connect Discovery 4.1 appends its path to that of the issuer, RFC 8414 3.1 puts it before. */
function metadataUrls(issuer: string): readonly [openId: string, oauth: string] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ];
}

function isHttps(url: string): boolean {
  return url.startsWith('https:');
}
