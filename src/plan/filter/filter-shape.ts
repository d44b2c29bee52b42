import { quoted } from '../../conventions/text/quoted.ts';
import { type ComparisonOperator, OPERATORS, listOperators } from '../../model/operators.ts';
import type { RelationKey } from '../condition.ts';
import { filterablePaths, type FilterRule, type FilterTarget, filterTarget, isEmptyGroup } from './filter-rule.ts';
import { readFilterName, readGroupFilterName } from '../parameters.ts';

/** Maximum number of groups of alternatives (QRY-1). */
export const MAX_GROUPS = 10;

/** The path and the operator of a filter. */
interface FilterMeaning {
  readonly target: FilterTarget;
  readonly operator: ComparisonOperator;
}

/** A filter without its values: it has several if it is a list, or if a filter without an operator is repeated. */
export interface FilterSlot {
  /** The name of its first parameter. */
  readonly name: string;
  /** The positions of its parameters in the query. */
  readonly positions: readonly number[];
  /** Returns an error message where the name is wrong: it may list all fields, which is too much to keep. */
  readonly meaning: FilterMeaning | (() => string);
}

/** Filters on one relation, which are on one related row, or one filter on the row itself. */
interface FilterPart {
  readonly relation: RelationKey | null;
  readonly slots: readonly FilterSlot[];
}

/** Filters that all hold, in their order; those on one relation are together, where the first of them is. */
export type ConjunctionShape = readonly FilterPart[];

/** One of several alternatives. */
interface GroupShape {
  readonly conjunction: ConjunctionShape;
  /** The names of all its parameters. */
  readonly names: readonly string[];
  /** An error message if its number is wrong. */
  readonly problem: string | null;
}

/** The filters of a query without their values. */
export interface FilterShape {
  readonly ungrouped: ConjunctionShape;
  readonly groups: readonly GroupShape[];
  /**
   * The positions of all its parameters in the query, in canonical order: those without a group, then the groups by
   * their numbers.
   */
  readonly positions: readonly number[];
}

/** A filter parameter with its name in parts. */
interface FilterParameter {
  readonly position: number;
  readonly name: string;
  /** As written; null outside of groups. */
  readonly group: string | null;
  /** Its name without the group. */
  readonly filter: string;
}

/**
 * Reads the names of filters (QRY-1). Their meaning depends on nothing else, so that it can be cached for all
 * queries with the same names.
 *
 * @param names of all parameters of a query
 * @param positions of the filters among them
 */
export function filterShape(names: readonly string[], positions: readonly number[], rule: FilterRule): FilterShape {
  const parameters = inGroups(names, positions);
  const byGroup = Map.groupBy(parameters, ({ group }) => group);
  const groups = [...byGroup].flatMap(([group, members]) =>
    group === null
      ? []
      : [{ names: members.map(({ name }) => name), problem: groupProblem(group), conjunction: parts(members, rule) }],
  );
  return {
    ungrouped: parts(byGroup.get(null) ?? [], rule),
    groups,
    positions: parameters.map(({ position }) => position),
  };
}

function inGroups(names: readonly string[], positions: readonly number[]): readonly FilterParameter[] {
  return positions
    .map((position) => {
      const name = names[position] ?? '';
      const { group, filter } = readGroupFilterName(name) ?? { group: null, filter: name };
      return { position, name, group, filter };
    })
    .sort((one, other) => groupOrder(one.group) - groupOrder(other.group));
}

function groupOrder(group: string | null): number {
  return group === null ? 0 : (groupNumber(group) ?? MAX_GROUPS + 1);
}

/** A group as a number; null if it is not a number from 1 to the maximum. */
function groupNumber(group: string): number | null {
  const number = Number(group);
  return /^[1-9][0-9]?$/.test(group) && number <= MAX_GROUPS ? number : null;
}

function groupProblem(group: string): string | null {
  return groupNumber(group) === null
    ? `is in group ${quoted(group)}; groups have numbers from 1 to ${MAX_GROUPS}`
    : null;
}

function parts(parameters: readonly FilterParameter[], rule: FilterRule): ConjunctionShape {
  const slots = [...Map.groupBy(parameters, ({ filter }) => filter)].map(
    ([filter, given]): FilterSlot => ({
      name: given[0]?.name ?? '',
      positions: given.map(({ position }) => position),
      meaning: parseMeaning(filter, rule),
    }),
  );
  const byRelation = Map.groupBy(slots.entries(), ([index, slot]) => relationName(slot) ?? String(index));
  return [...byRelation.values()].map((entries) => {
    const members = entries.map(([, slot]) => slot);
    return { relation: members[0] === undefined ? null : findRelation(members[0]), slots: members };
  });
}

function findRelation({ meaning }: FilterSlot): RelationKey | null {
  return typeof meaning === 'function' ? null : meaning.target.relation;
}

function relationName(slot: FilterSlot): string | null {
  const relation = findRelation(slot);
  return relation === null ? null : JSON.stringify([relation.resource, relation.field, relation.inverse]);
}

function parseMeaning(filter: string, rule: FilterRule): FilterMeaning | (() => string) {
  const { path, operator: named } = readFilterName(filter) ?? { path: filter, operator: null };
  const target = filterTarget(rule, path);
  if (target === null) return () => (isEmptyGroup(filter) ? EMPTY_GROUP : 'is not a filter');
  const { property, resource, prefix } = target;
  if (!property.filterable) {
    return () => `is not filterable; filterable fields: ${filterablePaths(resource, prefix).join(', ')}`;
  }
  const operators = listOperators(property.type);
  const operator = operators.find((each) => each === (named ?? 'eq'));
  return operator === undefined ? () => unsupportedOperator(named, path, operators) : { target, operator };
}

const EMPTY_GROUP = `has no filter; write any[1][field]=value, in groups from 1 to ${MAX_GROUPS}`;

function unsupportedOperator(named: string | null, path: string, operators: readonly ComparisonOperator[]): string {
  const isKnown = named === null || OPERATORS.some((each) => each === named);
  const problem = isKnown ? `does not support ${named ?? 'a filter without an operator'}` : 'has an unknown operator';
  return `${problem}; supported: ${operators.map((each) => `${path}[${each}]`).join(', ')}`;
}
