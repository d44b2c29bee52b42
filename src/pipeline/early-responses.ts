import { apiError, ApiError } from '../conventions/errors.ts';
import { preflightHeaders } from '../conventions/headers/cors.ts';
import type { Contracts } from '../contract/contract.ts';
import type { ApiResponse, BufferedResponse } from '../exchange/handler.ts';
import type { ConsoleFiles } from '../describe/console/console-files.ts';
import type { RelayLag } from '../events/relays/relay-rows.ts';
import { writeJson } from '../formats/json.ts';
import type { AccessRule, Model, Resource } from '../model/model.ts';
import { EXPOSITION_TYPE } from '../observe/metrics/exposition.ts';
import { eventsRule } from '../plan/event-rules.ts';
import type { MaybePromise } from '../platform/maybe-promise.ts';
import { commonHeaders, redirectResponse, uncachedResponse } from '../represent/response.ts';
import { StoreUnavailable } from '../stores/store.ts';
import { METRICS_SCOPE } from '../plan/routes/operation-rules.ts';
import { allowedMethods } from './access.ts';
import type { Authenticated } from './authenticate.ts';
import type { Authorized } from './authorize.ts';
import type { ResourceIdentity } from './challenge.ts';
import { consoleResponse } from './console-response.ts';
import { listTargetMethods } from './found-route.ts';
import { isPageRequest, optionsHeaders } from './negotiate.ts';
import { isPreflight, type Received } from './receive.ts';
import { allow, type Routed, routeIfServed } from './route.ts';

/** Options of the early responses. */
export interface EarlyOptions extends ResourceIdentity {
  readonly contracts: Contracts;
  readonly store: { readonly ping: () => MaybePromise<void> };
  /** Returns the reason why the server should get no traffic now; null if there is none (LIM-3). */
  readonly notReadyReason: () => string | null;
  /** Reads the lags of the relays; null where the model has none. */
  readonly relayLags: (() => Promise<readonly RelayLag[]>) | null;
  /** The files of the console; none where it is not served (OPS-10). */
  readonly console: ConsoleFiles;
}

/** Ends a request before it is routed: a preflight, or a redirect to the canonical URL; null for any other. */
export function unroutedResponse(received: Received, contracts: Contracts): ApiResponse | null {
  return isPreflight(received) ? preflightResponse(received, contracts) : canonicalResponse(received, contracts);
}

/**
 * Redirects a request to its canonical URL (308, URL-1); null if it has that URL. The form of a path is known before
 * it is routed, that of its ids after.
 */
export function canonicalResponse(
  { exchange, redirect }: Pick<Received | Routed, 'exchange' | 'redirect'>,
  { current }: Contracts,
): ApiResponse | null {
  return redirect === null ? null : redirectResponse(exchange, redirect, current.model.publicUrl);
}

/**
 * Ends a request before its caller is known: a health check, one for the metadata, or one of a program for `/` (URL-1).
 * Returns null for any other.
 *
 * @throws {ApiError} {StoreUnavailable} SERVER_UNAVAILABLE; REQUEST_ROUTE_NOT_FOUND
 */
export function anonymousResponse(routed: Routed, options: EarlyOptions): MaybePromise<ApiResponse> | null {
  const { kind } = routed.route;
  if (kind === 'live') return healthResponse(routed);
  if (kind === 'ready') return readyResponse(routed, options);
  if (kind === 'home' && !isPageRequest(routed)) return redirectHome(routed);
  if (kind === 'console') return consoleResponse(routed, options.console);
  return kind === 'metadata' ? metadataResponse(routed, options) : null;
}

/** Responds to OPTIONS (MET-5) with the methods that the caller may use. */
export function optionsResponse({ routed, principal }: Authenticated): ApiResponse {
  const { exchange } = routed;
  const methods = allowedMethods(routed, principal.scopes).join(', ');
  const headers = [...commonHeaders(exchange), 'Allow', methods, ...optionsHeaders(routed)];
  return uncachedResponse(204, headers, null);
}

/**
 * Responds to `/metrics` (OPS-2) in the text format of Prometheus, whatever `Accept` says.
 *
 * @param writeMetrics writes all metrics
 */
export async function metricsResponse(
  { routed: { exchange } }: Authorized,
  writeMetrics: () => Promise<string>,
): Promise<ApiResponse> {
  const body = await writeMetrics();
  return uncachedResponse(200, [...commonHeaders(exchange), 'Content-Type', EXPOSITION_TYPE], body);
}

/**
 * Responds to a preflight (OPS-3) with the methods of the target. Without a target it allows every method, so that the
 * page can send its request and read the error or follow the redirect. Browsers report neither for a preflight.
 */
function preflightResponse(received: Received, contracts: Contracts): ApiResponse {
  const routed = routeIfServed(received, contracts);
  const served = routed?.contract ?? contracts.current;
  const methods = listTargetMethods(routed?.route ?? { kind: 'server' });
  // Preflights have no version: browsers send none of the fields that could name one.
  received.exchange.note.contract = null;
  const headers = [...commonHeaders(received.exchange), ...preflightHeaders(methods, served.model.cors?.maxAge ?? 0)];
  const target = routed === null ? [] : ['Allow', allow(routed.route), ...optionsHeaders(routed)];
  return uncachedResponse(204, [...headers, ...target], null);
}

/** Redirects from `/` to the root of the API, with the query of the request (URL-1). */
function redirectHome({ exchange, contract: { model } }: Routed): BufferedResponse {
  const { target } = exchange.request;
  const query = target.indexOf('?');
  return redirectResponse(exchange, model.basePath + (query === -1 ? '' : target.slice(query)), model.publicUrl);
}

/** Responds to `/livez` (OPS-2). */
function healthResponse({ exchange }: Routed, body = '{"status":"ok"}'): ApiResponse {
  const headers = [...commonHeaders(exchange), 'Content-Type', 'application/json'];
  return uncachedResponse(200, headers, body);
}

/**
 * Responds to `/readyz`: the database can be read and written, and there is no overload (OPS-2, OPS-7, LIM-3). With
 * `?verbose` the body has the lags of the relays. A relay that fails does not make the server unready.
 */
async function readyResponse(routed: Routed, options: EarlyOptions): Promise<ApiResponse> {
  const { store, notReadyReason, relayLags } = options;
  const reason = notReadyReason();
  if (reason !== null) throw apiError('SERVER_UNAVAILABLE', `The server is not ready: ${reason}.`);
  try {
    await store.ping();
  } catch (error) {
    if (error instanceof ApiError || error instanceof StoreUnavailable) throw error;
    throw apiError('SERVER_UNAVAILABLE', 'The database cannot be read.', { cause: error });
  }
  const isVerbose = routed.received.parameters.some(({ name }) => name === 'verbose');
  if (relayLags === null || !isVerbose) return healthResponse(routed);
  const relays = (await relayLags()).map(({ name, state, lag }) => ({ name, state, lag }));
  return healthResponse(routed, writeJson({ status: 'ok', relays }));
}

/** Responds with the metadata of a protected resource (RFC 9728 2): its issuers and scopes. It needs no credentials. */
function metadataResponse(
  { contract, exchange }: Routed,
  { resource: findResource, contracts: { servesMetrics } }: EarlyOptions,
): BufferedResponse {
  const { model } = contract;
  const resource = findResource();
  if (resource === null) {
    throw apiError(
      'REQUEST_ROUTE_NOT_FOUND',
      'This API does not know its public URL; declare public_url or auth.resource in the model.',
    );
  }
  const body = writeJson({
    resource,
    authorization_servers: [...new Set((model.auth?.issuers ?? []).map(({ issuer }) => issuer))],
    bearer_methods_supported: ['header'],
    scopes_supported: collectScopes(model, servesMetrics ? [METRICS_SCOPE] : []),
    resource_name: model.title,
  });
  const headers = [...commonHeaders(exchange), 'Content-Type', 'application/json', 'Cache-Control', 'no-cache'];
  return { status: 200, headers, body };
}

/** Collects every scope that the model names, and others, each once, in order. */
export function collectScopes(model: Model, others: readonly string[]): readonly string[] {
  const resources = [...model.resources.values()].flatMap(resourceScopes);
  return [...new Set([...resources, ...ruleScopes(eventsRule(model)), ...others])].sort();
}

function resourceScopes({ access, state, readOnly }: Resource): readonly string[] {
  if (readOnly) return ruleScopes(access.read);
  const transitions = [...(state?.scopes.values() ?? [])].flatMap((targets) => [...targets.values()]);
  return [...Object.values(access).flatMap(ruleScopes), ...transitions];
}

function ruleScopes(rule: AccessRule): readonly string[] {
  return rule.kind === 'scope' ? [rule.scope] : [];
}
