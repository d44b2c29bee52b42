import { quoted } from '../conventions/text/quoted.ts';
import { type ErrorDetail, apiError } from '../conventions/errors.ts';
import { closestMatch } from '../conventions/text/closest-match.ts';
import { type QueryParameter, splitPlainList } from '../conventions/url/query.ts';
import type { Model, Resource } from '../model/model.ts';

/** Maximum number of paths. */
export const MAX_EXPANDED = 100;
/** Maximum number of relations in a path (QRY-4). */
const MAX_DEPTH = 3;

/** A relation whose rows can be embedded in a representation, under its name (QRY-4). */
export interface Relation {
  /**
   * `one`: the row whose id is in `field`; `many`: the rows whose ids are in it. Otherwise the rows whose `field` has
   * this row's id: its children, or those of an inverse relation.
   */
  readonly kind: 'one' | 'many' | 'children' | 'inverse';
  readonly name: string;
  readonly target: Resource;
  readonly field: string;
  /** True if the rows of both ends are below the same parent. */
  readonly siblings: boolean;
  /**
   * True if the rows have a URL: those of a to-many relation have none where they may be below several parents (REP-9).
   */
  readonly linked: boolean;
}

/** A requested relation, with the requested relations of its rows. */
export interface Expansion {
  readonly relation: Relation;
  readonly nested: readonly Expansion[];
}

/**
 * The relations of a resource: to the rows that its fields refer to, its parent included, and to the rows that refer to
 * it.
 */
export function listRelations(resource: Resource, { resources }: Pick<Model, 'resources'>): readonly Relation[] {
  const own = resource.fields.flatMap(({ name, type, reference, writeOnly }): readonly Relation[] => {
    const target = resources.get(reference?.resource ?? '');
    if (writeOnly || target === undefined || !reference?.as) return [];
    const siblings = reference.siblings === true;
    const relation = { name: reference.as, target, field: name, siblings };
    if (type.kind !== 'array') return [{ kind: 'one', ...relation, linked: true }];
    return [{ kind: 'many', ...relation, linked: target.parent === null || siblings }];
  });
  const others = resource.links.flatMap(({ name, resource: other, kind, field }): readonly Relation[] => {
    const target = resources.get(other);
    if (target === undefined) return [];
    if (kind === 'child') return [{ kind: 'children', name, target, field, siblings: false, linked: true }];
    const siblings = target.field.get(field)?.reference?.siblings === true;
    // The link leads to one collection, filtered by the field.
    const linked = (target.parent === null || siblings) && target.properties.get(field)?.filterable === true;
    return [{ kind: 'inverse', name, target, field, siblings, linked }];
  });
  return [...own, ...others];
}

/**
 * Reads `expand`, a list of dotted paths: `supplier,reviews.author`.
 *
 * @throws {ApiError} QUERY_EXPAND_INVALID with every unknown relation
 */
export function readExpansions(
  { value }: QueryParameter,
  resource: Resource,
  model: Pick<Model, 'resources'>,
): readonly Expansion[] {
  const list = splitPlainList(value, MAX_EXPANDED);
  if (list === null) throw expandInvalid([{ field: 'expand', message: `has more than ${MAX_EXPANDED} relations` }]);
  const paths = list.map((path) => path.split('.', MAX_DEPTH + 1));
  const details = list.flatMap((path, index): ErrorDetail[] => {
    if ((paths[index]?.length ?? 0) <= MAX_DEPTH) return [];
    return [{ field: 'expand', message: `${quoted(path)} is more than ${MAX_DEPTH} relations deep` }];
  });
  const expansions = details.length > 0 ? [] : gather(paths, resource, model, details);
  if (details.length > 0) throw expandInvalid(details);
  return expansions;
}

/** The resources whose rows the expansions embed; one that is expanded twice occurs twice. */
export function expandedResources(expansions: readonly Expansion[]): readonly Resource[] {
  return expansions.flatMap(({ relation, nested }) => [relation.target, ...expandedResources(nested)]);
}

function expandInvalid(details: readonly ErrorDetail[]): Error {
  return apiError('QUERY_EXPAND_INVALID', 'Invalid expand; see details.', { details });
}

function gather(
  paths: readonly (readonly string[])[],
  resource: Resource,
  model: Pick<Model, 'resources'>,
  details: ErrorDetail[],
): readonly Expansion[] {
  const relations = new Map(listRelations(resource, model).map((relation) => [relation.name, relation]));
  const byName = Map.groupBy(paths, ([name = '']) => name);
  return [...byName].flatMap(([name, named]): readonly Expansion[] => {
    const relation = relations.get(name);
    if (relation === undefined) {
      details.push({ field: 'expand', message: unknownRelation(name, resource, [...relations.keys()]) });
      return [];
    }
    const further = named.map(([, ...rest]) => rest).filter((rest) => rest.length > 0);
    return [{ relation, nested: further.length === 0 ? [] : gather(further, relation.target, model, details) }];
  });
}

function unknownRelation(name: string, { singular }: Resource, known: readonly string[]): string {
  const near = closestMatch(name, known);
  const choice = known.length === 0 ? 'it has no relations' : `known relations: ${known.join(', ')}`;
  const fix = near === null ? choice : `did you mean "${near}"?`;
  return `unknown relation ${quoted(name)} of resource ${singular}; ${fix}`;
}
