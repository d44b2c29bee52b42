import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { type Issuer, type KeySource } from '../../src/model/model.ts';
import type { JsonObject } from '../../src/conventions/json/json.ts';
import { openVerifier } from '../../src/auth/open-verifier.ts';
import type { TokenVerdict, TokenVerifier } from '../../src/auth/token-verifier.ts';

/* Tokens are signed by node:crypto here, so that no test depends on the library that verifies them. */

export const NOW = Date.parse('2026-03-01T12:00:00Z');
export const SECONDS = NOW / 1_000;

export const SECRET = 'a shared secret of at least thirty-two bytes';

export const pairs = {
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  RS256: generateKeyPairSync('rsa', { modulusLength: 2_048 }),
  EdDSA: generateKeyPairSync('ed25519'),
};

export function publicJwk(key: KeyObject, members: JsonObject = {}): JsonObject {
  return { ...(key.export({ format: 'jwk' }) as JsonObject), ...members };
}

/** The public keys of all pairs; their key ids are the names of their algorithms. */
export const JWKS = Object.entries(pairs).map(([kid, { publicKey }]) => publicJwk(publicKey, { kid }));

export const ISSUER: Issuer = {
  name: 'id',
  issuer: 'https://id.example.com/',
  audiences: ['https://api.example.com'],
  keys: { kind: 'inline', keys: JWKS },
  allowTypJwt: false,
  scopeClaims: ['scope'],
  clientClaim: 'client_id',
};

export const HEADER: JsonObject = { alg: 'ES256', typ: 'at+jwt', kid: 'ES256' };
export const CLAIMS: JsonObject = {
  iss: 'https://id.example.com/',
  aud: 'https://api.example.com',
  sub: 'ann',
  client_id: 'shop-web',
  exp: SECONDS + 300,
  iat: SECONDS,
  scope: 'products:read products:write',
};

export function encode(part: string | Uint8Array | object): string {
  const bytes = typeof part === 'string' || part instanceof Uint8Array ? part : JSON.stringify(part);
  return Buffer.from(bytes as string).toString('base64url');
}

export function signature(input: string, algorithm: string, key: KeyObject | string): Buffer {
  if (typeof key === 'string') return createHmac('sha256', key).update(input).digest();
  const data = Buffer.from(input);
  if (algorithm === 'ES256') return sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' });
  if (algorithm === 'PS256') return sign('sha256', data, { key, padding: 6, saltLength: 32 });
  return sign(algorithm === 'RS256' ? 'sha256' : null, data, key);
}

export interface TokenParts {
  /** Members that replace those of `HEADER`; undefined removes one. A string stands for itself. */
  readonly header?: Record<string, unknown> | string;
  readonly claims?: Record<string, unknown> | string;
  readonly key?: KeyObject | string;
}

/** A signed token. */
export function token({ header = {}, claims = {}, key }: TokenParts = {}): string {
  const head = typeof header === 'string' ? header : JSON.stringify({ ...HEADER, ...header });
  const payload = typeof claims === 'string' ? claims : JSON.stringify({ ...CLAIMS, ...claims });
  const { alg = 'ES256' } = typeof header === 'string' ? {} : header;
  const algorithm = String(alg);
  const input = `${encode(head)}.${encode(payload)}`;
  const signer =
    key ??
    pairs[algorithm === 'RS256' || algorithm === 'PS256' ? 'RS256' : algorithm.startsWith('Ed') ? 'EdDSA' : 'ES256']
      .privateKey;
  return `${input}.${encode(signature(input, algorithm, signer))}`;
}

/** A token by {@link SECRET} with the scopes to read and to write some resources, valid for an hour of the clock. */
export function memberToken(audience: string, resources: readonly string[]): string {
  const now = Math.floor(Date.now() / 1_000);
  const scope = resources.flatMap((name) => [`${name}:read`, `${name}:write`]).join(' ');
  const claims = { aud: audience, iat: now, exp: now + 3_600, scope };
  return token({ header: { alg: 'HS256', kid: undefined }, claims, key: SECRET });
}

export interface VerifierSettings {
  readonly issuers?: readonly Partial<Issuer>[];
  readonly now?: () => number;
}

/** A verifier whose issuers are like `ISSUER` but for what is given. */
export function verifier({ issuers = [{}], now = () => NOW }: VerifierSettings = {}): Promise<TokenVerifier> {
  return openVerifier({
    auth: { issuers: issuers.map((issuer) => ({ ...ISSUER, ...issuer })) },
    folder: import.meta.dirname,
    now,
    elapsed: () => 0,
    fetch: () => Promise.reject(new Error('no test here fetches')),
    observe: () => undefined,
  });
}

/** The verdict on a token of an issuer that is `ISSUER` with the given members. */
export async function judgeToken(text: string, issuer: Partial<Issuer> = {}): Promise<TokenVerdict> {
  return (await verifier({ issuers: [issuer] })).verify(text);
}

export const secretKeys: KeySource = { kind: 'secret', secret: SECRET };
