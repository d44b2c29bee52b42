import type { Method } from '../../conventions/methods.ts';
import type { AccessOperation, AccessRule, Resource } from '../../model/model.ts';

/** The rules of a method on a resource; none where it is public. */
export function operationRules(resource: Resource, method: Method): readonly AccessRule[] {
  return operationsOf(resource, method)
    .map((operation) => resource.access[operation])
    .filter(isRestricted);
}

function isRestricted(rule: AccessRule): boolean {
  return rule.kind !== 'public';
}

/** What a method does to a resource; a PUT that could create does both. */
export function operationsOf({ id }: Resource, method: Method): readonly AccessOperation[] {
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
