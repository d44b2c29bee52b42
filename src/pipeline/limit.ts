import { ApiError } from '../conventions/errors.ts';
import type { QueryParameter } from '../conventions/url/query.ts';
import { attempt, chain, type MaybePromise } from '../platform/maybe-promise.ts';
import { accessRules } from './access.ts';
import { authenticate, type Authenticated, type AuthenticateOptions, hasKnownToken } from './authenticate.ts';
import type { OriginChecked } from './check-origin.ts';
import type { Principal } from '../operations/principal.ts';
import { Quota, type Rates } from '../operations/quota.ts';
import type { Routed } from './route.ts';

/** A request that the rate limits admit (step 8). */
export interface Limited {
  readonly routed: Routed;
  readonly principal: Principal;
  readonly credentials: boolean;
  /** The bucket from which it, its operations and its lines take; null without rate limits. */
  readonly quota: Quota | null;
}

/** Options of {@link limitAttempts}. */
export interface LimitAttemptsOptions extends AuthenticateOptions {
  /** null if the model has no rate limits. */
  readonly rates: Rates | null;
}

/** The identity of every caller without credentials; each has the bucket of its address. */
const ANONYMOUS = 'anonymous';

/**
 * Authenticates a request (step 7), and limits failed attempts. A 401 takes from the bucket of its address, and no new
 * token of an address whose bucket is empty is verified (LIM-2). A known token is: one job with an expired token must
 * not stop an office. Valid callers take nothing. Failures do not stop attempts that are already being verified.
 *
 * @throws {ApiError} RATE_LIMIT_EXCEEDED, and the errors of `authenticate`
 */
export function limitAttempts(routed: Routed, options: LimitAttemptsOptions): MaybePromise<Authenticated> {
  const failures = failureQuota(routed, options.rates);
  if (failures === null) return authenticate(routed, options);
  const { note } = routed.exchange;
  try {
    failures.check();
  } catch (error) {
    if (!hasKnownToken(routed, options)) {
      note.quota = failures;
      throw error;
    }
  }
  return attempt(
    () => authenticate(routed, options),
    (error) => {
      if (error instanceof ApiError && error.status === 401) {
        note.quota = failures;
        failures.count();
      }
      throw error;
    },
  );
}

/** The bucket of a request whose authentication can fail; else null. */
function failureQuota(routed: Routed, rates: Rates | null): Quota | null {
  const { exchange, received, route } = routed;
  const { address } = received.client;
  // Callers without a known address would lock each other out.
  if (rates === null || address === '') return null;
  const isRead = exchange.fields.get('authorization') !== null && route.kind !== 'home';
  return isRead || accessRules(routed).length > 0 ? new Quota(rates, 'failure', address) : null;
}

/**
 * Takes from the bucket of the caller, or of the address of an anonymous one (step 8, LIM-2).
 *
 * @param rates null if the model has no rate limits
 * @throws {ApiError} RATE_LIMIT_EXCEEDED
 */
export function limit(checked: OriginChecked, rates: Rates | null): MaybePromise<Limited> {
  const { routed, principal, credentials } = checked;
  if (rates === null) return { routed, principal, credentials, quota: null };
  const { received, exchange, route } = routed;
  const quota =
    principal.identity === ANONYMOUS
      ? new Quota(rates, 'address', received.client.address)
      : new Quota(rates, 'caller', principal.identity);
  exchange.note.quota = quota;
  const weight = route.kind === 'collection' && isSearch(received.parameters) ? quota.searchWeight : 1;
  const units = received.request.isPartOfPaid === true ? weight - 1 : weight;
  return chain(units === 0 ? null : quota.take(units), () => ({ routed, principal, credentials, quota }));
}

/**
 * Takes the cost of a search that only the form of a QUERY requests.
 *
 * @param sent the parameters of the URL
 * @param parameters those of the URL and of the form
 * @throws {ApiError} RATE_LIMIT_EXCEEDED
 */
export async function limitForm(
  quota: Quota | null,
  sent: readonly QueryParameter[],
  parameters: readonly QueryParameter[],
): Promise<void> {
  if (quota === null || isSearch(sent) || !isSearch(parameters)) return;
  await quota.takeMore(quota.searchWeight - 1);
}

function isSearch(parameters: readonly QueryParameter[]): boolean {
  return parameters.some(({ name }) => name === 'q');
}
