import { ApiError } from '../conventions/errors.ts';
import type { QueryParameter } from '../conventions/url/query.ts';
import { attempt, chain, type MaybePromise } from '../platform/maybe-promise.ts';
import { accessRules } from './access.ts';
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

/** The identity of every caller without credentials; each has the bucket of its address. */
const ANONYMOUS = 'anonymous';

/**
 * Limits failed authentication (around step 7). A 401 takes from the bucket of its address, and no new token of an
 * address whose bucket is empty is verified (LIM-2). A known token is: one job with an expired token must not stop an
 * office. Valid callers take nothing. Failures do not stop attempts that are already being verified.
 *
 * @param rates null if the model has no rate limits
 * @param isKnown true if the token was verified before
 * @throws {ApiError} RATE_LIMIT_EXCEEDED, and the errors of `authenticate`
 */
export function limitAttempts<C>(
  routed: Routed,
  rates: Rates | null,
  authenticate: () => MaybePromise<C>,
  isKnown: () => boolean,
): MaybePromise<C> {
  const { exchange, received, route } = routed;
  const { client } = received;
  // Callers without a known address would lock each other out.
  if (rates === null || client.address === '') return authenticate();
  const isRead = exchange.fields.get('authorization') !== null && route.kind !== 'home';
  const canFail = isRead || accessRules(routed).length > 0;
  if (!canFail) return authenticate();
  const failures = new Quota(rates, 'failure', client.address);
  try {
    failures.check();
  } catch (error) {
    if (!isKnown()) {
      exchange.note.quota = failures;
      throw error;
    }
  }
  return attempt(authenticate, (error) => {
    if (error instanceof ApiError && error.status === 401) {
      exchange.note.quota = failures;
      failures.count();
    }
    throw error;
  });
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
  const units = route.kind === 'collection' && isSearch(received.parameters) ? quota.searchWeight : 1;
  return chain(quota.take(units), () => ({ routed, principal, credentials, quota }));
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
