import type { BodyUse } from '../conventions/body-type.ts';
import type { Method } from '../conventions/methods.ts';
import type { ResponseFormat } from '../conventions/response-format.ts';

/** What a path can name. */
export type RouteKind =
  /** The asterisk of `OPTIONS *`. */
  | 'server'
  | 'live'
  | 'ready'
  | 'root'
  | 'collection'
  | 'item'
  /** Several writes in one request (MET-13). */
  | 'batches'
  | 'batch';

/** What a route serves. */
export interface RouteRule {
  readonly methods: readonly Method[];
  /** Of responses, the default first (NEG-1). */
  readonly formats: readonly ResponseFormat[];
  /** What the body of a method is for; a method that is missing takes none. */
  readonly bodies: Readonly<Partial<Record<Method, BodyUse>>>;
}

const HEALTH: RouteRule = { methods: ['GET', 'HEAD', 'OPTIONS'], formats: ['json'], bodies: {} };

/** Every route of an API: what requests are judged by, and what descriptions list. */
export const ROUTES: Readonly<Record<RouteKind, RouteRule>> = {
  server: {
    methods: ['GET', 'HEAD', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    formats: ['json'],
    bodies: {},
  },
  live: HEALTH,
  ready: HEALTH,
  root: { methods: ['GET', 'HEAD', 'OPTIONS'], formats: ['json', 'xml', 'text'], bodies: {} },
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
};
