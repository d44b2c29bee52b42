import { hash } from 'node:crypto';

const CHARACTERS = 22;

/**
 * A short fingerprint: the first 132 bits of SHA-256 as 22 characters of base64url. Long enough that
 * no two contents share one, by chance or by design (a collision costs about 2^66 hashes). A string is hashed as UTF-8.
 */
export function digest(content: string | Uint8Array): string {
  return hash('sha256', content, 'base64url').slice(0, CHARACTERS);
}

/**
 * The whole SHA-256 of a secret as base64url: what is stored in its place. For secrets of 256 random bits only, which
 * no one can guess; a password needs a slow hash.
 */
export function secretDigest(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** A whole SHA-256 as Subresource Integrity and Content Security Policy write it: `sha256-` and base64. */
export function sha256(content: string): string {
  return `sha256-${hash('sha256', content, 'base64')}`;
}
