import type { BodyUse } from '../../conventions/media/body-type.ts';
import type { Method } from '../../conventions/methods.ts';
import type { ResponseFormat } from '../../conventions/media/response-format.ts';
import { ORIGIN_NAMES } from '../../conventions/url/origin-names.ts';
import { pathNextToBase } from '../../conventions/url/url.ts';
import type { Model, Resource } from '../../model/model.ts';
import { type ResourceSite, writeMetadataPath } from './protected-resource.ts';

/** The kinds of targets that a path can name. */
export type RouteKind =
  /** The asterisk of `OPTIONS *`. */
  | 'server'
  | 'live'
  | 'ready'
  /** The metrics of the process (OPS-2). */
  | 'metrics'
  /** The metadata of a protected resource (RFC 9728). */
  | 'metadata'
  /** The description of the API in OpenAPI (OPS-1). */
  | 'openapi'
  /** The description of its events in AsyncAPI (EVT-10). */
  | 'asyncapi'
  /** The API in words for language models, a text (OPS-8). */
  | 'llms'
  /** The tools of agents, by the Model Context Protocol (OPS-8). */
  | 'mcp'
  /** The documentation of the API, a page (OPS-1). */
  | 'docs'
  /** The page by which people use the API, and its files (OPS-10). */
  | 'console'
  /** `/`, where the API has another base path. */
  | 'home'
  | 'root'
  | 'collection'
  | 'item'
  /** Several writes in one request (MET-13). */
  | 'batches'
  | 'batch'
  /** The log of events, and the live feed of it (EVT-8). */
  | 'events'
  | 'event';

/** The rule by which a route admits callers. OPTIONS needs no credentials on any route. */
export type RouteAccess =
  | 'public'
  /** Every caller with credentials. */
  | 'authenticated'
  /** As the model serves its descriptions: to everyone, or to callers with credentials. */
  | 'descriptions'
  /** Callers with the scope of the metrics. */
  | 'metrics'
  /** Callers with the scope of the event log. */
  | 'events'
  /** The rules of the resource for the operations of the method. */
  | 'resource';

/** The place of a route among the paths of an API. */
export type RoutePlace =
  /** No path: the asterisk. */
  | { readonly at: 'server' }
  /** A fixed path at the origin. */
  | { readonly at: 'origin'; readonly path: string }
  /** A name at the origin, and next to the base path: an application that mounts the API may pass on only these. */
  | { readonly at: 'description'; readonly name: string }
  /** A page with its files below it, at the origin and next to the base path. */
  | { readonly at: 'page'; readonly name: string }
  /** The well-known path of the resource (RFC 9728 3.1). */
  | { readonly at: 'well-known' }
  /** The base path itself. */
  | { readonly at: 'base' }
  /** A name below the base path, without a version. */
  | { readonly at: 'below-base'; readonly name: string }
  /** A collection that every model has, or one of its items. */
  | { readonly at: 'system'; readonly collection: 'batches' | 'events'; readonly isItem: boolean }
  /** A collection of a resource, or one of its items. */
  | { readonly at: 'resource'; readonly isItem: boolean };

/** The methods, response formats, bodies, access and place of a route. */
export interface RouteRule {
  readonly methods: readonly Method[];
  /** Response formats, the default first (NEG-1). */
  readonly formats: readonly ResponseFormat[];
  /** The use of the body by method; other methods have no body. */
  readonly bodies: Readonly<Partial<Record<Method, BodyUse>>>;
  readonly access: RouteAccess;
  readonly place: RoutePlace;
}

const READS: readonly Method[] = ['GET', 'HEAD', 'OPTIONS'];
const ROOT_FORMATS: readonly ResponseFormat[] = ['json', 'xml', 'text', 'html'];

/** All routes of an API: requests are checked against them, and descriptions list them. */
export const ROUTES: Readonly<Record<RouteKind, RouteRule>> = {
  server: {
    methods: ['GET', 'HEAD', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    formats: ['json'],
    bodies: {},
    access: 'public',
    place: { at: 'server' },
  },
  live: readOnly('public', { at: 'origin', path: ORIGIN_NAMES.live }),
  ready: readOnly('public', { at: 'origin', path: ORIGIN_NAMES.ready }),
  // In a format of its own, which is not negotiated.
  metrics: readOnly('metrics', { at: 'origin', path: ORIGIN_NAMES.metrics }),
  metadata: readOnly('public', { at: 'well-known' }),
  openapi: readOnly('descriptions', { at: 'description', name: ORIGIN_NAMES.openapi }),
  asyncapi: readOnly('descriptions', { at: 'description', name: ORIGIN_NAMES.asyncapi }),
  llms: readOnly('descriptions', { at: 'description', name: ORIGIN_NAMES.llms }, ['text']),
  // The protocol has formats, sessions and errors of its own.
  mcp: {
    methods: ['POST', 'OPTIONS'],
    formats: ['json'],
    bodies: {},
    access: 'authenticated',
    place: { at: 'below-base', name: 'mcp' },
  },
  docs: readOnly('public', { at: 'description', name: ORIGIN_NAMES.docs }, ['html']),
  // Its files have formats of their own.
  console: readOnly('public', { at: 'page', name: ORIGIN_NAMES.console }),
  home: readOnly('public', { at: 'origin', path: '' }, ROOT_FORMATS),
  root: readOnly('authenticated', { at: 'base' }, ROOT_FORMATS),
  collection: {
    methods: ['GET', 'HEAD', 'QUERY', 'POST', 'OPTIONS'],
    formats: ['json', 'xml', 'text', 'csv', 'ndjson'],
    bodies: { POST: 'create', QUERY: 'query' },
    access: 'resource',
    place: { at: 'resource', isItem: false },
  },
  item: {
    methods: ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    formats: ['json', 'xml', 'text'],
    bodies: { PUT: 'replace', PATCH: 'patch' },
    access: 'resource',
    place: { at: 'resource', isItem: true },
  },
  batches: {
    methods: ['POST', 'OPTIONS'],
    formats: ['json'],
    bodies: { POST: 'batch' },
    access: 'authenticated',
    place: { at: 'system', collection: 'batches', isItem: false },
  },
  batch: readOnly('authenticated', { at: 'system', collection: 'batches', isItem: true }),
  events: readOnly('events', { at: 'system', collection: 'events', isItem: false }, [
    'json',
    'ndjson',
    'cloudevents',
    'event-stream',
  ]),
  event: readOnly('events', { at: 'system', collection: 'events', isItem: true }, ['json', 'cloudevent']),
};

/** Methods that write rows. */
const WRITES: ReadonlySet<Method> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * Lists the methods of a route, in their order. A resource that is read-only for callers has none that writes.
 *
 * @param resource of a collection or an item; null for other routes
 */
export function listMethods(kind: RouteKind, resource: Pick<Resource, 'readOnly'> | null): readonly Method[] {
  const { methods } = ROUTES[kind];
  return resource?.readOnly === true ? methods.filter((method) => !WRITES.has(method)) : methods;
}

/** The kinds of routes that are found by their whole path: those outside of the base path, and `mcp`. */
export type OriginKind =
  | 'live'
  | 'ready'
  | 'metrics'
  | 'metadata'
  | 'openapi'
  | 'asyncapi'
  | 'llms'
  | 'mcp'
  | 'docs'
  | 'console'
  | 'home';

/** Every kind of route. */
export const ROUTE_KINDS: readonly RouteKind[] = Object.keys(ROUTES).filter(isRouteKind);

function isRouteKind(name: string): name is RouteKind {
  return Object.hasOwn(ROUTES, name);
}

function readOnly(access: RouteAccess, place: RoutePlace, formats: readonly ResponseFormat[] = ['json']): RouteRule {
  return { methods: READS, formats, bodies: {}, access, place };
}

/** The path of an API in which a route is written. */
export interface RouteBase {
  readonly model: Pick<Model, 'basePath' | 'system' | 'resources' | 'auth'>;
  /** The start of all paths below the base: `/api/v1`; default: the base path. */
  readonly base?: string;
  /** The resource of a collection or an item. */
  readonly resource?: Resource;
}

/**
 * Writes the pattern of a route: `/api/products/{product_id}/reviews/{id}`.
 *
 * @throws {Error} for a collection or an item without its resource
 */
export function writeRoutePattern(kind: RouteKind, { model, base = model.basePath, resource }: RouteBase): string {
  const { place } = ROUTES[kind];
  switch (place.at) {
    case 'server':
      return '*';
    case 'origin':
    case 'description':
    case 'page':
    case 'well-known':
    case 'below-base':
      return writeOriginPath(place, model);
    case 'base':
      return base || '/';
    case 'system':
      return [base, model.system[place.collection], ...(place.isItem ? ['{id}'] : [])].join('/');
    case 'resource': {
      if (resource === undefined) throw new Error(`the route ${kind} is of a resource`);
      return [writeCollectionPattern(base, model, resource), ...(place.isItem ? ['{id}'] : [])].join('/');
    }
  }
}

/**
 * Writes all paths of a route outside of the base path, that of its pattern first.
 *
 * @param files the names of the files of a page
 */
export function writeRoutePaths(
  kind: OriginKind,
  site: ResourceSite,
  files: readonly string[] = [],
): readonly string[] {
  const { place } = ROUTES[kind];
  if (!isFixed(place)) throw new Error(`the route ${kind} is not at the origin`);
  const path = writeOriginPath(place, site);
  if (place.at !== 'description' && place.at !== 'page') return [path];
  const pages = [path, pathNextToBase(site.basePath, place.name)];
  return place.at === 'page' ? [...pages, ...pages.flatMap((page) => files.map((name) => `${page}/${name}`))] : pages;
}

/** A place that is one path, or one at the origin and one next to the base path. */
type FixedPlace = Extract<RoutePlace, { readonly at: 'origin' | 'description' | 'page' | 'well-known' | 'below-base' }>;

/** True if a place is a fixed path that is found as a whole. */
export function isFixed(place: RoutePlace): place is FixedPlace {
  return ['origin', 'description', 'page', 'well-known', 'below-base'].includes(place.at);
}

function writeOriginPath(place: FixedPlace, site: ResourceSite): string {
  switch (place.at) {
    case 'origin':
      return `/${place.path}`;
    case 'description':
    case 'page':
      return `/${place.name}`;
    case 'well-known':
      return writeMetadataPath(site);
    case 'below-base':
      return `${site.basePath}/${place.name}`;
  }
}

function writeCollectionPattern(base: string, model: Pick<Model, 'resources'>, resource: Resource): string {
  const { collection, parent } = resource;
  const above = parent === null ? undefined : model.resources.get(parent.resource);
  if (parent === null || above === undefined) return [base, collection].join('/');
  return [writeCollectionPattern(base, model, above), `{${parent.field}}`, collection].join('/');
}
