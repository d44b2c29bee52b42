import { NO_STORE } from '../conventions/headers/cache-control.ts';
import { linkField, type LinkValue } from '../conventions/url/links.ts';
import { preferenceApplied } from '../conventions/headers/prefer.ts';
import type { Preferences } from '../conventions/headers/prefer.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { ApiResponse, BufferedResponse, HeaderList } from '../exchange/handler.ts';

/**
 * The values of `Vary`, by the three fields on which a response may depend besides the media type, the coding and the
 * preferences.
 */
const VARY: readonly string[] = Array.from({ length: 8 }, (_, bits) =>
  [
    'Accept, Accept-Encoding, Prefer',
    ...['API-Version', 'Origin', 'Authorization'].filter((_name, bit) => (bits & (1 << bit)) !== 0),
  ].join(', '),
);

/**
 * Lists the header fields of every response (ERR-5, NEG-3, VER-4, OPS-3, AUTH-11, LIM-2): correlation id, `Vary`, no
 * sniffing, access of other origins, rate limit. That of a version names it. A new list, which the caller may extend.
 *
 * @param quota null if shared caches may store the response (CACHE-5)
 */
export function commonHeaders(exchange: Exchange, quota = exchange.note.quota): string[] {
  const { correlationId, origin } = exchange;
  const { contract } = exchange.note;
  const headers = [
    'X-Correlation-ID',
    correlationId,
    'Vary',
    vary(exchange),
    ...(contract === null ? [] : ['API-Version', contract.version]),
    'X-Content-Type-Options',
    'nosniff',
    'Cross-Origin-Resource-Policy',
    origin.resourcePolicy,
  ];
  if (contract !== null && contract.lifecycle.length > 0) headers.push(...contract.lifecycle);
  if (origin.headers.length > 0) headers.push(...origin.headers);
  if (quota !== null) headers.push(...quota.fields());
  return headers;
}

/**
 * Adds links to the `Link` field, which a deprecated contract may have already, so that there is one field (RFC 8288
 * 3).
 */
export function addLinks(headers: string[], links: readonly LinkValue[]): void {
  const value = linkField(links);
  if (value === '') return;
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at] !== 'Link') continue;
    headers[at + 1] = `${headers[at + 1]}, ${value}`;
    return;
  }
  headers.push('Link', value);
}

/** Writes `Vary` (NEG-3): the fields that any response of the URL depends on. */
function vary({ versionInPath, origin, note }: Exchange): string {
  const bits = (versionInPath ? 0 : 1) + (origin.varies ? 2 : 0) + (note.variesByCaller ? 4 : 0);
  return VARY[bits] ?? '';
}

/** Writes `Preference-Applied`. `handling=lenient` is always applied (REP-5, QRY-5). */
export function appliedPreferences({ preferences }: { readonly preferences: Preferences }): HeaderList {
  const applied = preferences.handling === 'lenient' ? preferenceApplied(['handling=lenient']) : null;
  return applied === null ? [] : ['Preference-Applied', applied];
}

/** Makes a response that no cache may store (CACHE-5): to a write, among others. */
export function uncachedResponse<B extends ApiResponse['body']>(
  status: number,
  headers: HeaderList,
  body: B,
): { readonly status: number; readonly headers: HeaderList; readonly body: B } {
  return { status, headers: [...headers, 'Cache-Control', NO_STORE], body };
}

/**
 * Redirects to the one URL of a resource (URL-1). The status is 308, because method and body stay.
 *
 * @param target the canonical path and query
 * @param publicUrl null if the location is relative
 */
export function redirectResponse(exchange: Exchange, target: string, publicUrl: string | null): BufferedResponse {
  const location = `${publicUrl ?? ''}${target}`;
  return uncachedResponse(308, [...commonHeaders(exchange), 'Location', location], null);
}
