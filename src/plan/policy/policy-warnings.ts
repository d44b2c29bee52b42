import type { Model, Resource } from '../../model/model.ts';
import type { PolicyValue, RowRule } from '../../model/policy.ts';
import { comparisons } from '../policy-paths.ts';

/** Lists warnings about rules that show or change rows of other callers than they seem to (AUTH-5). */
export function listPolicyWarnings(model: Model): readonly string[] {
  return [...model.resources.values()].flatMap((resource) => [
    ...ambiguousSubjects(resource, model),
    ...bypassedRules(resource, model),
  ]);
}

/** Rules that compare the subject alone, which callers of two issuers may share. API keys share it on purpose. */
function ambiguousSubjects({ name, rows }: Resource, { auth }: Model): readonly string[] {
  const sources = (auth?.issuers.length ?? 0) + (auth?.gateway === null ? 0 : 1);
  if (auth === null || sources < 2) return [];
  const operations = Object.entries(rows).flatMap(([operation, rules]) =>
    rules.some(comparesSubject) ? [operation] : [],
  );
  if (operations.length === 0) return [];
  const cause = `access.rows.${operations.join(', ')} compares $caller.subject, which callers of two issuers may share`;
  return [`resources.${name}: ${cause}; compare $caller.owner, or $caller.issuer as well`];
}

function comparesSubject(rule: RowRule): boolean {
  return rule.kind === 'policy' && comparisons(rule.policy).some(({ value }) => isSubject(value));
}

function isSubject(value: PolicyValue): boolean {
  return value.kind === 'list' ? value.values.some(isSubject) : value.kind === 'caller' && value.member === 'subject';
}

/** References by which a deletion changes rows whose own rules are not asked. */
function bypassedRules(resource: Resource, { resources }: Model): readonly string[] {
  const { name, fields, rows } = resource;
  return fields.flatMap(({ name: field, reference }) => {
    const action = reference?.onDelete;
    const target = resources.get(reference?.resource ?? '');
    if (target === undefined || (action !== 'cascade' && action !== 'nullify')) return [];
    const operation = action === 'cascade' ? 'delete' : 'update';
    if (!isNarrower(rows[operation], target.rows.delete)) return [];
    const cause = `a deletion of ${target.name} changes rows by ${action} of ${field}, and asks no access.rows.${operation} of them`;
    return [`resources.${name}: ${cause}; declare the same rule for both, or restrict`];
  });
}

/** True if rules are on rows, and others than those of the deletion that leads to them. */
function isNarrower(rules: readonly RowRule[], above: readonly RowRule[]): boolean {
  const isTrivial = ({ kind, ...rule }: RowRule): boolean =>
    kind === 'policy' && 'policy' in rule && rule.policy.kind === 'all' && rule.policy.policies.length === 0;
  return rules.some((rule) => !isTrivial(rule)) && withoutResources(rules) !== withoutResources(above);
}

function withoutResources(rules: readonly RowRule[]): string {
  return JSON.stringify(rules, (key, value: unknown) => (key === 'resource' ? undefined : value));
}
