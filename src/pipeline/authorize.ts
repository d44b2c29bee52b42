import { type ApiError, apiError } from '../conventions/errors.ts';
import { isSafeMethod } from '../conventions/methods.ts';
import type { Contract } from '../contract/contract.ts';
import { fulfils } from '../contract/permission.ts';
import type { AccessRule } from '../model/model.ts';
import { type Caller, requireAccess } from '../operations/caller.ts';
import type { Principal } from '../operations/principal.ts';
import { type RowSource, VisibleRows } from '../operations/visible-rows.ts';
import { accessRules } from './access.ts';
import { challengeHeaders, credentialsRequired, type ResourceIdentity } from './challenge.ts';
import type { Limited } from './limit.ts';
import type { Route, Routed } from './route.ts';

/** A request that its caller may make (step 9). */
export interface Authorized {
  /** The routed request. Its contract and route have no fields that the caller may not read. */
  readonly routed: Routed;
  readonly caller: Caller;
  readonly credentials: boolean;
}

/**
 * Judges the scopes of the caller, before any row is read (step 9, AUTH-4). From here on the contract of the request
 * has only the fields that the caller may read (REP-11).
 *
 * @param store its rows are reached from here on through `Caller.rows` alone
 * @throws {ApiError} AUTH_SCOPE_INSUFFICIENT
 */
export function authorize(limited: Limited, store: RowSource, identity: ResourceIdentity): Authorized {
  const { routed, principal, quota, credentials } = limited;
  const { exchange } = routed;
  const accessError = (rules: readonly AccessRule[]): ApiError | null =>
    judgeScopes(rules, principal, routed.contract, identity);
  requireAccess({ accessError }, accessRules(routed));
  const { permission, contract } = routed.contract.permitted(principal);
  const rows = new VisibleRows(store, contract.visibilities(principal), contract.mapping?.reads ?? null);
  const { agent = null } = limited.routed.received.request;
  const trace = { correlationId: exchange.correlationId, traceId: exchange.trace.traceId, agent };
  const caller = { contract, rows, principal, permission, accessError, quota, trace };
  return { routed: contract === routed.contract ? routed : routeIn(contract, routed), caller, credentials };
}

/** The source of rows for a request: replicas, too, where it changes nothing and there are some. */
export function chooseRows({ routed }: Pick<Limited, 'routed'>, source: RowSource): RowSource {
  return isSafeMethod(routed.method) ? (source.replicated?.() ?? source) : source;
}

function routeIn(contract: Contract, routed: Routed): Routed {
  const { route } = routed;
  const isOfResource = route.kind === 'collection' || route.kind === 'item';
  const permitted: Route = isOfResource
    ? { ...route, compiled: contract.resourceOf(route.compiled.resource.name) }
    : route;
  return { ...routed, contract, route: permitted };
}

/** Returns the error of a caller that does not fulfil all rules; else null. */
function judgeScopes(
  rules: readonly AccessRule[],
  { scopes: granted }: Principal,
  contract: Contract,
  identity: ResourceIdentity,
): ApiError | null {
  const missing = rules.filter((rule) => !fulfils(rule, granted));
  if (missing.length === 0) return null;
  if (granted === null) return credentialsRequired(contract, identity);
  const scopes = [...new Set(missing.flatMap((rule) => (rule.kind === 'scope' ? [rule.scope] : [])))];
  return apiError(
    'AUTH_SCOPE_INSUFFICIENT',
    `This request needs the scope ${scopes.join(' and ')}; get a token that has it.`,
    { headers: challengeHeaders(contract, identity, { kind: 'insufficient_scope', scopes }) },
  );
}
