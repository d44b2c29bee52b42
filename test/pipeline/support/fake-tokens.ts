import type { TokenVerdict, TokenVerifier } from '../../../src/auth/token-verifier.ts';

/** A token that may do everything. */
export const ALL_SCOPES = 'all-scopes';

/** Every scope there is. */
class EveryScope extends Set<string> {
  override has(): boolean {
    return true;
  }
}

/**
 * The verdict on a token of a subject: `alice:products:read+orders:write` has two scopes; `alice@app` names the client.
 */
function verdict(token: string): TokenVerdict {
  if (token === ALL_SCOPES) {
    const scopes = new EveryScope();
    return { kind: 'verified', token: { issuer: 'test', subject: 'all', client: null, scopes, claims: {} } };
  }
  if (token === 'expired') return { kind: 'expired' };
  if (token === 'down') return { kind: 'unavailable' };
  const [, subject, client, scopes] = /^([a-z]+)(?:~([a-z]+))?(?:\.(.*))?$/.exec(token) ?? [];
  if (subject === undefined || token === 'bad') return { kind: 'invalid', reason: 'its signature does not match' };
  const granted = new Set((scopes ?? '').split('+').map((scope) => scope.replace('_', ':')));
  return { kind: 'verified', token: { issuer: 'test', subject, client: client ?? null, scopes: granted, claims: {} } };
}

/**
 * Verifies tokens without cryptography: `alice.products_read+orders_write`, `alice~app` names a client; `bad`,
 * `expired` and `down` are what they say.
 */
export const fakeTokens: TokenVerifier = { verify: verdict };

/** The same, as an issuer that has to be asked. */
export const slowTokens: TokenVerifier = { verify: async (token) => Promise.resolve(verdict(token)) };
