import type { AuthRules } from '../model/model.ts';
import type { PolicyCaller } from '../model/policy.ts';
import type { VerifiedToken } from './token-verifier.ts';

/** The form in which owner fields name callers: two sources of identity may have the same subject (AUTH-9). */
export type OwnerForm = 'subject' | 'issuer:subject';

/** A caller without credentials, which has nothing that a policy can name. */
export const ANONYMOUS_CALLER: PolicyCaller = Object.freeze({
  subject: null,
  client: null,
  issuer: null,
  owner: null,
  scopes: null,
  claims: {},
});

/** The form of owner fields in a new database: by the number of sources of identity that a model has. */
export function ownerForm({
  issuers,
  gateway,
  apiKeys,
}: Pick<AuthRules, 'issuers' | 'gateway' | 'apiKeys'>): OwnerForm {
  const sources = issuers.length + (gateway === null ? 0 : 1) + (apiKeys === null ? 0 : 1);
  return sources > 1 ? 'issuer:subject' : 'subject';
}

/** The caller that policies are bound to. */
export function policyCaller(
  { issuer, subject, client, scopes, claims }: VerifiedToken,
  form: OwnerForm,
): PolicyCaller {
  const owner = form === 'subject' ? subject : `${issuer}:${subject}`;
  return { subject, client, issuer, owner, scopes, claims };
}
