import { memoize } from '../../cache/memoize.ts';
import type { QueryPair, QueryPairs, QueryParameter } from '../../conventions/url/query.ts';
import type { Property, Resource } from '../../model/model.ts';
import { filterItems, isListOperator } from '../filter/filter.ts';
import { leadsTo } from '../filter-key.ts';
import type { FilterRule } from '../filter/filter-rule.ts';
import { type ConjunctionShape, type FilterShape, type FilterSlot, filterShape } from '../filter/filter-shape.ts';

/** Parameters that select rows, besides filters on properties. */
export const SELECTING: ReadonlySet<string> = new Set(['q', 'start_time', 'before']);

/**
 * The selection of a query as far as the names of its parameters decide it: everything but the values. Clients send the
 * same names again and again, so that it is compiled once for each combination.
 */
export interface SelectionShape {
  readonly filters: FilterShape;
  /** True if there is a time range. */
  readonly isTimed: boolean;
  /** The positions of `q` and `sort`; -1 if they are not sent. */
  readonly search: number;
  readonly sort: number;
  /** The compared paths with their types, as a cursor holds them. */
  readonly comparedPaths: string;
  /** The parameters that links carry, in canonical order. */
  readonly linked: readonly LinkedParameter[];
}

interface LinkedParameter {
  readonly position: number;
  /** The separation of its value into items: none, at every comma, or as the values of a property allow. */
  readonly list: 'none' | 'plain' | Property;
}

/** The shape of the selection of some parameters. It depends on their names and on the *contract*. */
export type SelectionShapes = (parameters: readonly QueryParameter[]) => SelectionShape;

/** The context in which shapes are compiled. */
interface ShapeRule {
  readonly resource: Resource;
  readonly filters: FilterRule;
  readonly isFilter: (name: string) => boolean;
}

/** Returns the shapes of the selections of a resource. Those of many or long names are compiled each time. */
export function selectionShapes(rule: ShapeRule): SelectionShapes {
  const memoizedShape = memoize((names) => compileShape(JSON.parse(names), rule));
  return (parameters) => memoizedShape(JSON.stringify(parameters.map(({ name }) => name)));
}

function compileShape(
  names: readonly string[],
  { resource, filters: filterRule, isFilter }: ShapeRule,
): SelectionShape {
  const findPositions = (wanted: (name: string) => boolean): readonly number[] =>
    [...names.keys()].filter((position) => wanted(names[position] ?? ''));
  const filters = filterShape(
    names,
    findPositions((name) => isFilter(name) && !SELECTING.has(name)),
    filterRule,
  );
  const [search, sort] = [names.indexOf('q'), names.indexOf('sort')];
  const { timeField } = resource;
  const isTimed = timeField !== null && (names.includes('start_time') || names.includes('before'));
  const paths = [
    ...[filters.ungrouped, ...filters.groups.map(({ conjunction }) => conjunction)].flatMap(listShapePaths),
    ...(isTimed ? [typedPath(resource, timeField)] : []),
    ...(search === -1 ? [] : ['q']),
  ];
  return {
    filters,
    isTimed,
    search,
    sort,
    comparedPaths: [...new Set(paths)]
      .sort()
      .map((path) => ` ${path}`)
      .join(''),
    linked: [
      ...linkedFilters(filters),
      ...findPositions((name) => SELECTING.has(name)).map((position) => ({ position, list: 'none' }) as const),
      ...(sort === -1 ? [] : [{ position: sort, list: 'plain' } as const]),
    ],
  };
}

/** A path with the type of its values. */
export function typedPath({ properties }: Resource, path: string): string {
  return `${path}:${properties.get(path)?.type.kind ?? ''}`;
}

/** The paths that filters compare, each with its type. Paths of related rows begin with the relation. */
function listShapePaths(conjunction: ConjunctionShape): readonly string[] {
  return conjunction.flatMap(({ relation, slots }) =>
    slots.flatMap(({ meaning }) => {
      if (typeof meaning === 'function') return [];
      const path = typedPath(meaning.target.resource, meaning.target.property.path);
      return relation === null ? [path] : [`${leadsTo(relation)}.${path}`];
    }),
  );
}

/** Filters as links carry them, in canonical order. */
function linkedFilters({ ungrouped, groups, positions }: FilterShape): readonly LinkedParameter[] {
  const slots = [ungrouped, ...groups.map(({ conjunction }) => conjunction)].flat().flatMap((part) => part.slots);
  const byPosition = new Map(
    slots.flatMap((slot) => slot.positions.map((position) => [position, describeSeparation(slot)])),
  );
  return positions.map((position) => ({ position, list: byPosition.get(position) ?? 'none' }));
}

function describeSeparation({ meaning }: FilterSlot): LinkedParameter['list'] {
  return typeof meaning === 'function' || !isListOperator(meaning.operator) ? 'none' : meaning.target.property;
}

/** Parameters as links carry them. Separator commas of a list stay unescaped; commas in data are escaped (URL-5). */
export function linkParameters({ linked }: SelectionShape, parameters: readonly QueryParameter[]): QueryPairs {
  return linked.flatMap(({ position, list }): readonly QueryPair[] => {
    const parameter = parameters[position];
    if (parameter === undefined) return [];
    if (list === 'none') return [[parameter.name, parameter.value]];
    return [
      list === 'plain' ? plainList(parameter) : [parameter.name, filterItems(parameter, list) ?? parameter.value],
    ];
  });
}

/** A parameter whose items contain no comma, as links carry it: `sort`, `fields`, `expand`. */
export function plainList({ name, value }: QueryParameter): QueryPair {
  return [name, value.split(',')];
}
