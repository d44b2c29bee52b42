import type { TokenVerdict, TokenVerifier } from '../../../src/auth/token-verifier.ts';
import type { JsonObject } from '../../../src/conventions/json/json.ts';

/** A caller of a test. */
export interface TestCaller {
  readonly subject: string;
  /** The name of its issuer; `test` by default. */
  readonly issuer?: string;
  readonly scopes?: readonly string[];
  readonly claims?: JsonObject;
}

/** The header field of a caller's token. */
export function as(caller: TestCaller): Readonly<Record<string, string>> {
  return { Authorization: `Bearer ${Buffer.from(JSON.stringify(caller)).toString('base64url')}` };
}

/**
 * Verifies the tokens of {@link as}, without cryptography. The verdict on one token is one object, as that on a known
 * token is.
 */
export function callerTokens(): TokenVerifier {
  const known = new Map<string, TokenVerdict>();
  return {
    verify(token) {
      const verdict = known.get(token) ?? verdictOn(token);
      known.set(token, verdict);
      return verdict;
    },
  };
}

function verdictOn(token: string): TokenVerdict {
  const {
    subject,
    issuer = 'test',
    scopes = [],
    claims = {},
  }: TestCaller = JSON.parse(Buffer.from(token, 'base64url').toString());
  return { kind: 'verified', token: { issuer, subject, client: null, scopes: new Set(scopes), claims } };
}
