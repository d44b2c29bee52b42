import { isJsonObject, type Json } from '../../../conventions/json/json.ts';
import { type ReportProblem, suggestName } from '../../document/model-error.ts';
import type { Resource } from '../../model.ts';
import type { Policy } from '../../policy.ts';
import { type ComparisonOperator, OPERATORS, listOperators } from '../../operators.ts';
import type { Path } from '../../path.ts';
import { PolicyTargets, type PolicyTarget } from './policy-targets.ts';
import { PolicyValues } from './policy-values.ts';

/** The context of compiling a policy. */
export interface PolicyContext {
  readonly resource: Resource;
  readonly resources: ReadonlyMap<string, Resource>;
  readonly report: ReportProblem;
  /**
   * True if a function returned the tree. Its values come from claims, so a value that no field can have is unknown,
   * not an error.
   */
  readonly isResult: boolean;
}

/** Maximum number of comparisons in a tree: databases limit the depth of an expression. */
const MAX_COMPARISONS = 100;

/** The policy used after an error. It is true for no row. */
const NEVER: Policy = { kind: 'any', policies: [] };

/**
 * Compiles the tree of a policy: `true`, `false`, or `all`, `any` and `not` over `field: value` and
 * `field: {operator: value}`. A field may be a dotted path through references to one row. Every problem is reported; if
 * there are any, the result must not be used.
 *
 * @param at where the tree is declared
 */
export function compilePolicy(declared: Json, at: Path, context: PolicyContext): Policy {
  let failed = false;
  const report: ReportProblem = (...problem) => {
    failed = true;
    context.report(...problem);
  };
  const policy = new PolicyCompiler({ ...context, report }).tree(declared, at);
  const compared = comparisonsIn(policy);
  if (!failed && typeof declared !== 'boolean' && compared === 0) {
    report(at, 'the policy names no field', 'compare a field, as in { status: ACTIVE }, or write true or false');
  }
  if (compared > MAX_COMPARISONS) {
    report(at, `the policy has more than ${MAX_COMPARISONS} comparisons`, 'compare with a list, as in { in: [A, B] }');
  }
  return policy;
}

function comparisonsIn(policy: Policy): number {
  switch (policy.kind) {
    case 'compare':
      return 1;
    case 'not':
      return comparisonsIn(policy.policy);
    case 'scope':
      return 0;
    case 'all':
    case 'any':
      return policy.policies.reduce((sum, each) => sum + comparisonsIn(each), 0);
  }
}

/** Policies that all hold. */
export function combinePolicies(policies: readonly Policy[]): Policy {
  const [only, ...others] = policies;
  return only !== undefined && others.length === 0 ? only : { kind: 'all', policies };
}

class PolicyCompiler {
  readonly #report: ReportProblem;
  readonly #targets: PolicyTargets;
  readonly #values: PolicyValues;

  constructor({ resource, resources, report, isResult }: PolicyContext) {
    this.#report = report;
    this.#targets = new PolicyTargets(resource, resources, report);
    this.#values = new PolicyValues(report, isResult);
  }

  tree(declared: Json, at: Path): Policy {
    if (typeof declared === 'boolean') return { kind: declared ? 'all' : 'any', policies: [] };
    if (isJsonObject(declared)) {
      return combinePolicies(Object.entries(declared).map(([name, value]) => this.#member(name, value, [...at, name])));
    }
    return this.#problem(at, 'a policy is true, false or an object', 'write { field: value }, or all, any or not');
  }

  #problem(at: Path, cause: string, fix: string): Policy {
    this.#report(at, cause, fix);
    return NEVER;
  }

  #member(name: string, value: Json, at: Path): Policy {
    switch (name) {
      case 'all':
      case 'any': {
        if (!Array.isArray(value)) return this.#problem(at, `${name} is not a list`, `write ${name}: [{ .. }, { .. }]`);
        const items: readonly Json[] = value;
        if (items.length === 0) return this.#problem(at, `${name} is empty`, 'write true or false in its place');
        return { kind: name, policies: items.map((each, index) => this.tree(each, [...at, index])) };
      }
      case 'not':
        return { kind: 'not', policy: this.tree(value, at) };
      default:
        return this.#comparisons(name, value, at);
    }
  }

  #comparisons(path: string, value: Json, at: Path): Policy {
    const target = this.#targets.find(path, at);
    if (target === null) return NEVER;
    if (!isJsonObject(value)) return this.#comparison(target, 'eq', value, at);
    const given = Object.entries(value);
    if (given.length === 0) return this.#problem(at, 'the comparison is empty', `write { ${path}: value }`);
    return combinePolicies(
      given.map(([name, operand]) => {
        const operator = OPERATORS.find((each) => each === name);
        if (operator !== undefined) return this.#comparison(target, operator, operand, [...at, name]);
        const fix = suggestName(name, listOperators(target.property.type));
        return this.#problem([...at, name], `there is no operator ${name}`, fix);
      }),
    );
  }

  #comparison({ property, ...target }: PolicyTarget, operator: ComparisonOperator, given: Json, at: Path): Policy {
    const { path, type } = property;
    const operators = listOperators(type);
    if (!operators.includes(operator)) {
      return this.#problem(at, `${path} cannot be compared by ${operator}`, `use one of ${operators.join(', ')}`);
    }
    const value = this.#values.operand(property, operator, given, at);
    return value === null ? NEVER : { kind: 'compare', ...target, path, operator, value };
  }
}
