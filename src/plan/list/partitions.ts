import { weakMemoize } from '../../cache/memoize.ts';
import type { Json } from '../../conventions/json/json.ts';
import type { Resource } from '../../model/model.ts';
import type { Policy } from '../../model/policy.ts';
import type { Visibility } from '../visibility.ts';

/** The rows of a resource whose field has one value, such as those of an owner or a tenant. */
export interface Partition {
  /** Name of the field. */
  readonly field: string;
  readonly value: string;
}

/**
 * The fields whose values have change stamps of their own: texts that policies on reading compare with what the caller
 * is, and the owner. So the writes of one owner end no other's 304 (CACHE-2).
 */
export const partitionFields: (resource: Resource) => readonly string[] = weakMemoize((resource: Resource) => {
  const compared = resource.rows.read.flatMap((rule) => (rule.kind === 'policy' ? callerEqualities(rule.policy) : []));
  return [...new Set(compared)].filter((name) => {
    const type = resource.field.get(name)?.type;
    return type?.kind === 'text' && type.format === null;
  });
});

function callerEqualities(policy: Policy): readonly string[] {
  switch (policy.kind) {
    case 'all':
    case 'any':
      return policy.policies.flatMap(callerEqualities);
    case 'compare': {
      const { operator, references, value, path } = policy;
      const isCaller = value.kind === 'caller' || value.kind === 'claim';
      return operator === 'eq' && references.length === 0 && isCaller ? [path] : [];
    }
    case 'not':
    case 'scope':
      return [];
  }
}

/** The partition that has all rows of a visibility; null where it comes to something else than one equality. */
export function findPartition(resource: Resource, visible: Visibility): Partition | null {
  const [condition, ...others] = visible.kind === 'conditions' ? visible.conditions : [];
  if (condition?.operator !== 'in' || others.length > 0) return null;
  const [value, another]: readonly (Json | undefined)[] = condition.values;
  if (typeof value !== 'string' || another !== undefined) return null;
  return partitionFields(resource).includes(condition.path) ? { field: condition.path, value } : null;
}
