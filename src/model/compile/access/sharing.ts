import type { Resource } from '../../model.ts';
import type { Policy, PolicyValue, RowRule } from '../../policy.ts';

/** The caching of a resource with access rules of its own. */
type Sharing = Pick<Resource, 'sameForEveryCaller' | 'cache'>;

type ResourcesByName = ReadonlyMap<string, Resource>;

/**
 * A response that is not the same for every caller is private, whatever is declared (CACHE-5).
 *
 * @param resources all of them, with their rules on rows and fields
 * @param isByRole true if the database judges the rows, by rules that the model does not know
 */
export function compileSharing(resource: Resource, resources: ResourcesByName, isByRole: boolean): Sharing {
  const { access, cache } = resource;
  const sameForEveryCaller =
    !isByRole &&
    access.read.kind === 'public' &&
    showsSameRows(resource, resources) &&
    showsSameMembers(resource, resources);
  return { sameForEveryCaller, cache: cache === null || sameForEveryCaller ? cache : { ...cache, scope: 'private' } };
}

/** A row is visible where the rows above it are. */
function showsSameRows({ rows, parent }: Resource, resources: ResourcesByName): boolean {
  if (rows.read.some(namesCaller)) return false;
  const above = parent === null ? undefined : resources.get(parent.resource);
  return above === undefined || showsSameRows(above, resources);
}

/** A representation has links to the rows that refer to it by fields, unless these are hidden. */
function showsSameMembers({ fieldAccess, links }: Resource, resources: ResourcesByName): boolean {
  const isGated = (access: Resource['fieldAccess'], name: string): boolean => {
    const rule = access.get(name)?.read ?? null;
    return rule !== null && rule.kind !== 'public';
  };
  return (
    ![...fieldAccess.keys()].some((name) => isGated(fieldAccess, name)) &&
    !links.some((link) => isGated(resources.get(link.resource)?.fieldAccess ?? new Map(), link.field))
  );
}

/** True if a rule can differ between callers. */
function namesCaller(rule: RowRule): boolean {
  return rule.kind === 'function' || policyNamesCaller(rule.policy);
}

function policyNamesCaller(policy: Policy): boolean {
  switch (policy.kind) {
    case 'scope':
      return true;
    case 'not':
      return policyNamesCaller(policy.policy);
    case 'all':
    case 'any':
      return policy.policies.some(policyNamesCaller);
    case 'compare':
      return valueNamesCaller(policy.value);
  }
}

function valueNamesCaller(value: PolicyValue): boolean {
  switch (value.kind) {
    case 'literal':
      return false;
    case 'list':
      return value.values.some(valueNamesCaller);
    case 'caller':
    case 'claim':
      return true;
  }
}
