import type { Method } from '../../conventions/methods.ts';
import type { AccessOperation, AccessRule, Model, Resource } from '../../model/model.ts';
import { eventsRule } from '../event-rules.ts';
import { type RouteKind, ROUTES } from './route-table.ts';

/** The scope that reads `/metrics` of an API with authentication (AUTH-10). */
export const METRICS_SCOPE = 'metrics:read';

const PUBLIC: readonly AccessRule[] = [];
const AUTHENTICATED: readonly AccessRule[] = [{ kind: 'authenticated' }];
const METRICS: readonly AccessRule[] = [{ kind: 'scope', scope: METRICS_SCOPE }];

/** A method of a route. */
export interface RouteOperation {
  readonly kind: RouteKind;
  readonly method: Method;
  /** The resource of a collection or an item; null for other routes. */
  readonly resource: Resource | null;
}

/**
 * Lists the rules that a request has to fulfil, all of them (AUTH-4); none if the operation is public.
 * Without `auth` nothing needs credentials.
 */
export function routeRules(
  { kind, method, resource }: RouteOperation,
  model: Pick<Model, 'auth' | 'system' | 'descriptions'>,
): readonly AccessRule[] {
  if (model.auth === null || method === 'OPTIONS') return PUBLIC;
  switch (ROUTES[kind].access) {
    case 'public':
      return PUBLIC;
    case 'authenticated':
      return AUTHENTICATED;
    case 'descriptions':
      return model.descriptions === 'public' ? PUBLIC : AUTHENTICATED;
    case 'metrics':
      return METRICS;
    case 'events':
      return [eventsRule(model)];
    case 'resource':
      return resource === null ? PUBLIC : operationRules(resource, method);
  }
}

/** The rules of a method on a resource; none if it is public. A PUT that could create needs both rules. */
export function operationRules(resource: Resource, method: Method): readonly AccessRule[] {
  return listOperations(resource, method)
    .map((operation) => resource.access[operation])
    .filter(isRestricted);
}

function isRestricted(rule: AccessRule): boolean {
  return rule.kind !== 'public';
}

/** The operations of a method on a resource; a PUT that could create is two. */
function listOperations({ id }: Resource, method: Method): readonly AccessOperation[] {
  switch (method) {
    case 'GET':
    case 'HEAD':
    case 'QUERY':
      return ['read'];
    case 'POST':
      return ['create'];
    case 'PUT':
      return id.kind === 'client' ? ['create', 'update'] : ['update'];
    case 'PATCH':
      return ['update'];
    case 'DELETE':
      return ['delete'];
    case 'OPTIONS':
      return [];
  }
}
