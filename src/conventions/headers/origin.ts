import { memoize } from '../../cache/memoize.ts';
import type { HeaderFields } from './header-fields.ts';
import { isSafeMethod, type Method } from '../methods.ts';

/**
 * Values of `Sec-Fetch-Site` of requests that no other site has caused: `none` is a request of the user, such as a
 * bookmark.
 */
const OWN_SITE: ReadonlySet<string> = new Set(['same-origin', 'none']);

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/**
 * True if a page of another site sent a request that could change something (AUTH-11): the rule of Go's
 * `http.CrossOriginProtection`. Browsers send `Sec-Fetch-Site` to https and loopback URLs, and `Origin` with every
 * unsafe request; other clients send neither.
 *
 * @param host the host that the client named, from `Host` or from a trusted proxy
 */
export function isCrossOriginWrite(method: Method, fields: HeaderFields, host: string | null): boolean {
  // A page of another site cannot read the response.
  if (isSafeMethod(method)) return false;
  const site = fields.get('sec-fetch-site') ?? '';
  if (site !== '') return !OWN_SITE.has(site);
  const origin = fields.get('origin') ?? '';
  return origin !== '' && readHost(origin) !== host?.toLowerCase();
}

/**
 * An origin as browsers serialize it: `https://app.example.com`, without a default port.
 *
 * @returns null for what names no origin: `*`, `null`, a host without a scheme
 */
export const serializedOrigin = memoize((text): string | null => {
  const url = SCHEME.test(text) ? URL.parse(text) : null;
  if (url === null || url.host === '') return null;
  // Apps have schemes of their own, which have no origin in the URL standard: capacitor://localhost.
  return `${url.protocol}//${url.host}`.toLowerCase();
});

/** The host of an origin with its port; null where it has none. */
function readHost(origin: string): string | null {
  return serializedOrigin(origin)?.replace(SCHEME, '') ?? null;
}
