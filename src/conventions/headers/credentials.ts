/** The value of `Authorization` (RFC 9110 11.6.2, RFC 6750 2.1). */
export type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'bearer'; readonly token: string }
  /** Another scheme, which no API of ours knows. */
  | { readonly kind: 'other' }
  | { readonly kind: 'malformed' };

const SCHEME = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?: +(.*))?$/s;
const BEARER = 'Bearer ';
/** The token68 of RFC 9110, which a bearer token is. */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

const NONE: Credentials = { kind: 'none' };
const OTHER: Credentials = { kind: 'other' };
const MALFORMED: Credentials = { kind: 'malformed' };

/** Reads the credentials of a request. @param value of its only `Authorization` line; null where it has none */
export function parseCredentials(value: string | null): Credentials {
  if (value === null) return NONE;
  // As nearly every client writes it.
  if (value.startsWith(BEARER) && value[BEARER.length] !== ' ') return bearer(value.slice(BEARER.length));
  const [, scheme, token] = SCHEME.exec(value) ?? [];
  if (scheme === undefined) return MALFORMED;
  if (scheme.toLowerCase() !== 'bearer') return OTHER;
  return bearer(token ?? '');
}

function bearer(token: string): Credentials {
  return TOKEN.test(token) ? { kind: 'bearer', token } : MALFORMED;
}

/** The reason why a caller is challenged (RFC 6750 3.1). */
export type ChallengeError =
  | { readonly kind: 'none' }
  | { readonly kind: 'invalid_token' }
  | { readonly kind: 'insufficient_scope'; readonly scopes: readonly string[] };

/**
 * The value of `WWW-Authenticate` (RFC 6750 3, RFC 9728 5.1).
 *
 * @param realm the name of the API
 * @param metadata the URL of the protected resource metadata; null where none can be named
 */
export function challenge(realm: string, metadata: string | null, error: ChallengeError): string {
  const parts = [`realm="${realm}"`];
  if (metadata !== null) parts.push(`resource_metadata="${metadata}"`);
  if (error.kind !== 'none') parts.push(`error="${error.kind}"`);
  if (error.kind === 'insufficient_scope') parts.push(`scope="${error.scopes.join(' ')}"`);
  return `Bearer ${parts.join(', ')}`;
}
