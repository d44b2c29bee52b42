import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { compileCors } from './conventions/cors.ts';
import { httpDate } from './conventions/http-date.ts';
import { composeWebhooks, type Webhooks } from './events/webhooks/compose-webhooks.ts';
import type { WebhookSender } from './events/webhooks/sender.ts';
import { webhookSeal } from './events/webhooks/webhook-seal.ts';
import type { HookServices } from './model/typescript/hooks.ts';
import type { RateLender } from './limits/leased-rate-limiter.ts';
import type { Model } from './model/model.ts';
import { rowTransfer, type RowTransfer } from './row-transfer.ts';
import type { Metrics } from './observe/metrics/metrics.ts';
import { safeObserver } from './observe/safe-observer.ts';
import { standardErrorLog } from './observe/standard-error-log.ts';
import { type Observe, observeAll } from './observe/observation.ts';
import { apiMetrics } from './pipeline/measure/api-metrics.ts';
import { ActiveRequests } from './pipeline/measure/active-requests.ts';
import type { EventContext } from './plan/change-event.ts';
import type { LinkBase } from './plan/url-builder.ts';
import { compileContracts } from './pipeline/compile-contracts.ts';
import { type Contract, type Contracts, versionedBase } from './pipeline/contract.ts';
import type { Handler } from './pipeline/exchange.ts';
import { createPipeline, type PipelineOptions } from './pipeline/pipeline.ts';
import { ratesOf } from './pipeline/rates.ts';
import { type ExchangeSources, versionedPath } from './pipeline/receive.ts';
import { apiKeysRead, storedApiKey } from './pipeline/read/api-keys.ts';
import { createCompressionCache } from './pipeline/represent/content-encoding.ts';
import { Descriptions } from './pipeline/read/descriptions.ts';
import { ETags } from './pipeline/represent/etags.ts';
import { compileVariants } from './pipeline/represent/variants.ts';
import { ItemCache } from './pipeline/read/item-cache.ts';
import { createPageCache } from './pipeline/read/page-cache.ts';
import { VisibleRows } from './pipeline/read/visible-rows.ts';
import type { Services } from './pipeline/services.ts';
import { followStore } from './pipeline/write/follow-store.ts';
import { Commits } from './pipeline/write/commits.ts';
import { Idempotency } from './pipeline/write/idempotency.ts';
import { type Clock, MonotonicClock, monotonicNow, systemClock } from './platform/clock.ts';
import { digest, secretDigest } from './platform/digest.ts';
import { chain, type MaybePromise } from './platform/maybe-promise.ts';
import { once } from './platform/once.ts';
import { createIds, type Ids } from './platform/ids.ts';
import { programVersion } from './platform/program-version.ts';
import { createRandom, type Random } from './platform/random.ts';
import { ApiKeyVerifier, type StoredApiKey, withApiKeys } from './auth/api-keys.ts';
import { createGateway } from './auth/gateway.ts';
import { NO_TOKENS, type TokenVerifier } from './auth/token-verifier.ts';
import { isLoopbackHost } from './conventions/host.ts';
import { createSeal, type Seal } from './platform/seal.ts';
import type { Store } from './stores/store.ts';

export type { RowImportError, RowImportOutcome } from './pipeline/write/import.ts';

/** The parts of an API. Only the model and the store are required. */
export interface ApiOptions {
  readonly model: Model;
  readonly store: Store;
  /** Services of the application that hooks receive, as `loadModel` returns them. Default: none. */
  readonly services?: HookServices;
  /** Receives every observation: requests, errors. What it throws is ignored. Default: warnings and errors are logged on standard error. */
  readonly observe?: Observe;
  /**
   * Whether a server of our own accepts every `Host` (AUTH-7). Default: false, only loopback names are. In a host application, the option
   * `hosts` of the mount says it.
   */
  readonly allowAnyHost?: boolean;
  /** Verifies the bearer tokens of a model with `auth`. Default: none, which refuses every token. */
  readonly tokens?: TokenVerifier | null;
  /** The scheme and authority of URLs in events when the model has no `public_url`. Default: `http://localhost`. */
  readonly origin?: () => string;
  /** Measures the API. Default: nothing is measured, which costs nothing. */
  readonly metrics?: Metrics | null;
  /**
   * Receives every observation too, with the times of stages: an observer of `restwright/opentelemetry`. What it throws is ignored. Default: none, and
   * no stage is timed.
   */
  readonly traces?: Observe | null;
  /** Whether each response says how long its stages took (`Server-Timing`), for development. Default: false. */
  readonly serverTiming?: boolean;
  /** Whether the API serves its metrics at `/metrics` of the origin (OPS-2); with `auth` under the scope `metrics:read`. Default: false. */
  readonly serveMetrics?: boolean;
  /** Called after every commit. */
  readonly onCommit?: () => void;
  /** Why `/readyz` responds 503; null when the server is ready. Default: always ready. */
  readonly notReadyReason?: () => string | null;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Monotonic milliseconds from an arbitrary start, for the durations of requests. Default: `performance.now`. */
  readonly elapsed?: () => number;
  /** Default: UUIDv7 that ascend within the process. */
  readonly ids?: Ids;
  /** Default: the cryptographic generator of Node. */
  readonly random?: Random;
  /** Lends what callers may use, where several processes serve one API; null where this one counts alone. Default: null. */
  readonly rateLender?: RateLender | null;
  /**
   * Sends webhooks, and knows the hosts to which they may go. Default: one with the resolver of the system, which allows no loopback address.
   */
  readonly webhookSender?: WebhookSender | null;
  /** Waits for a number of milliseconds. Default: a timer. */
  readonly sleep?: (milliseconds: number) => Promise<unknown>;
}

/** Who learns what is observed. */
type Observers = Pick<ApiOptions, 'observe' | 'metrics' | 'traces'>;

/** An API: responds to requests, imports and exports rows. */
export interface Api extends Handler, RowTransfer {
  readonly model: Model;
  /** Whether `/metrics` is a path of the API. */
  readonly servesMetrics: boolean;
  /** What delivers to its webhooks, for the program that dispatches events; null where the model has none. */
  readonly webhooks: Webhooks | null;

  /** Called by each mount in a host application. The first call reports what is exposed where no authentication is configured. */
  onMount(): void;
}

/** Composes an API from its parts, for a store or a clock that `openApi` does not create. */
export async function createApi(given: ApiOptions): Promise<Api> {
  const options = withDefaults(given);
  const { model, store, metrics } = options;
  const servesMetrics = options.serveMetrics && metrics !== null;
  await followStore({ ...options, newestTime: (until) => store.newestTime(until) });
  const secret = model.secret === null ? await store.secret() : new TextEncoder().encode(model.secret);
  const seal = createSeal(secret, 'cursor');
  const contracts = compileContracts(model, { seal, observe: options.observe, servesMetrics });
  const { current } = contracts;
  const events = eventContext(options, current);
  const secrets = webhookSeal(secret);
  const webhooks = composeWebhooks({ ...options, contracts, events, seal: secrets });
  const services = await servicesOf(options, contracts, { seal, secrets, events, webhooks });
  const { now, uuid } = services.sources;
  const randomHex = (bytes: number): string => options.random.hex(bytes);
  const handler = createPipeline({
    contracts,
    services,
    store,
    sources: { now, uuid, randomHex, elapsed: options.elapsed, timed: isTimed(options), ...exchangeRules(current) },
    hosts: options.allowAnyHost || model.auth !== null ? 'any' : 'loopback',
    resource: () => resourceOf(model, given.origin?.() ?? null),
    ...callerServices(options),
    notReadyReason: options.notReadyReason,
    ...measuring(options, services),
    serverTiming: options.serverTiming,
  });
  return {
    ...handler,
    ...rowTransfer({ contract: current, store, tokens: tokensOf(options) ?? NO_TOKENS, services }),
    model,
    servesMetrics,
    webhooks,
    onMount: once(() => {
      const { name, basePath, auth } = model;
      if (auth === null) services.observe({ kind: 'mounted-without-auth', name, basePath });
    }),
  };
}

/** The public URL; without one, the loopback address of a server of our own. */
function resourceOf({ publicUrl }: Model, origin: string | null): string | null {
  const isLoopback = origin !== null && isLoopbackHost(origin.replace(/^https?:\/\//, ''));
  return publicUrl ?? (isLoopback ? origin : null);
}

/** The options, and the clock of what is written. */
interface CompleteApiOptions extends Required<ApiOptions> {
  readonly written: MonotonicClock;
}

function withDefaults(given: ApiOptions): CompleteApiOptions {
  const { clock = systemClock, random = createRandom(), metrics = null, traces = null } = given;
  const written = new MonotonicClock(clock);
  return {
    services: {},
    tokens: given.model.auth !== null ? NO_TOKENS : null,
    serveMetrics: false,
    serverTiming: false,
    allowAnyHost: false,
    origin: () => 'http://localhost',
    onCommit: () => undefined,
    notReadyReason: () => null,
    elapsed: monotonicNow,
    ids: createIds({ clock: written, random }),
    rateLender: null,
    webhookSender: null,
    sleep: (milliseconds) => setTimeout(milliseconds),
    ...given,
    metrics,
    traces,
    observe: observersOf(given),
    clock,
    random,
    written,
  };
}

/** One observer for all that an API has. An error of one affects no other. */
export function observersOf({ observe = standardErrorLog(), metrics = null, traces = null }: Observers): Observe {
  const reported = safeObserver(observe);
  const measured = metrics === null ? reported : observeAll(reported, metrics.observe);
  return traces === null ? measured : observeAll(measured, safeObserver(traces));
}

function isTimed({ traces, serverTiming }: CompleteApiOptions): boolean {
  return traces !== null || serverTiming;
}

/** What the events of an API are made with. */
function eventContext({ model, origin, ids }: CompleteApiOptions, { urls }: Contract): EventContext {
  const base = (): LinkBase => versionedBase(model, model.publicUrl ?? origin());
  return { model, urls, base, id: () => ids.uuid() };
}

interface ServiceParts {
  /** Of cursors. */
  readonly seal: Seal;
  readonly secrets: Seal;
  readonly events: EventContext;
  readonly webhooks: Webhooks | null;
}

async function servicesOf(
  options: CompleteApiOptions,
  { all }: Contracts,
  { seal, secrets, events, webhooks }: ServiceParts,
): Promise<Services> {
  const { model, store, clock, onCommit, observe, services } = options;
  const now = (): number => clock.now();
  // Cursors are part of pages, and compressed bytes depend on the version of Node.js.
  const representation = [model.fingerprint, programVersion(), process.version, seal.seal('')];
  const { id, since } = await store.cacheEpoch(digest(representation.join('\n')), now());
  const variantOf = compileVariants({ contracts: all, epoch: id, digest });
  return {
    sources: {
      now,
      writtenAt: () => options.written.now(),
      uuid: () => events.id(),
      randomHex: (bytes) => options.random.hex(bytes),
      seal: (text) => secrets.seal(text),
    },
    commits: new Commits({ writer: store.writes, handlerTimeout: model.limits.handlerTimeout, onCommit }),
    idempotency: new Idempotency({ store: store.idempotencyRecords, now, digest }),
    etags: new ETags({ id, at: since, date: httpDate(since) }, digest, variantOf),
    items: new ItemCache(),
    pages: createPageCache(),
    bodies: createCompressionCache(),
    descriptions: new Descriptions(model, digest),
    events,
    eventSource: { log: store.events, origin: options.origin },
    application: { ...services, ...webhooks?.hookServices },
    observe,
  };
}

/** What is measured at each scrape, and by each request. */
function measuring(
  { metrics, store }: CompleteApiOptions,
  { items, pages, bodies }: Services,
): Pick<PipelineOptions, 'metrics' | 'active'> {
  if (metrics === null) return { metrics: () => Promise.resolve(''), active: null };
  const active = new ActiveRequests();
  metrics.setSource('api', apiMetrics({ store, active, caches: { items, pages, bodies } }));
  return { metrics: metrics.text, active };
}

/** What identifies callers, and counts their requests. */
function callerServices(options: CompleteApiOptions): Pick<PipelineOptions, 'tokens' | 'gateway' | 'rates'> {
  const gateway = options.model.auth?.gateway ?? null;
  return {
    tokens: tokensOf(options),
    gateway: gateway === null ? null : createGateway(gateway.secret),
    rates: ratesOf(options),
  };
}

/** The verifier of tokens, and of the API keys that the store has. */
function tokensOf({ model, store, tokens, clock }: CompleteApiOptions): TokenVerifier | null {
  const resource = model.auth?.apiKeys ?? null;
  if (resource === null || tokens === null) return tokens;
  const rows = VisibleRows.unrestricted(store);
  const stamp = (): MaybePromise<number> => chain(rows.resourceStamps([resource]), ([first = 0]) => first);
  const find = (prefix: string): MaybePromise<readonly StoredApiKey[]> =>
    chain(rows.list(apiKeysRead(resource, prefix)), (page) => page.rows.map(storedApiKey));
  return withApiKeys(tokens, new ApiKeyVerifier({ find, stamp, digest: secretDigest, now: () => clock.now() }));
}

/** What the model says of every exchange, before it is routed. */
function exchangeRules({ base, model }: Contract): Pick<ExchangeSources, 'versionedPath' | 'originAccess'> {
  return { versionedPath: versionedPath(base), originAccess: compileCors(model.cors) };
}
