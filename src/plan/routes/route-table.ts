import type { BodyUse } from '../../conventions/media/body-type.ts';
import type { Method } from '../../conventions/methods.ts';
import type { ResponseFormat } from '../../conventions/media/response-format.ts';

/** What a path refers to. */
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
  /** The documentation of the API, a page (OPS-1). */
  | 'docs'
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

/** The methods, response formats and bodies of a route. */
interface RouteRule {
  readonly methods: readonly Method[];
  /** Response formats, the default first (NEG-1). */
  readonly formats: readonly ResponseFormat[];
  /** The use of the body by method; other methods have no body. */
  readonly bodies: Readonly<Partial<Record<Method, BodyUse>>>;
}

const JSON_ONLY: RouteRule = { methods: ['GET', 'HEAD', 'OPTIONS'], formats: ['json'], bodies: {} };

const ROOT: RouteRule = {
  methods: ['GET', 'HEAD', 'OPTIONS'],
  formats: ['json', 'xml', 'text', 'html'],
  bodies: {},
};

/** RFC 9728 3: below the origin, because the resource is the origin. */
export const METADATA_PATH = '.well-known/oauth-protected-resource';

/** Where the descriptions are, at the origin and next to the base path. */
export const OPEN_API_PATH = 'openapi.json';
export const ASYNC_API_PATH = 'asyncapi.json';
export const DOCS_PATH = 'docs';

/** All routes of an API: requests are checked against them, and descriptions list them. */
export const ROUTES: Readonly<Record<RouteKind, RouteRule>> = {
  server: {
    methods: ['GET', 'HEAD', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    formats: ['json'],
    bodies: {},
  },
  live: JSON_ONLY,
  ready: JSON_ONLY,
  // In a format of its own, which is not negotiated.
  metrics: JSON_ONLY,
  metadata: JSON_ONLY,
  openapi: JSON_ONLY,
  asyncapi: JSON_ONLY,
  docs: { methods: ['GET', 'HEAD', 'OPTIONS'], formats: ['html'], bodies: {} },
  home: ROOT,
  root: ROOT,
  collection: {
    methods: ['GET', 'HEAD', 'QUERY', 'POST', 'OPTIONS'],
    formats: ['json', 'xml', 'text', 'csv', 'ndjson'],
    bodies: { POST: 'create', QUERY: 'query' },
  },
  item: {
    methods: ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    formats: ['json', 'xml', 'text'],
    bodies: { PUT: 'replace', PATCH: 'patch' },
  },
  batches: { methods: ['POST', 'OPTIONS'], formats: ['json'], bodies: { POST: 'batch' } },
  batch: { methods: ['GET', 'HEAD', 'OPTIONS'], formats: ['json'], bodies: {} },
  events: {
    methods: ['GET', 'HEAD', 'OPTIONS'],
    formats: ['json', 'ndjson', 'cloudevents', 'event-stream'],
    bodies: {},
  },
  event: { methods: ['GET', 'HEAD', 'OPTIONS'], formats: ['json', 'cloudevent'], bodies: {} },
};
