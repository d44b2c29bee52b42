import { segmentsOfTarget } from '../../conventions/url/url.ts';
import type { Model } from '../../model/model.ts';
import { isFixed, type OriginKind, ROUTE_KINDS, ROUTES, writeRoutePaths } from './route-table.ts';

/** The API whose paths outside of its base path are listed. */
export interface OriginSite {
  readonly model: Pick<Model, 'basePath'> & { readonly auth?: { readonly resource: string | null } | null };
  /** True if `/metrics` is a route of the origin (OPS-2). */
  readonly servesMetrics: boolean;
  /** True if `mcp` is a route below the base path (OPS-8). Default: false. */
  readonly servesAgents?: boolean;
  /** The names of the files of the console; null if it is not served (OPS-10). Default: null. */
  readonly consoleFiles?: readonly string[] | null;
}

/** Finds the route of decoded path segments that have a fixed path; null if there is none. */
export type FindOriginRoute = (segments: readonly string[]) => OriginKind | null;

/** Lists the routes of an API that have fixed paths, each with its paths. */
export function listOriginRoutes({
  model: { basePath, auth = null },
  servesMetrics,
  servesAgents = false,
  consoleFiles = null,
}: OriginSite): readonly (readonly [kind: OriginKind, paths: readonly string[]])[] {
  return ROUTE_KINDS.filter(isOriginKind).flatMap((kind) => {
    if (kind === 'home' && basePath === '') return [];
    if (kind === 'metrics' && !servesMetrics) return [];
    if (kind === 'mcp' && !servesAgents) return [];
    if (kind === 'console' && consoleFiles === null) return [];
    if (kind === 'metadata' && auth === null) return [];
    return [[kind, writeRoutePaths(kind, { basePath, auth }, consoleFiles ?? [])] as const];
  });
}

/** Compiles the look-up of the routes outside of the base path. */
export function compileOriginRoutes(site: OriginSite): FindOriginRoute {
  const routes = new Map(
    listOriginRoutes(site).flatMap(([kind, paths]) =>
      paths.map((path) => [joinSegments(segmentsOfTarget(path)), kind] as const),
    ),
  );
  const longest = Math.max(...[...routes.keys()].map((key) => key.split(SEPARATOR).length));
  return (segments) => (segments.length > longest ? null : (routes.get(joinSegments(segments)) ?? null));
}

/** No decoded segment of a valid target contains it (URL-4). */
const SEPARATOR = '\0';

function joinSegments(segments: readonly string[]): string {
  return segments.join(SEPARATOR);
}

function isOriginKind(kind: (typeof ROUTE_KINDS)[number]): kind is OriginKind {
  return isFixed(ROUTES[kind].place);
}
