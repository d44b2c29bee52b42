import { IdleTimer } from '../cache/idle-timer.ts';
import { ApiError, apiError } from '../conventions/errors.ts';
import type { HostRule } from '../conventions/url/host.ts';
import { attempt, type MaybePromise, chain } from '../platform/maybe-promise.ts';
import { addressName } from '../limits/address-name.ts';
import type { Observe } from '../observe/observation.ts';
import { type Store, StoreUnavailable } from '../stores/store.ts';
import { variesByCaller } from './access.ts';
import type { ActiveRequests } from './measure/active-requests.ts';
import { authenticate, type Authenticated, type AuthenticateOptions } from './authenticate.ts';
import { authorize } from './authorize.ts';
import { checkOrigin } from './check-origin.ts';
import type { Contracts } from '../contract/contract.ts';
import type { ApiResponse, Handler, RawRequest } from '../exchange/handler.ts';
import { execute } from './execute.ts';
import { limit, limitAttempts } from './limit.ts';
import { negotiate } from './negotiate.ts';
import { plan } from './plan.ts';
import type { Rates } from '../operations/quota.ts';
import { type Exchange, type ExchangeSources, isPreflight, openExchange, receive, requireTls } from './receive.ts';
import { refuse } from './refuse.ts';
import { represent } from './represent.ts';
import { compressResponse } from '../represent/content-encoding.ts';
import { healthResponse, optionsResponse, preflightResponse, redirectResponse } from './early-responses.ts';
import { tracedRows, tracedServices } from './measure/traced-store.ts';
import { withServerTiming } from '../exchange/stage-recorder.ts';
import { bodySize, requestObservation } from './measure/request-observation.ts';
import { tracedExchange } from './measure/traced-exchange.ts';
import { metadataResponse } from './metadata-response.ts';
import { metricsResponse } from './metrics-response.ts';
import { route, routeIfServed } from './route.ts';
import type { Services } from './services.ts';

/** Milliseconds without a request after which the caches are cleared: an idle server gives its memory back. */
const IDLE_TIMEOUT = 30_000;

/** What responding needs besides the request. */
export interface PipelineOptions extends AuthenticateOptions {
  readonly contracts: Contracts;
  readonly services: Services;
  readonly sources: ExchangeSources;
  readonly store: Store;
  /** The accepted values of `Host`, where the way by which a request came has no rule of its own (AUTH-7). */
  readonly hosts: HostRule;
  /** null where the model has no rate limits. */
  readonly rates: Rates | null;
  /** Why the server should get no traffic now; null when it should (LIM-3). */
  readonly notReadyReason: () => string | null;
  /** All metrics, for `/metrics`. */
  readonly metrics: () => Promise<string>;
  /** Counts the requests in progress; null where nothing is measured (OPS-2). */
  readonly active: ActiveRequests | null;
  /** Whether responses say how long their stages took (`Server-Timing`). Stages have to be timed. */
  readonly serverTiming: boolean;
}

/** The score: one exchange, stage by stage, in the order of the contract's section 0. Everything that fails ends in `refuse`. */
function respond(exchange: Exchange, request: RawRequest, options: PipelineOptions): MaybePromise<ApiResponse> {
  const { contracts, store, hosts, rates } = options;
  const { stages } = exchange;
  const services = tracedServices(options.services, stages);
  const received = receive(exchange, request, contracts.current, request.hosts ?? hosts);
  requireTls(received, contracts.current);
  stages?.end('receive');
  if (isPreflight(received)) return preflightResponse(received, routeIfServed(received, contracts), contracts.current);
  if (received.redirect !== null) return redirectResponse(exchange, received.redirect, contracts.current);
  const routed = route(received, contracts);
  exchange.note.variesByCaller = variesByCaller(routed);
  stages?.end('route');
  const authenticated = () => limitAttempts(routed, rates, () => authenticate(routed, options));
  if (routed.method === 'OPTIONS') return chain(authenticated(), optionsResponse);
  if (routed.route.kind === 'live') return healthResponse(routed);
  if (routed.route.kind === 'ready') return checkReady(options).then(() => healthResponse(routed));
  if (routed.route.kind === 'metadata') return metadataResponse(routed, options, contracts);
  return chain(authenticated(), (caller) => {
    observeDeprecation(caller, services.observe);
    stages?.end('authenticate');
    return chain(limit(checkOrigin(caller), rates), (limited) => {
      stages?.end('limit');
      const authorized = authorize(limited, tracedRows(store, stages), options);
      stages?.end('authorize');
      if (routed.route.kind === 'metrics') return metricsResponse(authorized, options.metrics);
      const negotiated = negotiate(authorized);
      stages?.end('negotiate');
      return chain(plan(negotiated), (planned) => {
        stages?.end('plan');
        return chain(execute(planned, services), (outcome) => {
          stages?.end('execute');
          return represent(planned.request, outcome, services);
        });
      });
    });
  });
}

/** Reports who still uses a contract that will end. */
function observeDeprecation({ contract, principal, client, exchange }: Authenticated, observe: Observe): void {
  if (!contract.isDeprecated) return;
  const { subject, client: application } = principal;
  const named = [subject, application].filter((each) => each !== null).join(' by ');
  observe({
    kind: 'deprecated-contract',
    version: contract.version,
    caller: named === '' ? addressName(client.address) : named,
    route: exchange.note.route,
    correlationId: exchange.correlationId,
  });
}

function clearWhenIdle(caches: readonly { readonly clear: () => void }[]): IdleTimer {
  return new IdleTimer(IDLE_TIMEOUT, () => {
    for (const cache of caches) cache.clear();
  });
}

/** Plays the score for every request, with compression at its end and an observation of each exchange. */
export function createPipeline(options: PipelineOptions): Handler {
  const { contracts, services, sources, active } = options;
  const { observe, items, pages, descriptions, bodies } = services;
  const idleTimer = clearWhenIdle([items, pages, descriptions, bodies]);
  const refuseOptions = { contract: contracts.current, observe, now: sources.now };

  const report = <R extends ApiResponse>(exchange: Exchange, response: R): R => {
    const duration = sources.elapsed() - exchange.startTick;
    const size = active === null ? null : bodySize(response, exchange.request.method);
    observe(requestObservation(exchange, { status: response.status, duration, size }));
    return response;
  };
  const complete = (exchange: Exchange, response: ApiResponse): ApiResponse => {
    const { stages, note } = exchange;
    stages?.end(note.errorCode === null ? 'represent' : 'refuse');
    return report(exchange, options.serverTiming ? withServerTiming(response, exchange) : response);
  };
  const play = (exchange: Exchange, request: RawRequest): MaybePromise<ApiResponse> => {
    const responded = attempt(
      () => respond(exchange, request, options),
      (error) => refuse(exchange, error, refuseOptions),
    );
    const encoded = chain(responded, (response) => compressResponse(response, exchange, bodies));
    return chain(encoded, (response) => complete(exchange, response));
  };

  return {
    handle(request) {
      idleTimer.touch();
      const exchange = openExchange(request, sources);
      const response = tracedExchange(exchange, () => play(exchange, request));
      return active === null ? response : active.track(response, request.method);
    },
    refuse(error, request) {
      const exchange = openExchange(request, sources);
      return report(exchange, refuse(exchange, error, refuseOptions));
    },
  };
}

/**
 * `/readyz`: the database can be read and written, and there is no overload (OPS-2, OPS-7, LIM-3).
 *
 * @throws {ApiError} {StoreUnavailable} SERVER_UNAVAILABLE
 */
async function checkReady({ store, notReadyReason }: PipelineOptions): Promise<void> {
  const reason = notReadyReason();
  if (reason !== null) throw apiError('SERVER_UNAVAILABLE', `The server is not ready: ${reason}.`);
  try {
    await store.ping();
  } catch (error) {
    if (error instanceof ApiError || error instanceof StoreUnavailable) throw error;
    throw apiError('SERVER_UNAVAILABLE', 'The database cannot be read.', { cause: error });
  }
}
