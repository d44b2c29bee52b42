import type { Json, JsonObject } from '../conventions/json/json.ts';
import { isForbiddenText } from '../conventions/text/allowed-text.ts';
import type { Issuer } from '../model/model.ts';
import type { TokenVerdict, VerifiedToken } from './token-verifier.ts';

/** Seconds by which the clocks of an issuer and of this server may differ (AUTH-2). */
export const CLOCK_SKEW = 60;

/** OpenID Connect Core 2: a `sub` has at most 255 characters. */
const MAX_NAME = 255;

/** The verdict on the claims of a token, if its signature is valid. */
export type JudgedClaims =
  /** `expires`: seconds since the epoch from when on the token is expired. */
  | { readonly kind: 'valid'; readonly token: VerifiedToken; readonly expires: number }
  | Extract<TokenVerdict, { readonly kind: 'expired' | 'invalid' }>;

/**
 * The issuer that a token names: by `iss` exactly, and by an audience of which it has one; undefined where none is
 * declared.
 */
export function findIssuer<T extends Pick<Issuer, 'issuer' | 'audiences'>>(
  { iss, aud }: JsonObject,
  issuers: readonly T[],
): T | undefined {
  const audiences = new Set(listTexts(aud));
  return issuers.find((each) => each.issuer === iss && each.audiences.some((audience) => audiences.has(audience)));
}

/**
 * Judges the claims of a token (RFC 7519 4.1, RFC 9068 4).
 *
 * @param issuer the one that the token names
 * @param now milliseconds since the epoch
 */
export function judgeClaims(claims: JsonObject, issuer: Issuer, now: number): JudgedClaims {
  const { exp, nbf, iat, sub, cnf } = claims;
  const seconds = now / 1_000;
  if (!isTime(exp)) return rejectClaims('it has no exp that is a number');
  if (nbf !== undefined && !isTime(nbf)) return rejectClaims('its nbf is no number');
  if (iat !== undefined && !isTime(iat)) return rejectClaims('its iat is no number');
  if (!isCallerName(sub)) return rejectClaims(`its sub is not a text of 1 to ${MAX_NAME} characters`);
  // It is bound to a key or a certificate that a bearer does not show (RFC 7800, RFC 8705, RFC 9449).
  if (cnf !== undefined) return rejectClaims('it has cnf: it is bound to a key, and not a bearer token');
  if (nbf !== undefined && nbf > seconds + CLOCK_SKEW) return rejectClaims('its nbf is in the future');
  if (iat !== undefined && iat > seconds + CLOCK_SKEW) return rejectClaims('its iat is in the future');
  const client = claims[issuer.clientClaim] ?? null;
  if (client !== null && !isCallerName(client)) return rejectClaims(`its ${issuer.clientClaim} is not a short text`);
  const scopes = new Set<string>();
  for (const name of issuer.scopeClaims) {
    const listed = readScopes(claims[name]);
    if (listed === null) return rejectClaims(`its ${name} is neither a text nor a list of texts`);
    for (const scope of listed) scopes.add(scope);
  }
  const expires = exp + CLOCK_SKEW;
  if (seconds >= expires) return { kind: 'expired' };
  return { kind: 'valid', token: { issuer: issuer.name, subject: sub, client, scopes, claims }, expires };
}

/** The scopes of a claim: a text with spaces (RFC 8693 4.2), or a list of texts; null for anything else. */
function readScopes(value: Json | undefined): readonly string[] | null {
  if (value === undefined) return [];
  if (typeof value === 'string') return value.split(' ').filter((scope) => scope !== '');
  return Array.isArray(value) && value.every((scope) => typeof scope === 'string') ? value : null;
}

/** A text as a list of one, and a list of texts; anything else as an empty list. */
function listTexts(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : [];
}

/** True if a value is a NumericDate (RFC 7519 2). */
function isTime(value: Json | undefined): value is number {
  return typeof value === 'number' && value >= 0;
}

/** True if a value can name a caller. Control characters would reach logs and header fields. */
export function isCallerName(value: Json | undefined): value is string {
  return (
    typeof value === 'string' &&
    value.length > 0 &&
    value.length <= MAX_NAME &&
    !/\p{Cc}/u.test(value) &&
    !isForbiddenText(value)
  );
}

function rejectClaims(reason: string): JudgedClaims {
  return { kind: 'invalid', reason };
}
