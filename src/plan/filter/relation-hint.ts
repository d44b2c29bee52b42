import { closestMatch } from '../../conventions/text/closest-match.ts';
import { cut } from '../../conventions/text/quoted.ts';
import type { Model } from '../../model/model.ts';
import { listRelations } from '../expansion.ts';
import { filterablePaths, type FilterRule, splitAtDot } from './filter-rule.ts';
import { dottedName, groupFilterName, readFilterName, readGroupFilterName } from '../parameters.ts';

/**
 * Describes the relation that an unknown parameter seems to mean; null if there is none. It compares with few names:
 * clients send many.
 */
export function relationHint(rule: FilterRule, model: Pick<Model, 'resources'>): (name: string) => string | null {
  return (name) => {
    const member = readGroupFilterName(name);
    const filter = member?.filter ?? name;
    const suggestion = (text: string): string => {
      const near = member === null ? text : groupFilterName(member.group, text);
      return `; did you mean "${cut(near)}"?`;
    };
    const [first] = splitAtDot(readFilterName(filter)?.path ?? filter.replace(/\[.*$/s, ''));
    return rule.relations.has(first)
      ? hintInRelation(rule, { first, filter, suggestion, model })
      : hintOfRelation(rule, filter, suggestion);
  };
}

interface RelationFilter {
  /** The name of a relation. */
  readonly first: string;
  /** The name of the filter, without its group. */
  readonly filter: string;
  readonly suggestion: (filter: string) => string;
  readonly model: Pick<Model, 'resources'>;
}

function hintInRelation(
  { relations }: FilterRule,
  { first, filter, suggestion, model }: RelationFilter,
): string | null {
  const target = relations.get(first)?.resource;
  if (target === undefined) return null;
  const paths = filterablePaths(target, `${first}.`);
  const dotted = dottedName(filter, new Set(paths));
  if (dotted !== null) return suggestion(dotted);
  const { path, operator } = readFilterName(filter) ?? { path: '', operator: null };
  const [, rest] = splitAtDot(path);
  if (rest === undefined) return `; ${first} is a relation: filter by one of its fields: ${paths.join(', ')}`;
  const [second] = splitAtDot(rest);
  if (listRelations(target, model).some(({ name }) => name === second)) {
    return `; a filter goes through one relation, and ${second} is the second`;
  }
  const near = closestMatch(path, paths);
  if (near === null) return `; filterable fields of ${first}: ${paths.join(', ')}`;
  return suggestion(withOperator(near, operator));
}

/** The hint for a dotted path that begins with no relation, and with no field. */
function hintOfRelation(
  { resource, relations }: FilterRule,
  filter: string,
  suggestion: RelationFilter['suggestion'],
): string | null {
  const { path, operator } = readFilterName(filter) ?? { path: '', operator: null };
  const [first, rest] = splitAtDot(path);
  if (rest === undefined || relations.size === 0 || resource.field.has(first)) return null;
  const name = closestMatch(first, relations.keys()) ?? '';
  const target = relations.get(name)?.resource;
  const near = target === undefined ? null : closestMatch(`${name}.${rest}`, filterablePaths(target, `${name}.`));
  if (near !== null) return suggestion(withOperator(near, operator));
  if (closestMatch(path, filterablePaths(resource)) !== null) return null;
  return `; ${cut(first)} is no relation of ${resource.singular}; known relations: ${[...relations.keys()].join(', ')}`;
}

function withOperator(path: string, operator: string | null): string {
  return operator === null ? path : `${path}[${operator}]`;
}
