import { isJsonObject, type Json, type JsonObject } from '../conventions/json/json.ts';
import { isKeyId } from '../conventions/json/json-web-key.ts';
import { scanJson } from '../formats/json-scan.ts';
import { ApiError } from '../conventions/errors.ts';

/** The parts of a token, none of which is verified. */
export interface CompactToken {
  readonly algorithm: string;
  readonly keyId: string | null;
  /** True if its `typ` says that it is an access token (RFC 9068); other tokens have `JWT` or none. */
  readonly isAccessToken: boolean;
  readonly claims: JsonObject;
}

/** A token, or why it is none. The reason is for the log. */
export type ReadToken =
  | { readonly kind: 'token'; readonly token: CompactToken }
  | { readonly kind: 'invalid'; readonly reason: string };

/** Characters of a token: more than any that an issuer sends in a header field. */
export const MAX_TOKEN = 8_192;

const LIMITS = { depth: 16, items: 1_000 };

const PART = /^[A-Za-z0-9_-]+$/;
const PARTS = 3;

/**
 * Members of the header that let a token choose its own key, need an extension, or belong to encryption. RFC 8725 3.10:
 * a key that comes with the token proves nothing.
 */
const FORBIDDEN: readonly string[] = ['crit', 'b64', 'jku', 'jwk', 'x5u', 'x5c', 'enc', 'zip', 'epk', 'cty'];

const ACCESS_TOKEN = /^(?:application\/)?at\+jwt$/i;
const JWT = /^(?:application\/)?jwt$/i;

/**
 * Reads a signed token in compact form (RFC 7515 7.1), more strictly than libraries do (AUTH-2). Each part has one
 * spelling, no member is duplicate, and no header member changes the verification. Two readers of one token thus cannot
 * read two things. Nothing here depends on a key.
 */
export function readToken(token: string): ReadToken {
  if (token.length > MAX_TOKEN) return rejectToken(`it has more than ${MAX_TOKEN} characters`);
  const parts = token.split('.', PARTS + 1);
  if (parts.length !== PARTS) return rejectToken('it has not three parts');
  const [encodedHeader = '', encodedPayload = '', signature = ''] = parts;
  if (!isCanonical(signature)) return rejectToken('its signature is not canonical base64url');
  const header = readPart(encodedHeader);
  if (typeof header === 'string') return rejectToken(`its header ${header}`);
  const claims = readPart(encodedPayload);
  if (typeof claims === 'string') return rejectToken(`its payload ${claims}`);
  const { alg, kid, typ } = header;
  const forbidden = FORBIDDEN.find((name) => Object.hasOwn(header, name));
  if (forbidden !== undefined) return rejectToken(`its header has ${forbidden}`);
  if (typeof alg !== 'string') return rejectToken('its header has no alg');
  if (kid !== undefined && !isKeyId(kid)) return rejectToken('its kid is not a short string');
  const isAccessToken = typeof typ === 'string' && ACCESS_TOKEN.test(typ);
  const isJwt = typ === undefined || (typeof typ === 'string' && JWT.test(typ));
  if (!isAccessToken && !isJwt) return rejectToken('its typ is not that of an access token');
  return { kind: 'token', token: { algorithm: alg, keyId: kid ?? null, isAccessToken, claims } };
}

/** The JSON object of a part, or why it is none. */
function readPart(part: string): JsonObject | string {
  if (!isCanonical(part)) return 'is not canonical base64url';
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(part, 'base64url'));
    scanJson(text, LIMITS);
    const value: Json = JSON.parse(text);
    return isJsonObject(value) ? value : 'is not an object';
  } catch (error) {
    if (error instanceof ApiError) return `is not JSON that has one meaning: ${error.message}`;
    if (error instanceof TypeError) return 'is not UTF-8';
    throw error;
  }
}

/** True if a part is the one spelling of its bytes: no padding, no bits that a decoder ignores (RFC 4648 3.5). */
function isCanonical(part: string): boolean {
  return PART.test(part) && Buffer.from(part, 'base64url').toString('base64url') === part;
}

function rejectToken(reason: string): ReadToken {
  return { kind: 'invalid', reason };
}
