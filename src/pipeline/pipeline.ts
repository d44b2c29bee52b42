import { IdleTimer } from '../cache/idle-timer.ts';
import type { HostRule } from '../conventions/url/host.ts';
import type { FindVariants } from '../contract/variants.ts';
import type { AgentEndpoint } from '../exchange/agent-endpoint.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { ApiResponse, Handler, RawRequest } from '../exchange/handler.ts';
import { withServerTiming } from '../exchange/stage-recorder.ts';
import { addressName } from '../limits/address-name.ts';
import type { Observe } from '../observe/observation.ts';
import { attempt, type MaybePromise, chain } from '../platform/maybe-promise.ts';
import { compressResponse } from '../represent/content-encoding.ts';
import { commitsFor, findDatabaseCaller, rowsFor } from '../operations/database-role.ts';
import { RoleForbidden, type Store } from '../stores/store.ts';
import { variesByCaller } from './access.ts';
import { agentResponse } from './agents.ts';
import type { Authenticated } from './authenticate.ts';
import { authorize, chooseRows } from './authorize.ts';
import { credentialsRequired } from './challenge.ts';
import { checkOrigin } from './check-origin.ts';
import {
  anonymousResponse,
  canonicalResponse,
  type EarlyOptions,
  metricsResponse,
  optionsResponse,
  unroutedResponse,
} from './early-responses.ts';
import { execute } from './execute.ts';
import { limit, limitAttempts, type LimitAttemptsOptions, type Limited } from './limit.ts';
import type { ActiveRequests } from './measure/active-requests.ts';
import { bodySize, requestObservation, tracedCommits, tracedExchange, tracedRows } from './measure/traced-exchange.ts';
import { negotiate, type Negotiated } from './negotiate.ts';
import { plan, readParameters } from './plan.ts';
import { type ExchangeSources, openExchange, receive, requireTls } from './receive.ts';
import { refuse } from './refuse.ts';
import { represent } from './represent.ts';
import { route } from './route.ts';
import type { Services } from './services.ts';

/** Milliseconds without a request after which the caches are cleared, so that an idle server releases its memory. */
const IDLE_TIMEOUT = 30_000;

/** Options of {@link createPipeline}. */
export interface PipelineOptions extends LimitAttemptsOptions, EarlyOptions {
  readonly services: Services;
  readonly findVariants: FindVariants;
  readonly sources: ExchangeSources;
  readonly store: Store;
  /** The accepted values of `Host`, unless the mount of a request has a rule of its own (AUTH-7). */
  readonly hosts: HostRule;
  /** Writes all metrics, for `/metrics`. */
  readonly metrics: () => Promise<string>;
  /** Answers the messages of agents; null where they are not served (OPS-8). */
  readonly agents: AgentEndpoint | null;
  /** The caches of the API, which are cleared when it is idle. */
  readonly caches: readonly { clear?(): void }[];
  /** Counts the requests in progress; null if nothing is measured (OPS-2). */
  readonly active: ActiveRequests | null;
  /** True if responses have the durations of their stages (`Server-Timing`). Stages must be timed. */
  readonly serverTiming: boolean;
}

/** Runs one exchange, stage by stage, in the order of the contract's section 0. Every failure ends in `refuse`. */
function respond(exchange: Exchange, request: RawRequest, options: PipelineOptions): MaybePromise<ApiResponse> {
  const { contracts } = options;
  const { stages } = exchange;
  const received = receive(exchange, request, contracts.current, request.hosts ?? options.hosts);
  requireTls(received, contracts.current);
  stages?.end('receive');
  const unrouted = unroutedResponse(received, contracts);
  if (unrouted !== null) return unrouted;
  const routed = route(received, contracts);
  stages?.end('route');
  const redirected = canonicalResponse(routed, contracts);
  if (redirected !== null) return redirected;
  exchange.note.variesByCaller = variesByCaller(routed);
  const anonymous = routed.method === 'OPTIONS' ? null : anonymousResponse(routed, options);
  if (anonymous !== null) return anonymous;
  return chain(limitAttempts(routed, options), (authenticated) => {
    if (routed.method === 'OPTIONS') return optionsResponse(authenticated);
    observeDeprecation(authenticated, options.services.observe);
    stages?.end('authenticate');
    return chain(limit(checkOrigin(authenticated), options.rates), (limited) => serve(limited, options));
  });
}

/** Runs the stages that follow once the rate limits admit the caller. */
function serve(limited: Limited, options: PipelineOptions): MaybePromise<ApiResponse> {
  const { store, services, metrics, findVariants, agents } = options;
  const { stages } = limited.routed.exchange;
  stages?.end('limit');
  const as = findDatabaseCaller(limited.routed.contract.model, limited.principal);
  const rows = rowsFor(as, chooseRows(limited, store));
  const authorized = authorize(limited, tracedRows(rows, stages), options);
  stages?.end('authorize');
  const { kind } = limited.routed.route;
  if (kind === 'metrics') return metricsResponse(authorized, metrics);
  if (kind === 'mcp') return agentResponse(authorized, agents);
  const run = (): MaybePromise<ApiResponse> =>
    perform(negotiate(authorized, findVariants), commitsFor(as, tracedCommits(services, stages)));
  return as?.isAnonymous === true ? attempt(run, (error) => challenge(error, limited, options)) : run();
}

/** Requires credentials where the role of callers without them lacks a right (AUTH-3). @throws the error */
function challenge(error: unknown, { routed }: Limited, options: PipelineOptions): never {
  throw error instanceof RoleForbidden ? credentialsRequired(routed.contract, options) : error;
}

/** Plans and executes a request for its caller, and represents the outcome in its reply. */
function perform({ caller, target, reply }: Negotiated, services: Services): MaybePromise<ApiResponse> {
  const { stages } = reply.exchange;
  stages?.end('negotiate');
  const executed = chain(readParameters(caller, target), (parameters) => {
    const planned = plan(caller, target, parameters);
    stages?.end('plan');
    return execute(planned, caller, services);
  });
  return chain(executed, (outcome) => {
    stages?.end('execute');
    return represent(outcome, reply, services);
  });
}

/** Reports requests to a contract that will end. What has no version is no use of one (VER-4). */
function observeDeprecation({ routed, principal }: Authenticated, observe: Observe): void {
  const { contract, exchange, received } = routed;
  if (!contract.isDeprecated || exchange.note.contract === null) return;
  observe({
    kind: 'deprecated-contract',
    version: contract.version,
    caller: principal.source === null ? addressName(received.client.address) : principal.identity,
    route: exchange.note.route,
    correlationId: exchange.correlationId,
  });
}

function clearWhenIdle(caches: PipelineOptions['caches']): IdleTimer {
  return new IdleTimer(IDLE_TIMEOUT, () => {
    for (const cache of caches) cache.clear?.();
  });
}

/** Creates the handler that runs all stages for every request, compresses its response and observes each exchange. */
export function createPipeline(options: PipelineOptions): Handler {
  const { services, sources, active } = options;
  const { observe, bodies } = services;
  const idleTimer = clearWhenIdle(options.caches);
  const refuseOptions = { observe, now: sources.now };

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
