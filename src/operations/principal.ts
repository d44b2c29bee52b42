import { ownerForm, policyCaller } from '../auth/policy-caller.ts';
import type { VerifiedToken } from '../auth/token-verifier.ts';
import type { Contract } from '../contract/contract.ts';
import type { PolicyCaller } from '../model/policy.ts';

/** The identity of a caller. The same object for each request with one known token, so that values computed for a caller are cached by it. */
export interface Principal extends PolicyCaller {
  /** The caller as events name it; null for an anonymous one. */
  readonly subject: string | null;
  /**
   * Names the caller in what belongs to it alone: idempotency records, batch records and rate limits (AUTH-9). Never part of a cache key: two callers
   * with one permission share representations.
   */
  readonly identity: string;
  /** The scopes of its credentials; null for an anonymous caller. */
  readonly scopes: ReadonlySet<string> | null;
  /** The source of its name; null for an anonymous caller. */
  readonly source: 'bearer' | 'gateway' | null;
}

/** By verified token: a known one is the same object in each request. */
const principals = new WeakMap<VerifiedToken, Principal>();

/** The caller of a bearer token. */
export function tokenPrincipal(token: VerifiedToken, contract: Contract): Principal {
  const known = principals.get(token);
  if (known !== undefined) return known;
  const made = makePrincipal(token, contract, 'bearer');
  principals.set(token, made);
  return made;
}

/** Names a caller by all of issuer, subject and client: two issuers may have the same subject (AUTH-9). */
export function makePrincipal(token: VerifiedToken, { model }: Contract, source: 'bearer' | 'gateway'): Principal {
  const { issuer, subject, client } = token;
  const form = model.auth === null ? 'subject' : ownerForm(model.auth);
  return { ...policyCaller(token, form), identity: JSON.stringify([issuer, subject, client]), source };
}
