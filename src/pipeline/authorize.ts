import { type ApiError, apiError } from '../conventions/errors.ts';
import type { TokenVerifier } from '../auth/token-verifier.ts';
import type { AccessRule } from '../model/model.ts';
import { accessRules } from './access.ts';
import { type Authenticated, principalOfToken } from './authenticate.ts';
import { challengeHeaders, type ChallengeOptions, credentialsRequired } from './challenge.ts';
import type { CompiledResource, Contract } from '../contract/contract.ts';
import type { Limited } from './limit.ts';
import { fulfils, type Permission } from '../contract/permission.ts';
import { type RowSource, VisibleRows } from '../operations/visible-rows.ts';
import type { Route } from './route.ts';

/** A request that its caller may make, with the rows that the caller may see (step 9). */
export interface Authorized extends Limited {
  /** Which fields the caller may use; `contract` has no others that it may not read. */
  readonly permission: Permission;
  /** The only way to rows for this request. */
  readonly rows: VisibleRows;
  /** Why the caller may not do what needs these rules: AUTH_REQUIRED, AUTH_SCOPE_INSUFFICIENT; null where it may. */
  readonly accessError: (rules: readonly AccessRule[]) => ApiError | null;
}

/**
 * Step 9: whether the caller's scopes allow the operation, before any look-up (AUTH-4). From here on the contract of the request has the fields alone
 * that the caller may read (REP-11).
 *
 * @param store its rows are reached from here on by `Authorized.rows` alone
 * @throws {ApiError} AUTH_SCOPE_INSUFFICIENT
 */
export function authorize(limited: Limited, store: RowSource, options: ChallengeOptions): Authorized {
  const accessErrorOf = (rules: readonly AccessRule[]): ApiError | null => accessError(limited, rules, options);
  const refused = accessErrorOf(accessRules(limited));
  if (refused !== null) throw refused;
  const { permission, contract } = limited.contract.permitted(limited.principal);
  const route = contract === limited.contract ? limited.route : routeIn(contract, limited.route);
  return {
    ...limited,
    contract,
    route,
    permission,
    rows: new VisibleRows(store, contract.visibilities(limited.principal), contract.mapping?.reads ?? null),
    accessError: accessErrorOf,
  };
}

function routeIn(contract: Contract, route: Route): Route {
  const isOfResource = route.kind === 'collection' || route.kind === 'item';
  return isOfResource ? { ...route, compiled: contract.resourceOf(route.compiled.resource.name) } : route;
}

/** Why a bearer token gives no rows, in words for the operator who has it. */
export class UnusableToken extends Error {
  override readonly name = 'UnusableToken';
}

/**
 * The rows that the caller of a bearer token may read, outside of a request, and the resource with the fields that it may read.
 *
 * @throws {UnusableToken} where it is not valid, or lacks the scope
 */
export async function rowsOfToken(
  token: string,
  { resource }: Pick<CompiledResource, 'resource'>,
  {
    contract,
    tokens,
    store,
  }: { readonly contract: Contract; readonly tokens: TokenVerifier; readonly store: RowSource },
): Promise<{ readonly rows: VisibleRows; readonly compiled: CompiledResource }> {
  const verdict = await tokens.verify(token);
  if (verdict.kind === 'unavailable') throw new UnusableToken('the keys of its issuer cannot be read now');
  if (verdict.kind === 'expired') throw new UnusableToken('it has expired');
  if (verdict.kind === 'invalid') throw new UnusableToken(verdict.reason);
  const caller = principalOfToken(verdict.token, contract);
  const { read } = resource.access;
  if (!fulfils(read, caller.scopes))
    throw new UnusableToken(`reading ${resource.name} needs the scope ${read.kind === 'scope' ? read.scope : ''}`);
  const { contract: shown } = contract.permitted(caller);
  return { rows: new VisibleRows(store, contract.visibilities(caller)), compiled: shown.resourceOf(resource.name) };
}

function accessError(request: Authenticated, rules: readonly AccessRule[], options: ChallengeOptions): ApiError | null {
  const { principal, contract } = request;
  const missing = rules.filter((rule) => !fulfils(rule, principal.scopes));
  if (missing.length === 0) return null;
  if (principal.scopes === null) return credentialsRequired(request, options);
  const scopes = [...new Set(missing.flatMap((rule) => (rule.kind === 'scope' ? [rule.scope] : [])))];
  return apiError(
    'AUTH_SCOPE_INSUFFICIENT',
    `This request needs the scope ${scopes.join(' and ')}; get a token that has it.`,
    {
      headers: challengeHeaders(contract, options, { kind: 'insufficient_scope', scopes }),
    },
  );
}

/** @throws {ApiError} AUTH_REQUIRED, AUTH_SCOPE_INSUFFICIENT: unless the caller fulfils all rules */
export function requireAccess(
  { accessError: errorOf }: Pick<Authorized, 'accessError'>,
  rules: readonly AccessRule[],
): void {
  const error = errorOf(rules);
  if (error !== null) throw error;
}
