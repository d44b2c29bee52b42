import { isJsonObject, type Json, type JsonObject } from '../../conventions/json/json.ts';
import { findForbiddenTexts } from '../../conventions/text/allowed-text.ts';
import type { Resource } from '../../model/model.ts';
import type {
  CallerValue,
  Policy,
  PolicyCaller,
  PolicyComparison,
  PolicyReference,
  PolicyValue,
} from '../../model/policy.ts';
import type { ValueType } from '../../model/value-type.ts';
import { coerceJson, coerceJsonPart } from '../../model/values/coercion.ts';
import type { Alternative, PartCondition, PathCondition, RelationKey } from '../condition.ts';
import { EVERYTHING, type Visibility } from '../visibility.ts';

/** A condition of a policy: what it reads of other rows, it reads for the system. */
type BoundCondition = PartCondition<{ readonly visible: Visibility }>;

/** A bound policy: conditions that a row must all satisfy; null if no row can. */
export type BoundPolicy = Alternative<{ readonly visible: Visibility }> | null;

/** Holds for every row. */
const TRUE: BoundPolicy = [];

/** The context in which a policy is bound. */
export interface BindContext {
  readonly caller: PolicyCaller;
  readonly resources: ReadonlyMap<string, Resource>;
}

/**
 * Binds a policy to a caller. A comparison with a claim that the caller does not have, or of another type than the
 * field, is unknown. So is its negation: neither shows a row. This holds for every tree of such comparisons, because
 * `not` is moved down to them. `all` and `any` alone make nothing true of an unknown comparison.
 */
export function bindPolicy(policy: Policy, context: BindContext): BoundPolicy {
  return bind(policy, context, false);
}

function bind(policy: Policy, context: BindContext, negated: boolean): BoundPolicy {
  switch (policy.kind) {
    case 'not':
      return bind(policy.policy, context, !negated);
    case 'scope':
      return (context.caller.scopes?.has(policy.scope) === true) === negated ? null : TRUE;
    case 'all':
    case 'any': {
      const each = policy.policies.map((one) => bind(one, context, negated));
      return (policy.kind === 'all') === negated ? either(each) : every(each);
    }
    case 'compare': {
      const condition = comparison(policy, context);
      if (condition === null) return null;
      return throughReferences(policy.references, simplified(negated ? opposite(condition) : condition));
    }
  }
}

/** Policies that all hold. */
export function every(policies: readonly BoundPolicy[]): BoundPolicy {
  const bound = policies.filter((each) => each !== null);
  return bound.length < policies.length ? null : joinConditions(bound.flat());
}

function either(policies: readonly BoundPolicy[]): BoundPolicy {
  const alternatives = policies.filter((each) => each !== null);
  const [first = null, ...others] = alternatives;
  if (others.length === 0) return first;
  if (alternatives.some((each) => each.length === 0)) return TRUE;
  return [{ operator: 'any', alternatives }];
}

/** Conditions on the row that one reference leads to are one condition, so that the row is looked up once. */
function joinConditions(conditions: readonly BoundCondition[]): readonly BoundCondition[] {
  const byReference = Map.groupBy(conditions, (each) => (each.operator === 'related' ? each.relation.field : null));
  return [...byReference].flatMap(([field, group]): readonly BoundCondition[] => {
    if (field === null) return group;
    const related = group.flatMap((each) => (each.operator === 'related' ? [each] : []));
    const parts = joinConditions(related.flatMap((each) => each.conditions));
    return related.slice(0, 1).map((each) => ({ ...each, conditions: parts }));
  });
}

/** A policy of the row that references lead to, for the row that they begin at. */
export function throughReferences(references: readonly PolicyReference[], policy: BoundPolicy): BoundPolicy {
  return references.reduceRight<BoundPolicy>((conditions, { field, resource }) => {
    if (conditions === null || conditions.length === 0) return conditions;
    const relation: RelationKey = { resource, field, inverse: false };
    return [{ operator: 'related', relation, visible: EVERYTHING, conditions }];
  }, policy);
}

/** No value is in an empty list. */
function simplified(condition: BoundCondition): BoundPolicy {
  if (condition.operator === 'in' && condition.values.length === 0) return null;
  return condition.operator === 'nin' && condition.values.length === 0 ? TRUE : [condition];
}

/** The condition that holds where another one does not (QRY-7). */
function opposite(condition: PathCondition): BoundCondition {
  switch (condition.operator) {
    case 'in':
      return { ...condition, operator: 'nin' };
    case 'nin':
      return { ...condition, operator: 'in' };
    case 'exists':
      return { ...condition, value: !condition.value };
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
    case 'contains':
    case 'starts_with':
      return { operator: 'not', condition };
  }
}

/** The condition of a comparison; null where it is unknown. */
function comparison(compared: PolicyComparison, context: BindContext): PathCondition | null {
  const { path, operator } = compared;
  const values = bindValues(compared, context);
  const [value = null] = values ?? [];
  if (values === null || (operator !== 'in' && operator !== 'nin' && value === null)) return null;
  switch (operator) {
    case 'eq':
    case 'in':
      return { path, operator: 'in', values };
    case 'ne':
    case 'nin':
      return { path, operator: 'nin', values };
    case 'exists':
      return { path, operator, value: value === true };
    case 'starts_with':
      return typeof value === 'string' ? { path, operator, value } : null;
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return { path, operator, value };
    case 'contains':
      return { path, operator, value };
  }
}

/** The values of a comparison in stored form; null where one of them is unknown. */
function bindValues(
  { resource, path, operator, value }: PolicyComparison,
  context: BindContext,
): readonly Json[] | null {
  const type = context.resources.get(resource)?.properties.get(path)?.type;
  if (type === undefined) throw new Error(`the model has no property ${path} of ${resource}`);
  // A part of a text need not be a valid value: of a date, for example.
  const isPart = operator === 'starts_with' || (operator === 'contains' && type.kind === 'text');
  const isList = operator === 'in' || operator === 'nin';
  const given = isList ? bindList(value, context.caller) : [bindValue(value, context.caller)];
  const values = given?.map((each) => {
    if (each === null || operator === 'exists') return each;
    const result = isPart ? coerceJsonPart(type, each) : coerceJson(type, each);
    return result.kind === 'valid' && isStorable(result.value) ? result.value : null;
  });
  return values === undefined || values.includes(null) ? null : values;
}

/** A value of the caller in stored form; null where it has none, or one of another type. */
export function bindCallerValue(type: ValueType, value: CallerValue, caller: PolicyCaller): Json {
  const given = bindValue(value, caller);
  if (given === null) return null;
  const result = coerceJson(type, given);
  return result.kind === 'valid' && isStorable(result.value) ? result.value : null;
}

/** True if a row can have a value. A claim may have texts that no row has, and that a database may refuse (REP-7). */
function isStorable(value: Json): boolean {
  return findForbiddenTexts(value, []).length === 0;
}

/** The values of a list, null for what the caller does not have; null where the caller has no such list. */
function bindList(value: PolicyValue, caller: PolicyCaller): readonly Json[] | null {
  if (value.kind === 'list') return value.values.map((each) => bindValue(each, caller));
  const list = bindValue(value, caller);
  return Array.isArray(list) ? list : null;
}

/** null for what the caller does not have. */
function bindValue(value: PolicyValue, caller: PolicyCaller): Json {
  switch (value.kind) {
    case 'literal':
      return value.value;
    case 'list':
      return value.values.map((each) => bindValue(each, caller));
    case 'claim':
      return claimAt(caller.claims, value.path);
    case 'caller':
      return value.member === 'scopes' ? caller.scopes && [...caller.scopes] : caller[value.member];
  }
}

/** The claim at a dotted path; names of claims, such as URLs, may have dots themselves. */
function claimAt(claims: JsonObject, path: string): Json {
  if (Object.hasOwn(claims, path)) return claims[path] ?? null;
  for (let dot = path.indexOf('.'); dot !== -1; dot = path.indexOf('.', dot + 1)) {
    const name = path.slice(0, dot);
    const held = Object.hasOwn(claims, name) ? claims[name] : undefined;
    if (isJsonObject(held)) return claimAt(held, path.slice(dot + 1));
  }
  return null;
}
