import { isPlural, toPlural } from '../../model/compile/fields/names.ts';
import type { Model, Property, Resource } from '../../model/model.ts';
import { isUnindexed } from './effort.ts';
import { listRelations } from '../expansion.ts';
import { MAX_INDEX_SIZE, overlongByDeclaration } from './index-size.ts';
import { listIndexes } from './indexes.ts';
import { listPolicyWarnings } from '../policy/policy-warnings.ts';
import { isServedByIndex, policyPaths } from '../policy-paths.ts';
import { totalOrder } from './sort.ts';

/**
 * Lists warnings about a valid model. Sortable or filterable fields may have no index (QRY-3), and policies may not
 * work well with indexes or uniques. Texts may be too long for their index. Caching may be narrower than declared, and
 * the derived singular of a name may be wrong. A field that may be sorted or filtered by default is no reason to warn:
 * the limits on effort hold.
 */
export function describeWarnings(model: Model): readonly string[] {
  const perResource = [...model.resources.values()].flatMap((resource) => [
    ...indexWarnings(resource, model),
    ...sizeWarnings(resource),
    ...policyWarnings(resource),
    ...cacheWarnings(resource),
    ...nameWarnings(resource),
  ]);
  return [...perResource, ...listPolicyWarnings(model)];
}

function indexWarnings(resource: Resource, model: Model): readonly string[] {
  const { declares } = resource;
  const parts = [
    ...named('sortable without an index in that order', declares.sortable ? unindexedSorts(resource) : []),
    ...named(
      `filterable without an index${alsoThrough(resource, model)}`,
      declares.filterable ? unindexedFilters(resource) : [],
    ),
  ];
  if (parts.length === 0) return [];
  const cost = resource.search.length > 0 ? `${COST}; ${SEARCH_COST}` : COST;
  const fix = resource.table === null ? 'declare indexes' : 'create indexes in the database and declare them';
  return [`resources.${resource.name}: ${parts.join('; ')}; ${cost}; ${fix}, or leave them out of the lists`];
}

/** Measured by bench/file-size: 21 ms for 100,000 rows, 236 ms for 1,000,000. */
const COST = 'such a sort, and a filter that few rows match, read all rows, which takes about 20 ms for each 100,000';

/** Measured with rows of 300 bytes: 430 ms for 200,000 matches. With an index, the first rows of the order are read. */
const SEARCH_COST =
  'with q, such a sort and filter collect all matches, which takes about 200 ms for each 100,000, and is stopped after 5 s';

/** Texts that are valid, and which a write cannot store (LIM-1). */
function sizeWarnings(resource: Resource): readonly string[] {
  const paths = named('indexed with a longer maxLength than an index can hold', overlongByDeclaration(resource));
  const fix = `declare maxLength: ${MAX_INDEX_SIZE} or less, or leave them out of indexes, unique and sort`;
  return paths.map((each) => `resources.${resource.name}: ${each}; a longer value is 400; ${fix}`);
}

/** Paths that one warning lists. */
const MAX_LISTED = 10;

function policyWarnings(resource: Resource): readonly string[] {
  return [...unservedPolicies(resource), ...revealingUniques(resource)];
}

/** Policies that no index serves: every list looks at rows that its caller may not see. */
function unservedPolicies({ name, rows }: Resource): readonly string[] {
  if (rows.read.length === 0 || rows.read.some(isServedByIndex)) return [];
  const fix = 'compare a field of the row itself by equality, in each alternative';
  return [`resources.${name}: no index finds the rows that access.rows.read shows; ${fix}`];
}

/** Unique values of rows that a caller may not see: a write that repeats one is 409, which says that it exists. */
function revealingUniques(resource: Resource): readonly string[] {
  const { name, rows, uniques } = resource;
  const [first, ...others] = policyPaths(resource);
  if (rows.read.length === 0 || first === undefined) return [];
  const revealing = uniques.filter((paths) => ![first, ...others].some((path) => paths.includes(path)));
  if (revealing.length === 0) return [];
  const listed = revealing.map((paths) => `[${paths.join(', ')}]`).join(', ');
  const fix = `put the field that policies compare into unique, as in [${[first, ...(revealing[0] ?? [])].join(', ')}]`;
  return [
    `resources.${name}: unique over rows that callers may not see, so that a 409 reveals them: ${listed}; ${fix}`,
  ];
}

/** A declared scope that responses do not have (CACHE-5). */
function cacheWarnings({ name, declares, cache }: Resource): readonly string[] {
  if (!declares.publicCache || cache?.scope === 'public') return [];
  const cause = 'its responses are private, because access does not show every caller the same';
  return [`resources.${name}: cache declares scope: public, and ${cause}; remove the scope, or open the access`];
}

function nameWarnings({ name, singular, declares }: Resource): readonly string[] {
  if (declares.singular || isPlural(name, singular)) return [];
  const fix = `declare singular: ${singular} if it is right, or name the collection with the plural ${toPlural(singular)}`;
  return [`resources.${name}: the singular is ${singular}, whose plural is ${toPlural(singular)}; ${fix}`];
}

function named(what: string, paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return [];
  const more = paths.length > MAX_LISTED ? ` and ${paths.length - MAX_LISTED} more` : '';
  return [`${what}: ${paths.slice(0, MAX_LISTED).join(', ')}${more}`];
}

function unindexedSorts(resource: Resource): readonly string[] {
  return declaredProperties(resource)
    .filter(
      ({ path, sortable }) => sortable && isUnindexed(resource, false, [], totalOrder([{ path, descending: false }])),
    )
    .map(({ path }) => path);
}

function unindexedFilters(resource: Resource): readonly string[] {
  const leading = new Set(listIndexes(resource).map(({ keys: [first] }) => first?.path));
  return declaredProperties(resource)
    .filter(({ path, filterable }) => filterable && !leading.has(path))
    .map(({ path }) => path);
}

/** The relations by which other filters compare the fields of a resource (QRY-1). */
function alsoThrough(resource: Resource, model: Model): string {
  const relations = [...model.resources.values()].flatMap((each) =>
    listRelations(each, model).flatMap(({ name, target }) => (target === resource ? [`${each.name}.${name}`] : [])),
  );
  return relations.length === 0 ? '' : ` (also through ${relations.join(', ')})`;
}

/** The declared properties, without those that every resource has. */
function declaredProperties({ properties, field }: Resource): readonly Property[] {
  return [...properties.values()].filter(({ path }) => field.has(path.split('.')[0] ?? path));
}
