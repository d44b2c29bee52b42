import type { AccessRule } from '../model/model.ts';
import type { Method } from '../conventions/methods.ts';
import { routeRules } from '../plan/routes/operation-rules.ts';
import { fulfils } from '../contract/permission.ts';
import { listTargetMethods } from './found-route.ts';
import type { Routed } from './route.ts';

/**
 * Collects the rules that a request has to fulfil, all of them (AUTH-4); none for a public operation. A PUT that could
 * create needs both rules, so that the response to a missing scope is the same for existing and missing rows.
 *
 * Without `auth` nothing needs credentials. With it everything does, except for public operations, health and OPTIONS.
 */
export function accessRules({
  route,
  method,
  contract,
}: Pick<Routed, 'route' | 'method' | 'contract'>): readonly AccessRule[] {
  const resource = route.kind === 'collection' || route.kind === 'item' ? route.compiled.resource : null;
  return routeRules({ kind: route.kind, method, resource }, contract.model);
}

/**
 * True if responses depend on the caller (NEG-3, CACHE-5), directly or through the rows and fields that it may read.
 * OPTIONS lists the methods that it may use.
 */
export function variesByCaller(routed: Pick<Routed, 'route' | 'method' | 'contract'>): boolean {
  const { route, method, contract } = routed;
  if (accessRules(routed).length > 0 || (method === 'OPTIONS' && contract.model.auth !== null)) return true;
  // Callers with a token see more of it.
  if (route.kind === 'docs') return contract.model.descriptions === 'authenticated';
  return (route.kind === 'collection' || route.kind === 'item') && !route.compiled.resource.sameForEveryCaller;
}

/**
 * Lists the methods of a target that a caller may use, in their order (MET-5).
 *
 * @param scopes null for an anonymous caller
 */
export function allowedMethods(
  { route, contract }: Pick<Routed, 'route' | 'contract'>,
  scopes: ReadonlySet<string> | null,
): readonly Method[] {
  return listTargetMethods(route).filter((method) =>
    accessRules({ route, method, contract }).every((rule) => fulfils(rule, scopes)),
  );
}
