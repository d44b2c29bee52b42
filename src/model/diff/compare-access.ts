import { isNarrower, type AccessRule, type FieldAccess, type RowRules } from '../access-rules.ts';
import type { Resource, ResourceAccess } from '../model.ts';
import type { RowRule } from '../policy.ts';
import {
  type Comparer,
  type Comparers,
  compareMembers,
  compareSets,
  type ContainmentKinds,
  type Pair,
} from './comparers.ts';
import { type Difference, difference, inside, type Place } from './difference.ts';

export const ACCESS: ContainmentKinds = {
  narrower: 'access-narrower',
  wider: 'access-wider',
  changed: 'access-changed',
};
const FIELD_READ: ContainmentKinds = {
  narrower: 'field-read-narrower',
  wider: 'field-read-wider',
  changed: 'field-read-changed',
};

const EVERYONE: AccessRule = { kind: 'public' };

/** The comparers of the access to a resource, by operation. */
export const ACCESS_COMPARERS = {
  read: accessTo('reading'),
  create: accessTo('creating'),
  update: accessTo('changing'),
  delete: accessTo('deleting'),
} satisfies Comparers<ResourceAccess>;

const FIELD_ACCESS_COMPARERS = {
  read: (was, is, at) => compareRules([was ?? EVERYONE, is ?? EVERYONE], FIELD_READ, 'reading it', at),
  write: (was, is, at) => compareRules([was ?? EVERYONE, is ?? EVERYONE], ACCESS, 'writing it', at),
} satisfies Comparers<FieldAccess>;

/** The comparers of policies on rows. In general, the rows that two policies show cannot be compared. */
export const ROW_COMPARERS = {
  read: compareRowsTo('read'),
  create: compareRowsTo('created'),
  update: compareRowsTo('changed'),
  delete: compareRowsTo('deleted'),
} satisfies Comparers<RowRules>;

/** The differences of the rules on single fields that both resources have, computed ones among them. */
export function compareFieldAccess([was, is]: Pair<Resource>, at: Place): readonly Difference[] {
  const names = new Set([...was.fieldAccess.keys(), ...is.fieldAccess.keys()]);
  return [...names].flatMap((name) => {
    if (!hasMember(was, name) || !hasMember(is, name)) return [];
    const access: Pair<FieldAccess> = [was.fieldAccess.get(name) ?? UNRULED, is.fieldAccess.get(name) ?? UNRULED];
    return compareMembers<FieldAccess, Place>(FIELD_ACCESS_COMPARERS, access, inside(at, name));
  });
}

const UNRULED: FieldAccess = { read: null, write: null };

function hasMember({ field, computed }: Resource, name: string): boolean {
  return field.has(name) || computed.some((each) => each.name === name);
}

/** The differences of the scope that a transition requires; null for none. */
export function compareScope([was, is]: Pair<string | null>, what: string, at: Place): readonly Difference[] {
  return compareRules([scopeRule(was), scopeRule(is)], ACCESS, what, at);
}

function scopeRule(scope: string | null): AccessRule {
  return scope === null ? EVERYONE : { kind: 'scope', scope };
}

function accessTo(operation: string): Comparer<AccessRule> {
  return (was, is, at) => compareRules([was, is], ACCESS, operation, at);
}

function compareRules(
  rules: Pair<AccessRule>,
  kinds: ContainmentKinds,
  what: string,
  at: Place,
): readonly Difference[] {
  const kind = compareSets(rules, (outer, inner) => !isNarrower(outer, inner), kinds);
  const [was, is] = rules.map(describeRule);
  return kind === null ? [] : [difference(kind, at, `${what} needs ${is}, needed ${was}`)];
}

function describeRule(rule: AccessRule): string {
  switch (rule.kind) {
    case 'public':
      return 'nothing';
    case 'authenticated':
      return 'a caller';
    case 'scope':
      return `the scope ${JSON.stringify(rule.scope)}`;
  }
}

function compareRowsTo(operation: string): Comparer<readonly RowRule[]> {
  return (was, is, at) => {
    if (JSON.stringify(was.map(serializeRule)) === JSON.stringify(is.map(serializeRule))) return [];
    return [difference('row-policy-changed', at, `the policy of the rows that can be ${operation} is another one`)];
  };
}

/** A policy as data. Functions are not compared. */
function serializeRule(rule: RowRule): unknown {
  return rule.kind === 'policy' ? rule.policy : 'function';
}
