import { ApiError, apiError } from '../conventions/errors.ts';
import type { Method } from '../conventions/methods.ts';
import { plainOffers } from '../conventions/media/response-format.ts';
import { type AcceptRange, parseAccept, vendorRanges } from '../conventions/media/negotiation.ts';
import { memoize, weakMemoize } from '../cache/memoize.ts';
import { type ResolvedVersion, resolveVersion, type VersionCarriers, versionText } from '../conventions/versioning.ts';
import { linkField } from '../conventions/url/links.ts';
import { closestMatch } from '../conventions/text/closest-match.ts';
import { quoted } from '../conventions/text/quoted.ts';
import type { ContractVersion, Model } from '../model/model.ts';
import { storedId } from '../model/values/formats.ts';
import type { LinkBase } from '../plan/routes/url-builder.ts';
import type { Ancestor } from '../plan/plan.ts';
import { ROUTES, writeRoutePattern } from '../plan/routes/route-table.ts';
import type { Contract, Contracts } from '../contract/contract.ts';
import type { Exchange, ServedContract } from '../exchange/exchange.ts';
import type { Received } from './receive.ts';
import { listTargetMethods, type Route } from './found-route.ts';
import { selectServedContract } from './served-contract.ts';

export type { Route } from './found-route.ts';

/** A request whose version, target and method are served (steps 3 to 6). */
export interface Routed {
  readonly received: Received;
  readonly exchange: Exchange;
  /** The contract of the request's version. */
  readonly contract: Contract;
  readonly route: Route;
  readonly method: Method;
  readonly ranges: readonly AcceptRange[];
  readonly version: ResolvedVersion<ContractVersion>;
  /** The canonical target, if ids in the path have another one (URL-1); else null. */
  readonly redirect: string | null;
  /** Start of the links in the response, in the caller's version carrier (REP-9). */
  readonly base: LinkBase;
}

/** The media types of responses that do not name a version. */
const PLAIN_OFFERS = plainOffers(['json', 'xml', 'text', 'csv', 'ndjson', 'cloudevent', 'cloudevents', 'event-stream']);

/** Writes the value of `Allow` for a route (MET-5, MET-6). */
export function allow(found: Route): string {
  return listTargetMethods(found).join(', ');
}

/**
 * Finds the contract, its route and the method (steps 4 to 6). The canonical form of the URL (step 3) is judged before.
 *
 * @throws {ApiError} API_VERSION_*, REQUEST_ROUTE_NOT_FOUND, REQUEST_METHOD_NOT_ALLOWED, REQUEST_NOT_ACCEPTABLE,
 *   REQUEST_HEADER_INVALID: `Accept` cannot be read
 */
export function route(received: Received, contracts: Contracts): Routed {
  const { exchange, versionSegment } = received;
  const own = originRoute(received, contracts);
  const below = own === null ? received.belowBase : null;
  const isDescription = own !== null && ROUTES[own.kind].place.at === 'description';
  // Health checks have one format, whatever is accepted.
  const isNegotiated = own === null || own.kind === 'home' || isDescription;
  const ranges = isNegotiated ? parseAccept(exchange.fields.get('accept')) : [];
  const isVersioned = below !== null || isDescription;
  const version = findVersion(
    {
      path: versionSegment,
      query: !isVersioned ? null : (received.parameters.find(({ name }) => name === 'api_version')?.value ?? null),
      header: !isVersioned ? null : exchange.fields.get('api-version'),
      accept: below === null ? [] : vendorRanges(ranges, contracts.current.model.name, PLAIN_OFFERS),
    },
    // A description without a version is that of the newest one.
    {
      contracts,
      defaultMajor: isDescription ? contracts.current.model.version.major : contracts.current.model.defaultVersion,
    },
  );
  const contract = contracts.of(version.version) ?? retired(version, contracts);
  const path = below?.slice(versionSegment === null ? 0 : 1) ?? [];
  const isServed = below !== null || (isDescription && version.carrier !== 'none');
  const serve = (target: Route | null): ServedContract | null =>
    isServed ? selectServedContract(contract, target, contracts.current) : null;
  exchange.note.contract = serve(null);
  const found = own ?? (below === null ? null : resourceRoute(path, contract));
  if (found === null) throw noRoute(contract, path);
  exchange.note.contract = serve(found);
  exchange.note.route = describeRoute(found, contract);
  const method = requireMethod(received, found);
  const redirect = canonicalTarget(received, path, found);
  const base = linkBase(contract, version);
  return { received, exchange, contract, route: found, method, ranges, version, redirect, base };
}

/** @param path its segments below the base path and the version */
function noRoute({ model }: Contract, path: readonly string[]): Error {
  const near = findNearest(model, path);
  const hint = near === null ? '' : ` Did you mean ${quoted(near)}?`;
  const message = `No route matches this path; GET ${model.basePath || '/'} lists the collections.${hint}`;
  return apiError('REQUEST_ROUTE_NOT_FOUND', message);
}

/** The collection that a path most likely means; null for none, and where only callers may know the names. */
function findNearest({ collections, auth }: Model, [first = '', , third]: readonly string[]): string | null {
  if (auth !== null) return null;
  const above = collections.get(first) ?? null;
  if (above !== null && third === undefined) return null;
  const siblings = [...collections.values()].filter(
    ({ parent }) => (parent?.resource ?? null) === (above?.name ?? null),
  );
  return closestMatch(
    (above === null ? first : third) ?? '',
    siblings.map(({ collection }) => collection),
  );
}

/**
 * Writes the target with the ids of the route, which are lower-case UUIDs where the server made them (REP-2). Returns
 * null if the path has them already.
 *
 * @param path its segments below the base path and the version
 */
function canonicalTarget({ sent }: Received, path: readonly string[], found: Route): string | null {
  const ids = routeIds(found);
  if (sent === null || ids.every((id, level) => id === path[2 * level + 1])) return null;
  const raw = sent.path.split('/');
  const first = raw.length - path.length;
  for (const [level, id] of ids.entries()) {
    const at = 2 * level + 1;
    if (id !== path[at]) raw[first + at] = id;
  }
  return `${raw.join('/')}${sent.query === null ? '' : `?${sent.query}`}`;
}

/** The ids in the path of a route, in its order. */
function routeIds(found: Route): readonly string[] {
  const own = found.kind === 'item' || found.kind === 'batch' || found.kind === 'event' ? [found.id] : [];
  return 'within' in found ? [...found.within.map(({ id }) => id).toReversed(), ...own] : own;
}

/** Refuses a contract that is no longer served (VER-3). @throws {ApiError} API_VERSION_RETIRED */
function retired({ version }: ResolvedVersion<ContractVersion>, { current }: Contracts): never {
  const successor = linkField([{ href: current.linkBases.canonical.prefix, rel: 'successor-version' }]);
  throw apiError(
    'API_VERSION_RETIRED',
    `Version ${versionText(version)} is no longer served; use ${current.version}.`,
    { headers: { Link: successor } },
  );
}

/** Routes a request; null if it would be refused. */
export function routeIfServed(received: Received, contracts: Contracts): Routed | null {
  try {
    return route(received, contracts);
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/** @throws {ApiError} REQUEST_METHOD_NOT_ALLOWED */
function requireMethod({ method }: Received, found: Route): Method {
  if (method !== null && listTargetMethods(found).includes(method)) return method;
  throw apiError('REQUEST_METHOD_NOT_ALLOWED', `This target supports ${allow(found)}.`, {
    headers: { Allow: allow(found) },
  });
}

/** @throws {ApiError} API_VERSION_*, REQUEST_NOT_ACCEPTABLE */
function findVersion(
  carriers: VersionCarriers,
  { contracts, defaultMajor }: { readonly contracts: Contracts; readonly defaultMajor: number },
): ResolvedVersion<ContractVersion> {
  const { path, query, header, accept } = carriers;
  const isPathAlone = query === null && header === null && accept.length === 0;
  if (isPathAlone && (path !== null || defaultMajor === contracts.current.model.defaultVersion))
    return pathVersions(contracts)(path ?? '');
  return resolveVersion(carriers, contracts.versions, defaultMajor);
}

/** Most requests name their version only in the path, or not at all (an empty text), and there are few versions. */
const pathVersions = weakMemoize((contracts: Contracts) =>
  memoize((path) =>
    resolveVersion(
      { path: path === '' ? null : path, query: null, header: null, accept: [] },
      contracts.versions,
      contracts.current.model.defaultVersion,
    ),
  ),
);

/** Selects the start of links that names the version as the request does (REP-9). */
function linkBase({ linkBases }: Contract, { carrier, text }: ResolvedVersion<ContractVersion>): LinkBase {
  if (carrier === 'path') return linkBases.canonical;
  if (carrier !== 'query') return linkBases.unversioned;
  // The served version may have another minor or patch than the requested one.
  return linkBases.byQuery.get(text ?? '') ?? linkBases.whole;
}

/** Finds a route with a fixed path, by the table of routes. */
function originRoute({ segments }: Received, { findOriginRoute }: Contracts): Route | null {
  if (segments === null) return { kind: 'server' };
  const kind = findOriginRoute(segments);
  return kind === null ? null : { kind };
}

/** Finds the route of collections and ids alternating, each collection below the previous one (URL-1, URL-7). */
function resourceRoute(path: readonly string[], { collections, model }: Contract): Route | null {
  if (path[0] === model.system.batches) return systemRoute(path, 'batches', 'batch');
  if (path[0] === model.system.events) return systemRoute(path, 'events', 'event');
  let found: Route = { kind: 'root' };
  let parent: string | null = null;
  const within: Ancestor[] = [];
  for (let at = 0; at < path.length; at += 2) {
    const compiled = collections.get(path[at] ?? '');
    if (compiled === undefined || (compiled.resource.parent?.resource ?? null) !== parent) return null;
    const above = within.toReversed();
    const sent = path[at + 1];
    if (sent === undefined) return { kind: 'collection', compiled, within: above };
    const id = storedId(compiled.resource.id, sent);
    found = { kind: 'item', compiled, within: above, id };
    parent = compiled.resource.name;
    within.push({ resource: parent, id });
  }
  return found;
}

/** Finds the route of a collection of the server, or of one of its items. */
function systemRoute(
  [, id, ...further]: readonly string[],
  collection: 'batches' | 'events',
  item: 'batch' | 'event',
): Route | null {
  if (further.length > 0) return null;
  return id === undefined ? { kind: collection } : { kind: item, id: storedId({ kind: 'server' }, id) };
}

/** Writes the pattern of a route for logs and metrics. */
function describeRoute(found: Route, { model }: Contract): string {
  return found.kind === 'collection' || found.kind === 'item'
    ? found.compiled.patterns[found.kind]
    : writeRoutePattern(found.kind, { model });
}
