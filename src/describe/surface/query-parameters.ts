import { weakMemoize } from '../../cache/memoize.ts';
import type { Method } from '../../conventions/methods.ts';
import type { JsonObject } from '../../conventions/json/json.ts';
import type { ContractVersion, Member, Resource } from '../../model/model.ts';
import { toTypeName } from '../../model/type-names.ts';
import { listEventTypes } from '../../model/event-types.ts';
import { listTimes } from '../../model/table-source.ts';
import { MAX_EXPANDED } from '../../plan/expansion.ts';
import { MAX_FIELDS } from '../../plan/list/projection.ts';
import { TIME_PARAMETERS } from '../../plan/parameters.ts';
import { MAX_KEYS } from '../../plan/list/sort.ts';
import type { RouteKind } from '../../plan/routes/route-table.ts';
import { type DescribedContract, OPEN_API_EDITIONS, OPEN_API_PROFILES } from '../described-contract.ts';
import { EXAMPLE_ID } from '../example-value.ts';
import { filterParameters, patternParameter, type SurfaceParameter } from './filter-parameters.ts';
import type { OperationKind } from './operation.ts';
import type { PlacedResource } from './placed-resource.ts';

const FLAG: JsonObject = { type: 'boolean' };
const TIME: JsonObject = { type: 'string', format: 'date-time' };
const ID: JsonObject = { type: 'string' };

/** A version, and those of its parts that name it alone (VER-2). */
export function versionSpellings({ major, minor, patch }: ContractVersion): readonly string[] {
  return [`${major}`, `${major}.${minor}`, `${major}.${minor}.${patch}`];
}

/** The spellings of the described version, in a parameter or a header field (VER-1). */
export function versionSchema({ model }: Pick<DescribedContract, 'model'>): JsonObject {
  return { type: 'string', enum: versionSpellings(model.version) };
}

/** The version that a request names besides its path, which has the major (VER-1). */
function versionParameter(contract: DescribedContract): SurfaceParameter {
  return {
    name: 'api_version',
    schema: versionSchema(contract),
    schemaName: 'RequestedVersion',
    description: 'The version of the API.',
    component: shareName('api_version'),
  };
}

/** The parameters of pages, of all techniques (PAGE-3, PAGE-4). */
const pageParameters = weakMemoize(({ model }: DescribedContract): readonly SurfaceParameter[] => {
  const { page } = model.limits;
  const limit: JsonObject = { type: 'integer', minimum: 1 };
  const parameters: readonly SurfaceParameter[] = [
    {
      name: 'limit',
      schema: { ...limit, default: page.default },
      description: `Items of a page; more than ${page.max} are ${page.max}.`,
    },
    // Without the default: some clients send the default of every parameter, and only one of the two may be sent.
    { name: 'per_page', schema: limit, description: 'The same as limit.' },
    { name: 'page', schema: { type: 'integer', minimum: 1 }, description: 'The number of a page, from 1.' },
    {
      name: 'offset',
      schema: { type: 'integer', minimum: 0, maximum: page.maxOffset },
      description: 'Items to leave out.',
    },
    {
      name: 'after',
      schema: { type: 'string' },
      description: 'A cursor: next_cursor or prev_cursor of a page, of events also end_cursor.',
    },
    { name: 'last_id', schema: ID, description: 'The items with a greater id.' },
    { name: 'after_timestamp', schema: TIME, description: 'With after_id: the items after this time and id.' },
    { name: 'after_id', schema: ID, description: 'With after_timestamp.' },
    { name: 'start_time', schema: TIME, description: 'The items of this time or later.' },
    { name: 'before', schema: TIME, description: 'The items before this time.' },
    { name: 'include_total', schema: FLAG, description: 'Whether the items of all pages are counted.' },
  ];
  return parameters.map((parameter) => ({ ...parameter, component: shareName(parameter.name) }));
});

/** The members and related resources to show. */
function viewParameters({ resource, readable, relations: all }: PlacedResource): readonly SurfaceParameter[] {
  const relations = all.map(({ name }) => name);
  const paths = selectablePaths(readable, resource);
  return [
    {
      name: 'fields',
      schema: {
        type: 'array',
        minItems: 1,
        maxItems: MAX_FIELDS,
        items: { type: 'string', enum: paths },
      },
      description: 'The members to show; id, revision and links always are.',
      style: 'list',
      example: paths.slice(0, 2),
    },
    ...(relations.length === 0
      ? []
      : [
          {
            name: 'expand',
            schema: {
              type: 'array',
              minItems: 1,
              maxItems: MAX_EXPANDED,
              items: { type: 'string', pattern: `^(${relations.join('|')})(\\.[a-z][a-z0-9_]*){0,2}$` },
            },
            description: 'Relations whose resources are embedded, up to three deep: supplier,reviews.author.',
            style: 'list',
            example: relations.slice(0, 1),
          } as const,
        ]),
  ];
}

/** The order, and the words to search for. */
function orderParameters({ resource, sortKeys }: PlacedResource): readonly SurfaceParameter[] {
  return [
    {
      name: 'sort',
      schema: {
        type: 'array',
        minItems: 1,
        maxItems: MAX_KEYS,
        items: { type: 'string', enum: sortKeys.flatMap((path) => [path, `-${path}`]) },
      },
      description: 'The order; - before a name is descending.',
      style: 'list',
      example: sortKeys.slice(-1).map((path) => `-${path}`),
    },
    ...(resource.search.length === 0
      ? []
      : [{ name: 'q', schema: { type: 'string' }, description: 'Words that begin words of the searched fields.' }]),
  ];
}

/** The paths that `fields` knows: members, and those inside of objects. */
function selectablePaths(readable: readonly Member[], resource: Resource): readonly string[] {
  const computed = resource.computed.map(({ name }) => name);
  const own = readable.flatMap((field) => listPaths(field, ''));
  return [...new Set(['id', ...own, ...computed, ...listTimes(resource), 'revision', 'links'])];
}

function listPaths({ name, type }: Member, prefix: string): readonly string[] {
  const path = prefix + name;
  const inner = type.kind === 'object' ? type.members.flatMap((member) => listPaths(member, `${path}.`)) : [];
  return [path, ...inner];
}

/** Gives the parameters of one resource the names under which its operations share them. */
function shareWithin(
  { resource }: PlacedResource,
  parameters: readonly SurfaceParameter[],
): readonly SurfaceParameter[] {
  return parameters.map((parameter) => ({
    ...parameter,
    component: `${toTypeName(resource.singular)}.${parameter.name}`,
  }));
}

/** The name of the component of a parameter that resources share. */
function shareName(name: string): string {
  return `query.${name}`;
}

/**
 * The parameters of a page. Filters stand in place: as components they would need a reference each, which is as
 * long as most of them. HEAD has all filters in one, and so has every operation of a compact description.
 */
function listPageParameters(
  placed: PlacedResource,
  contract: DescribedContract,
  isHead: boolean,
): readonly SurfaceParameter[] {
  const { resource } = placed;
  const hasPattern = isHead || contract.isCompact;
  return [
    ...pageParameters(contract).filter(({ name }) => resource.timeField !== null || !TIME_PARAMETERS.has(name)),
    versionParameter(contract),
    ...shareWithin(placed, [...orderParameters(placed), ...viewParameters(placed)]),
    ...(hasPattern ? [] : filterParameters(resource)),
    patternParameter(resource, contract.model, hasPattern ? 'all' : 'other'),
  ];
}

const DRY_RUN: SurfaceParameter = {
  name: 'dry_run',
  schema: FLAG,
  description: 'Whether all checks are made, and nothing is stored or published.',
  component: shareName('dry_run'),
};

/** Values of a filter of events. The same in each model, so that an added resource changes nothing else. */
const MAX_VALUES = 1_000;

function eventFilters({ model }: DescribedContract): readonly SurfaceParameter[] {
  const loud = [...model.resources.values()].filter((resource) => listEventTypes(resource).length > 0);
  const repeated = (name: string, values: readonly string[], description: string): SurfaceParameter => ({
    name,
    schema: { type: 'array', maxItems: MAX_VALUES, items: wordSchema(values) },
    description,
    style: 'repeated',
    component: shareName(name),
  });
  const collections = loud.map(({ collection }) => collection);
  const types = loud.map(({ singular }) => singular);
  return [
    repeated('type', loud.flatMap(listEventTypes), 'The types of the events; repeated, any of them.'),
    repeated(
      'collection',
      collections,
      'The collections of the resources of the events, as in URLs; repeated, any of them.',
    ),
    repeated('resource_type', types, 'The resources of the events; repeated, any of them.'),
    {
      name: 'resource_id',
      schema: { type: 'string' },
      description: 'The id of the resource of the events.',
      example: EXAMPLE_ID,
      component: shareName('resource_id'),
    },
  ];
}

/** One of some words, if there are any. */
function wordSchema(values: readonly string[]): JsonObject {
  return values.length === 0 ? { type: 'string' } : { type: 'string', enum: values };
}

/** The parameters of pages that the event log has. */
const EVENT_PAGE_PARAMETERS: ReadonlySet<string> = new Set(['limit', 'per_page', 'after', 'start_time', 'before']);

function descriptionParameters(route: RouteKind, { served }: DescribedContract): readonly SurfaceParameter[] {
  const version: SurfaceParameter = {
    name: 'api_version',
    schema: { type: 'string', enum: [...new Set(served.flatMap(versionSpellings))] },
    description: 'The version to describe: the newest one where it is left out.',
  };
  const edition: SurfaceParameter = {
    name: 'openapi',
    schema: { type: 'string', enum: OPEN_API_EDITIONS, default: OPEN_API_EDITIONS[0] },
    description: 'The version of OpenAPI to describe it in.',
  };
  const profile: SurfaceParameter = {
    name: 'profile',
    schema: { type: 'string', enum: OPEN_API_PROFILES, default: OPEN_API_PROFILES[0] },
    description: 'generators: what generators of clients can use.',
  };
  return route === 'openapi' ? [version, edition, profile] : [version];
}

/** An operation by its kind, its method and its route. */
interface OperationPlace {
  readonly kind: OperationKind;
  readonly method: Method;
  readonly route: RouteKind;
}

/** Lists the query parameters of an operation. @param placed its resource; null for a route without one */
export function listQueryParameters(
  { kind, method, route }: OperationPlace,
  contract: DescribedContract,
  placed: PlacedResource | null,
): readonly SurfaceParameter[] {
  const version = versionParameter(contract);
  switch (kind) {
    case 'list':
      return placed === null ? [] : listPageParameters(placed, contract, method === 'HEAD');
    case 'get':
      return placed === null ? [] : [...shareWithin(placed, viewParameters(placed)), version];
    case 'create':
    case 'replace':
    case 'patch':
    case 'delete':
    case 'batch':
      return [DRY_RUN, version];
    case 'events': {
      const pages = pageParameters(contract).filter(({ name }) => EVENT_PAGE_PARAMETERS.has(name));
      return [...eventFilters(contract), ...pages, version];
    }
    case 'query':
    case 'document':
    case 'batch-record':
    case 'event':
      return [version];
    case 'description':
      return descriptionParameters(route, contract);
    case 'health':
    case 'options':
      return [];
  }
}
