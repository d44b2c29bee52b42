import type { Model, Property, Resource } from '../../model/model.ts';
import type { ResourceValidator } from '../../model/values/resource-validator.ts';
import type { RelationKey } from '../condition.ts';
import { type Relation, listRelations } from '../expansion.ts';
import { filterWithoutGroup } from '../parameters.ts';

/** A resource whose properties filters compare. */
interface FilteredResource {
  readonly resource: Resource;
  readonly validator: ResourceValidator;
}

/** The rows that a relation leads to. */
interface FilteredRelation extends FilteredResource {
  readonly key: RelationKey;
}

/** The rule for reading the filters of a collection, compiled once per resource. */
export interface FilterRule extends FilteredResource {
  /** By name. */
  readonly relations: ReadonlyMap<string, FilteredRelation>;
}

/** The property that a filter compares: of the resource, or of the rows that a relation leads to. */
export interface FilterTarget extends FilteredResource {
  readonly relation: RelationKey | null;
  readonly property: Property;
  /** The names that lead from a property of any JSON to the value in it; none for the whole value. */
  readonly members: readonly string[];
  /** The prefix of the paths of the properties: the name of the relation and a dot, or nothing. */
  readonly prefix: string;
}

/** The validators of all resources by name. */
export type Validators = ReadonlyMap<string, ResourceValidator>;

/**
 * Compiles the rule of a resource: filters lead through one relation (QRY-1).
 *
 * @throws {Error} where a resource has no validator
 */
export function filterRule(model: Pick<Model, 'resources'>, resource: Resource, validators: Validators): FilterRule {
  const findValidator = ({ name }: Resource): ResourceValidator => {
    const validator = validators.get(name);
    if (validator === undefined) throw new Error(`no validator was compiled for ${name}`);
    return validator;
  };
  const relations = listRelations(resource, model).map((relation) => {
    const { name, target } = relation;
    return [name, { key: relationKey(relation), resource: target, validator: findValidator(target) }] as const;
  });
  return { resource, validator: findValidator(resource), relations: new Map(relations) };
}

function relationKey({ kind, target, field }: Relation): RelationKey {
  return { resource: target.name, field, inverse: kind === 'children' || kind === 'inverse' };
}

/** The property at a path, which may begin with a relation; null if there is none. */
export function filterTarget(rule: FilterRule, path: string): FilterTarget | null {
  const { resource, validator } = rule;
  const own = findProperty(resource, path);
  if (own !== null) return { resource, validator, relation: null, ...own, prefix: '' };
  const [name, rest] = splitAtDot(path);
  const related = rule.relations.get(name);
  const found = related === undefined ? null : findProperty(related.resource, rest ?? '');
  if (related === undefined || found === null) return null;
  return { ...related, relation: related.key, ...found, prefix: `${name}.` };
}

/** The most names in a path through JSON. No value is deeper by default (REP-7). */
const MAX_MEMBERS = 32;

/** The most names of a path to a property: documents have at most 64 levels. */
const MAX_LEVELS = 64;

/** The names of members that a path can have: databases read others in different ways. */
const PATH_MEMBER = /^[^.[\]"\\\p{Cc}]+$/u;

/** The property at a path, or the one of any JSON that the path leads into; null if there is none. */
function findProperty({ properties }: Resource, path: string): Pick<FilterTarget, 'property' | 'members'> | null {
  const property = properties.get(path);
  if (property !== undefined) return { property, members: [] };
  const names = path.split('.');
  if (names.length > MAX_MEMBERS + MAX_LEVELS) return null;
  for (let length = names.length - 1; length > 0; length -= 1) {
    const json = properties.get(names.slice(0, length).join('.'));
    const members = names.slice(length);
    if (json?.type.kind !== 'json') continue;
    const isPath = members.length <= MAX_MEMBERS && members.every((name) => PATH_MEMBER.test(name));
    return isPath ? { property: json, members } : null;
  }
  return null;
}

/** The property that a filter parameter compares, whether in a group or not; null if it is not a filter. */
export function parameterTarget(rule: FilterRule, name: string): FilterTarget | null {
  const filter = filterWithoutGroup(name);
  return filter === null ? null : filterTarget(rule, filter.path);
}

/**
 * Returns a test of whether a parameter name is a filter on a property, in a group or not, or a group without a filter.
 */
export function compileFilterTest(rule: FilterRule): (name: string) => boolean {
  return (name) => parameterTarget(rule, name) !== null || isEmptyGroup(name);
}

/** True if a parameter name is a group without a filter: `any[1]`. */
export function isEmptyGroup(name: string): boolean {
  return /^any\[[^[\]]*\](?:\[\])?$/.test(name);
}

/** The filterable paths of a resource. @param prefix what precedes each of them */
export function filterablePaths({ properties }: Resource, prefix = ''): readonly string[] {
  return [...properties.values()].filter(({ filterable }) => filterable).map(({ path }) => `${prefix}${path}`);
}

/** The first name of a dotted path, and the rest. */
export function splitAtDot(path: string): readonly [first: string, rest?: string] {
  const dot = path.indexOf('.');
  return dot === -1 ? [path] : [path.slice(0, dot), path.slice(dot + 1)];
}
