import { fieldOfPath } from '../conventions/text/field-path.ts';
import type { Resource } from '../model/model.ts';
import type { Policy, PolicyComparison, RowRule } from '../model/policy.ts';

/**
 * Lists the owner, and the fields of the row itself that policies on reading compare by equality. An index on each
 * finds the rows that a caller may see.
 */
export function policyPaths(resource: Resource): readonly string[] {
  const paths = resource.rows.read.flatMap((rule) =>
    rule.kind === 'policy' ? equalities(rule.policy, false).map(({ path }) => path) : [],
  );
  const owner = resource.owner === null ? [] : [resource.owner];
  return [...new Set([...owner, ...paths])].filter((path) => path !== 'id');
}

/** True if an index finds the rows that a rule shows. That of a function is not known before it is called. */
export function isServedByIndex(rule: RowRule): boolean {
  return rule.kind === 'function' || isServed(rule.policy, false);
}

function isServed(policy: Policy, negated: boolean): boolean {
  switch (policy.kind) {
    case 'not':
      return isServed(policy.policy, !negated);
    // It decides on all rows.
    case 'scope':
      return true;
    case 'all':
    case 'any': {
      const { policies } = policy;
      if (policies.length === 0) return true;
      const isConjunction = (policy.kind === 'all') !== negated;
      return isConjunction
        ? policies.some((each) => isServed(each, negated))
        : policies.every((each) => isServed(each, negated));
    }
    case 'compare':
      return isEquality(policy, negated);
  }
}

function equalities(policy: Policy, negated: boolean): readonly PolicyComparison[] {
  switch (policy.kind) {
    case 'not':
      return equalities(policy.policy, !negated);
    case 'scope':
      return [];
    case 'all':
    case 'any':
      return policy.policies.flatMap((each) => equalities(each, negated));
    case 'compare':
      return isEquality(policy, negated) ? [policy] : [];
  }
}

function isEquality({ operator, references }: PolicyComparison, negated: boolean): boolean {
  const operators = negated ? ['ne', 'nin'] : ['eq', 'in'];
  return references.length === 0 && operators.includes(operator);
}

/**
 * The fields of the row itself that policies on reading compare in any way. Those of a function are not known before it
 * is called.
 */
export function comparedFields(resource: Resource): readonly string[] {
  const compared = resource.rows.read.flatMap((rule) => (rule.kind === 'policy' ? comparisons(rule.policy) : []));
  const own = compared.filter(({ references }) => references.length === 0);
  return [...new Set(own.map(({ path }) => fieldOfPath(path)))];
}

/** The comparisons of a policy, in their order. */
export function comparisons(policy: Policy): readonly PolicyComparison[] {
  switch (policy.kind) {
    case 'not':
      return comparisons(policy.policy);
    case 'scope':
      return [];
    case 'all':
    case 'any':
      return policy.policies.flatMap(comparisons);
    case 'compare':
      return [policy];
  }
}
