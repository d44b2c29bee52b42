import type { Gateway } from '../auth/gateway.ts';
import { ANONYMOUS_CALLER } from '../auth/policy-caller.ts';
import type { TokenVerdict, TokenVerifier } from '../auth/token-verifier.ts';
import { parseCredentials } from '../conventions/headers/credentials.ts';
import { type ApiError, apiError } from '../conventions/errors.ts';
import type { Observe } from '../observe/observation.ts';
import type { Callers, Principal } from '../operations/principal.ts';
import { chain, type MaybePromise } from '../platform/maybe-promise.ts';
import { accessRules } from './access.ts';
import { challengeHeaders, credentialsRequired, type ResourceIdentity } from './challenge.ts';
import type { Routed } from './route.ts';

/** A request whose caller is known (step 7). */
export interface Authenticated {
  readonly routed: Routed;
  readonly principal: Principal;
  /**
   * True if the request carries credentials, required or not. No shared cache then stores its response unless the model
   * allows it (CACHE-5).
   */
  readonly credentials: boolean;
}

/** Options of {@link authenticate}. */
export interface AuthenticateOptions extends ResourceIdentity {
  /** null for a model without `auth`. */
  readonly tokens: TokenVerifier | null;
  /** null if no gateway names callers. */
  readonly gateway: Gateway | null;
  readonly callers: Callers;
  readonly services: { readonly observe: Observe };
}

const ANONYMOUS: Principal = { ...ANONYMOUS_CALLER, identity: 'anonymous', formerIdentity: null, source: null };

/**
 * Identifies the caller (step 7). Without an `auth` section every caller is anonymous. A caller whose token is known is
 * identified synchronously.
 *
 * @throws {ApiError} AUTH_REQUEST_INVALID, AUTH_REQUIRED, AUTH_TOKEN_INVALID, AUTH_TOKEN_EXPIRED, AUTH_UNAVAILABLE
 */
export function authenticate(routed: Routed, options: AuthenticateOptions): MaybePromise<Authenticated> {
  // The page at `/` is the same for every caller (URL-1).
  if (routed.route.kind === 'home') return { routed, principal: ANONYMOUS, credentials: false };
  const value = routed.exchange.fields.get('authorization');
  const { tokens } = options;
  if (tokens === null) return { routed, principal: ANONYMOUS, credentials: value !== null };
  const named = gatewayPrincipal(routed, options);
  if (named !== null) return { routed, principal: named, credentials: true };
  const credentials = parseCredentials(value);
  switch (credentials.kind) {
    case 'none':
      if (accessRules(routed).length > 0) throw credentialsRequired(routed.contract, options);
      return { routed, principal: ANONYMOUS, credentials: false };
    case 'other':
      throw credentialsRequired(routed.contract, options);
    case 'malformed':
      throw apiError('AUTH_REQUEST_INVALID', 'Authorization is malformed; send "Authorization: Bearer <token>".', {
        details: [{ field: 'Authorization', message: 'must be Bearer, one space, and a token' }],
      });
    case 'bearer':
      return chain(tokens.verify(credentials.token), (verdict) => ({
        routed,
        principal: judgeVerdict(verdict, routed, options),
        credentials: true,
      }));
  }
}

/** True if a request has a token that is in the cache of verified ones (LIM-2b). */
export function hasKnownToken({ exchange }: Routed, { tokens }: Pick<AuthenticateOptions, 'tokens'>): boolean {
  const credentials = parseCredentials(exchange.fields.get('authorization'));
  return credentials.kind === 'bearer' && tokens?.isKnown?.(credentials.token) === true;
}

/** @throws {ApiError} AUTH_TOKEN_INVALID, AUTH_TOKEN_EXPIRED, AUTH_UNAVAILABLE */
function judgeVerdict(verdict: TokenVerdict, routed: Routed, options: AuthenticateOptions): Principal {
  switch (verdict.kind) {
    case 'verified':
      return options.callers.find(verdict.token);
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
 * Identifies the caller that the gateway names. It ignores `Authorization`: a gateway verifies credentials itself
 * (AUTH-6).
 *
 * @throws {ApiError} AUTH_REQUEST_INVALID
 */
function gatewayPrincipal(
  { exchange, received }: Routed,
  { gateway, callers }: Pick<AuthenticateOptions, 'gateway' | 'callers'>,
): Principal | null {
  const verdict = gateway?.caller(exchange.fields, received.client.byProxy) ?? null;
  if (verdict === null || verdict.kind === 'none') return null;
  if (verdict.kind === 'caller') return callers.create(verdict.token, 'gateway');
  const { field, message } = verdict;
  throw apiError('AUTH_REQUEST_INVALID', `${field} of the gateway is malformed: it ${message}.`, {
    details: [{ field, message }],
  });
}

function refused(
  code: 'AUTH_TOKEN_EXPIRED' | 'AUTH_TOKEN_INVALID',
  message: string,
  { contract }: Routed,
  identity: ResourceIdentity,
): ApiError {
  return apiError(code, message, { headers: challengeHeaders(contract, identity, { kind: 'invalid_token' }) });
}
