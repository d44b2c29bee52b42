import { lazy, weakMemoize } from '../../cache/memoize.ts';
import type { BodyUse } from '../../conventions/media/body-type.ts';
import type { Method } from '../../conventions/methods.ts';
import type { AccessRule, Resource } from '../../model/model.ts';
import { routeRules } from '../../plan/routes/operation-rules.ts';
import { listMethods, type RouteKind, ROUTES, writeRoutePattern } from '../../plan/routes/route-table.ts';
import type { Steps } from '../../platform/time-slices.ts';
import type { DescribedContract } from '../described-contract.ts';
import { errorCodes, needsMatch } from './error-codes.ts';
import type { FieldUse, SurfaceOperation, OperationAccess, OperationField, OperationKind } from './operation.ts';
import { type PlacedResource, placeResources, versionedPath } from './placed-resource.ts';
import { listQueryParameters } from './query-parameters.ts';

/** A route with its operations, in the order of its methods. */
export interface RouteSurface {
  readonly kind: DescribedRoute;
  readonly path: string;
  readonly operations: ReadonlyMap<Method, SurfaceOperation>;
}

/** A resource with the operations of its collection and of an item. */
export interface ResourceSurface extends PlacedResource {
  readonly collection: RouteSurface;
  readonly item: RouteSurface;
}

/** The interface of a contract as data: every route, operation, parameter, status and error code. */
export interface Surface {
  readonly contract: DescribedContract;
  /** The start of all paths below the base: `/api/v1`. */
  readonly base: string;
  /** By name, parents before their children. */
  readonly resources: ReadonlyMap<string, ResourceSurface>;
  /** The routes without a resource that this API has. */
  readonly routes: ReadonlyMap<DescribedRoute, RouteSurface>;
}

/** The kinds of operations of the routes that programs use, by method. OPTIONS is the same everywhere. */
const KINDS = {
  root: { GET: 'document', HEAD: 'document' },
  batches: { POST: 'batch' },
  batch: { GET: 'batch-record', HEAD: 'batch-record' },
  events: { GET: 'events', HEAD: 'events' },
  event: { GET: 'event', HEAD: 'event' },
  collection: { GET: 'list', HEAD: 'list', QUERY: 'query', POST: 'create' },
  item: { GET: 'get', HEAD: 'get', PUT: 'replace', PATCH: 'patch', DELETE: 'delete' },
  live: { GET: 'health', HEAD: 'health' },
  ready: { GET: 'health', HEAD: 'health' },
  metadata: { GET: 'health', HEAD: 'health' },
  openapi: { GET: 'description', HEAD: 'description' },
  asyncapi: { GET: 'description', HEAD: 'description' },
  llms: { GET: 'description', HEAD: 'description' },
} as const satisfies Partial<Record<RouteKind, Partial<Record<Method, OperationKind>>>>;

/** The routes that descriptions list. */
export type DescribedRoute = keyof typeof KINDS;

const WITHOUT_RESOURCE = Object.keys(KINDS)
  .filter(isDescribed)
  .filter((kind) => kind !== 'collection' && kind !== 'item');

function isDescribed(kind: string): kind is DescribedRoute {
  return Object.hasOwn(KINDS, kind);
}

/** The resources of a contract, each described when it is first needed. */
const describedResources = weakMemoize((contract: DescribedContract): readonly (() => ResourceSurface)[] =>
  placeResources(contract.model).map((placed) => lazy(() => describeResource(placed, contract))),
);

/** Describes the interface of a contract, once for all descriptions of it. */
export const describeSurface = weakMemoize((contract: DescribedContract): Surface => {
  const { model } = contract;
  const described = WITHOUT_RESOURCE.filter((kind) => kind !== 'metadata' || model.auth !== null);
  return {
    contract,
    base: versionedPath(model),
    resources: new Map(describedResources(contract).map((find) => [find().resource.name, find()])),
    routes: new Map(described.map((kind) => [kind, describeRoute(kind, contract, null)])),
  };
});

/** Does the same in steps, one for each resource. */
export function* surfaceSteps(contract: DescribedContract): Steps<Surface> {
  for (const find of describedResources(contract)) {
    find();
    yield;
  }
  return describeSurface(contract);
}

function describeResource(placed: PlacedResource, contract: DescribedContract): ResourceSurface {
  const collection = describeRoute('collection', contract, placed);
  return { ...placed, collection, item: describeRoute('item', contract, placed) };
}

/** Finds a resource of the contract. @throws {Error} if it is of another contract */
export function requireResource({ resources }: Surface, { name }: Pick<Resource, 'name'>): ResourceSurface {
  const found = resources.get(name);
  if (found === undefined) throw new Error(`the API has no resource ${name}`);
  return found;
}

/** Finds a route without a resource. @throws {Error} if the API has no such route */
export function requireRoute({ routes }: Surface, kind: DescribedRoute): RouteSurface {
  const found = routes.get(kind);
  if (found === undefined) throw new Error(`the API has no route ${kind}`);
  return found;
}

/** Finds the operation of a method. @throws {Error} if the route has no such method */
export function requireOperation({ kind, operations }: RouteSurface, method: Method): SurfaceOperation {
  const found = operations.get(method);
  if (found === undefined) throw new Error(`the route ${kind} has no ${method}`);
  return found;
}

function describeRoute(kind: DescribedRoute, contract: DescribedContract, placed: PlacedResource | null): RouteSurface {
  const { model } = contract;
  const at = { model, base: versionedPath(model), ...(placed === null ? {} : { resource: placed.resource }) };
  const route = { kind, path: writeRoutePattern(kind, at) };
  const operations = listMethods(kind, placed?.resource ?? null).map(
    (method) => [method, describeOperation({ method, ...route }, contract, placed)] as const,
  );
  return { ...route, operations: new Map(operations) };
}

function describeOperation(
  { kind: route, method, path }: { readonly kind: DescribedRoute; readonly method: Method; readonly path: string },
  contract: DescribedContract,
  placed: PlacedResource | null,
): SurfaceOperation {
  const kind = findKind(route, method);
  const resource = kind === 'options' ? null : (placed?.resource ?? null);
  const target = { kind, resource, above: kind === 'options' ? [] : (placed?.above ?? []) };
  const { formats, bodies } = ROUTES[route];
  const body: BodyUse | null = bodies[method] ?? null;
  return {
    ...target,
    method,
    route,
    path,
    access: describeAccess(routeRules({ kind: route, method, resource }, contract.model)),
    query: listQueryParameters({ kind, method, route }, contract, placed),
    fields: listFields(kind, resource),
    body,
    formats,
    successes: listSuccesses(kind, resource),
    errors: errorCodes(target, contract),
  };
}

function findKind(route: DescribedRoute, method: Method): OperationKind {
  const kinds: Partial<Record<Method, OperationKind>> = KINDS[route];
  return kinds[method] ?? 'options';
}

/** Describes the callers that fulfil some rules. */
function describeAccess(rules: readonly AccessRule[]): OperationAccess {
  return {
    authenticated: rules.some(({ kind }) => kind !== 'public'),
    scopes: [...new Set(rules.flatMap((rule) => (rule.kind === 'scope' ? [rule.scope] : [])))],
  };
}

const READ_FIELDS: readonly OperationField[] = [
  'If-None-Match',
  'If-Modified-Since',
  'If-Match',
  'If-Unmodified-Since',
  'Prefer',
];

/** The header fields of an operation. A resource may require a key (MET-12) or a precondition (CACHE-3). */
function listFields(kind: OperationKind, resource: Resource | null): readonly FieldUse[] {
  const required = new Set<OperationField>();
  if (resource?.idempotency === 'required') required.add('Idempotency-Key');
  if (needsMatch({ kind, resource })) required.add('If-Match');
  return listFieldNames(kind).map((name) => ({ name, required: required.has(name) }));
}

const CONDITIONS: readonly OperationField[] = ['If-Match', 'If-None-Match', 'If-Modified-Since', 'If-Unmodified-Since'];

function listFieldNames(kind: OperationKind): readonly OperationField[] {
  switch (kind) {
    case 'list':
    case 'query':
    case 'get':
    case 'document':
    case 'description':
    case 'batch-record':
    case 'event':
      return READ_FIELDS;
    case 'events':
      return ['Last-Event-ID', ...READ_FIELDS];
    case 'create':
      return ['Idempotency-Key', 'Prefer', 'If-Match', 'If-None-Match'];
    case 'patch':
      return ['Idempotency-Key', ...CONDITIONS, 'Prefer'];
    case 'replace':
    case 'delete':
      return [...CONDITIONS, 'Prefer'];
    case 'batch':
      return ['Idempotency-Key', 'Prefer'];
    case 'health':
    case 'options':
      return [];
  }
}

/** The statuses of success. PUT creates the row of an id that a client chooses. */
function listSuccesses(kind: OperationKind, resource: Resource | null): readonly number[] {
  switch (kind) {
    case 'create':
    case 'batch':
      return [200, 201];
    case 'replace':
      return resource?.id.kind === 'client' ? [200, 201, 204] : [200, 204];
    case 'patch':
    case 'delete':
      return [200, 204];
    case 'health':
      return [200];
    case 'options':
      return [204];
    case 'list':
    case 'query':
    case 'get':
    case 'document':
    case 'description':
    case 'batch-record':
    case 'events':
    case 'event':
      return [200, 304];
  }
}
