import type { Gateway } from '../auth/gateway.ts';
import { ANONYMOUS_CALLER, ownerForm, policyCaller } from '../auth/policy-caller.ts';
import type { TokenVerdict, TokenVerifier, VerifiedToken } from '../auth/token-verifier.ts';
import { parseCredentials } from '../conventions/headers/credentials.ts';
import { type ApiError, apiError } from '../conventions/errors.ts';
import type { PolicyCaller } from '../model/policy.ts';
import type { Observe } from '../observe/observation.ts';
import { chain, type MaybePromise } from '../platform/maybe-promise.ts';
import { accessRules } from './access.ts';
import { challengeHeaders, type ChallengeOptions, credentialsRequired } from './challenge.ts';
import type { Contract } from '../contract/contract.ts';
import type { Routed } from './route.ts';

/** Who calls. The same object for each request with one known token, so that what is made for a caller is kept with it. */
export interface Principal extends PolicyCaller {
  /** The caller as events name it; null for an anonymous one. */
  readonly subject: string | null;
  /**
   * Names the caller in what belongs to it alone: idempotency records, batch records and rate limits (AUTH-9). Never part of a cache key: two callers
   * with one permission share representations.
   */
  readonly identity: string;
  /** What its credentials allow; null for an anonymous caller. */
  readonly scopes: ReadonlySet<string> | null;
  /** What names it; null for an anonymous caller. */
  readonly source: 'bearer' | 'gateway' | null;
}

/** A request whose caller is known (step 7). */
export interface Authenticated extends Routed {
  readonly principal: Principal;
  /** Whether the request carries credentials, required or not: then no shared cache stores its response unless the model allows it (CACHE-5). */
  readonly credentials: boolean;
}

/** What authentication needs besides the request. */
export interface AuthenticateOptions extends ChallengeOptions {
  /** null for a model without `auth`. */
  readonly tokens: TokenVerifier | null;
  /** null where no gateway names callers. */
  readonly gateway: Gateway | null;
  readonly services: { readonly observe: Observe };
}

const ANONYMOUS: Principal = { ...ANONYMOUS_CALLER, identity: 'anonymous', source: null };

/**
 * Step 7: who calls. Without an `auth` section every caller is anonymous. A caller whose token is known is answered synchronously.
 *
 * @throws {ApiError} AUTH_REQUEST_INVALID, AUTH_REQUIRED, AUTH_TOKEN_INVALID, AUTH_TOKEN_EXPIRED, AUTH_UNAVAILABLE
 */
export function authenticate(routed: Routed, options: AuthenticateOptions): MaybePromise<Authenticated> {
  const value = routed.exchange.fields.get('authorization');
  const { tokens } = options;
  if (tokens === null) return { ...routed, principal: ANONYMOUS, credentials: value !== null };
  const named = gatewayPrincipal(routed, options.gateway);
  if (named !== null) return { ...routed, principal: named, credentials: true };
  const credentials = parseCredentials(value);
  switch (credentials.kind) {
    case 'none':
      if (accessRules(routed).length > 0) throw credentialsRequired(routed, options);
      return { ...routed, principal: ANONYMOUS, credentials: false };
    case 'other':
      throw credentialsRequired(routed, options);
    case 'malformed':
      throw apiError('AUTH_REQUEST_INVALID', 'Authorization is malformed; send "Authorization: Bearer <token>".', {
        details: [{ field: 'Authorization', message: 'must be Bearer, one space, and a token' }],
      });
    case 'bearer':
      return chain(tokens.verify(credentials.token), (verdict) => ({
        ...routed,
        principal: principalOf(verdict, routed, options),
        credentials: true,
      }));
  }
}

/** @throws {ApiError} AUTH_TOKEN_INVALID, AUTH_TOKEN_EXPIRED, AUTH_UNAVAILABLE */
function principalOf(verdict: TokenVerdict, routed: Routed, options: AuthenticateOptions): Principal {
  switch (verdict.kind) {
    case 'verified':
      return principalOfToken(verdict.token, routed.contract);
    case 'expired':
      throw refused('AUTH_TOKEN_EXPIRED', 'The token has expired; get a new one.', routed, options);
    case 'invalid':
      options.services.observe({
        kind: 'token-rejected',
        correlationId: routed.exchange.correlationId,
        reason: verdict.reason,
      });
      throw refused('AUTH_TOKEN_INVALID', 'The token is not valid for this API; get another one.', routed, options);
    case 'unavailable':
      throw apiError('AUTH_UNAVAILABLE', 'The keys of the issuer of this token cannot be read now; try again.');
  }
}

/**
 * The caller that the gateway names, whatever `Authorization` says: a gateway passes on what it has verified itself (AUTH-6).
 *
 * @throws {ApiError} AUTH_REQUEST_INVALID
 */
function gatewayPrincipal({ exchange, client, contract }: Routed, gateway: Gateway | null): Principal | null {
  const verdict = gateway?.caller(exchange.fields, client.byProxy) ?? null;
  if (verdict === null || verdict.kind === 'none') return null;
  if (verdict.kind === 'caller') return principal(verdict.token, contract, 'gateway');
  const { field, message } = verdict;
  throw apiError('AUTH_REQUEST_INVALID', `${field} of the gateway is malformed: it ${message}.`, {
    details: [{ field, message }],
  });
}

/** By verified token: one that is known is the same object in each request. */
const principals = new WeakMap<VerifiedToken, Principal>();

/** The caller of a bearer token. */
export function principalOfToken(token: VerifiedToken, contract: Contract): Principal {
  const known = principals.get(token);
  if (known !== undefined) return known;
  const made = principal(token, contract, 'bearer');
  principals.set(token, made);
  return made;
}

/** A caller is all of (issuer, subject, client): two issuers may have the same subject (AUTH-9). */
function principal(token: VerifiedToken, { model }: Contract, source: 'bearer' | 'gateway'): Principal {
  const { issuer, subject, client } = token;
  const form = model.auth === null ? 'subject' : ownerForm(model.auth);
  return { ...policyCaller(token, form), identity: JSON.stringify([issuer, subject, client]), source };
}

function refused(
  code: 'AUTH_TOKEN_EXPIRED' | 'AUTH_TOKEN_INVALID',
  message: string,
  { contract }: Routed,
  options: ChallengeOptions,
): ApiError {
  return apiError(code, message, { headers: challengeHeaders(contract, options, { kind: 'invalid_token' }) });
}
