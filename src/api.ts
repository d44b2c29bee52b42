import process from 'node:process';
import { type ApiOptions, type CompleteApiOptions, withDefaults } from './api-options.ts';
import { compileCors } from './conventions/headers/cors.ts';
import { httpDate } from './conventions/headers/http-date.ts';
import { composeRecordedChanges, type RecordedChanges } from './events/foreign-changes.ts';
import { EventFeeds } from './events/feed/event-feeds.ts';
import { composeRelays, type Relays } from './events/relays/compose-relays.ts';
import { composeWebhooks, type Webhooks } from './events/webhooks/compose-webhooks.ts';
import { webhookSeal } from './events/webhooks/webhook-seal.ts';
import { fileNames } from './describe/console/open-console.ts';
import { type Agents, openAgents } from './mcp/open-agents.ts';
import type { Model } from './model/model.ts';
import { rowTransfer, type RowTransfer } from './row-transfer.ts';
import { apiMetrics } from './pipeline/measure/api-metrics.ts';
import { ActiveRequests } from './pipeline/measure/active-requests.ts';
import type { EventContext } from './plan/events/change-event.ts';
import { findResourceUrl } from './plan/routes/protected-resource.ts';
import type { LinkBase } from './plan/routes/url-builder.ts';
import { Callers } from './operations/principal.ts';
import { compileContracts } from './contract/compile-contracts.ts';
import { type Contract, type Contracts, versionedBase } from './contract/contract.ts';
import type { Handler } from './exchange/handler.ts';
import { createPipeline, type PipelineOptions } from './pipeline/pipeline.ts';
import { createRates } from './operations/quota.ts';
import { type ExchangeSources, versionedPath } from './pipeline/receive.ts';
import { apiKeysRead, findParent, limitByParents, storedApiKey } from './operations/read/api-keys.ts';
import { createCompressionCache } from './represent/content-encoding.ts';
import { Descriptions } from './operations/read/descriptions.ts';
import { type Epoch, ETags } from './operations/etags.ts';
import { compileVariants } from './contract/variants.ts';
import { ItemCache } from './operations/read/item-cache.ts';
import { createPageCache } from './operations/read/page-cache.ts';
import { VisibleRows } from './operations/visible-rows.ts';
import type { Services } from './pipeline/services.ts';
import { followStore } from './operations/write/follow-store.ts';
import { Commits } from './operations/write/commits.ts';
import { Idempotency } from './operations/write/idempotency.ts';
import { digest, secretDigest } from './platform/digest.ts';
import type { MaybePromise } from './platform/maybe-promise.ts';
import { once } from './platform/once.ts';
import { programVersion } from './platform/process/program-version.ts';
import { ApiKeyVerifier, type StoredApiKey, withApiKeys } from './auth/api-keys.ts';
import { createGateway } from './auth/gateway.ts';
import { NO_TOKENS, type TokenVerifier } from './auth/token-verifier.ts';
import { createSeal, type Seal } from './platform/seal.ts';

/** By the value of the label `cache`. */
type ApiCaches = NonNullable<TokenVerifier['caches']>;

export type { ApiOptions } from './api-options.ts';
export type { RowImportError, RowImportOutcome } from './operations/write/import.ts';

/**
 * An API: responds to requests, imports and exports rows.
 *
 * @example
 * ```ts
 * const { api }: { api: Api } = await startApi({ model, database: './notes.db' });
 * const server = createServer(createListener(api));
 * ```
 */
export interface Api extends Handler, RowTransfer, Pick<Contracts, 'servesMetrics' | 'consoleFiles'> {
  readonly model: Model;
  /** The deliveries to its webhooks, for the program that dispatches events; null where the model has none. */
  readonly webhooks: Webhooks | null;
  /** Its relays to brokers, for the program that dispatches events. */
  readonly relays: Relays;
  /** The recorded changes of other programs, for the program that dispatches events; null if none are recorded. */
  readonly foreignChanges: RecordedChanges | null;
  /** The ways of agents to it, for the program that serves its standard streams; null without the option `mcp`. */
  readonly agents: Agents | null;

  /** Ends all live feeds, and opens no more: call it before a server of the application waits for its responses. */
  endFeeds(): Promise<void>;

  /**
   * Called by each mount in a host application. The first call reports what is exposed where no authentication is
   * configured.
   */
  onMount(): void;
}

/**
 * Composes an API from its parts, for a store or a clock that `startApi` does not create.
 *
 * @example
 * ```ts
 * const store = await openSqlite({ path: './notes.db', model });
 * const api = await createApi({ model, store, clock: { now: () => Date.now() } });
 * ```
 */
export async function createApi(given: ApiOptions): Promise<Api> {
  const options = withDefaults(given);
  const { model, store } = options;
  await followStore({ ...options, newestTime: (until) => store.newestTime(until) });
  const secret = await readSecret(options);
  const seal = createSeal(secret, 'cursor');
  const agents = await openAgents({ ...options, mode: options.mcp, secret, findHandler: () => handler });
  const contracts = compileServed(options, seal);
  const { current } = contracts;
  const events = eventContext(options, current);
  const secrets = webhookSeal(secret);
  const webhooks = composeWebhooks({ ...options, contracts, events, seal: secrets });
  const relays = composeRelays({ ...options, contracts });
  const epoch = await openEpoch(options, seal);
  const services = createServices(options, { epoch, secrets, events, webhooks });
  const identities = callerServices(options);
  const caches = measuredCaches({ contracts, services, ...identities });
  const handler: Handler = createPipeline({
    contracts,
    services,
    findVariants: compileVariants({ contracts: contracts.all, epoch: epoch.id, digest }),
    sources: { ...exchangeSources(options, services), ...exchangeRules(current) },
    ...siteOptions(options, given.origin, { relays, agents }),
    ...identities,
    caches: [services.descriptions, ...Object.values(caches)],
    ...measuring(options, caches),
  });
  return {
    ...handler,
    ...rowTransfer({ contract: current, store, ...identities, tokens: identities.tokens ?? NO_TOKENS, services }),
    model,
    ...servedRoutes(contracts),
    webhooks,
    relays,
    foreignChanges: composeRecordedChanges({ ...options, events, onCommit: () => services.commits.announce() }),
    agents,
    endFeeds: () => services.feeds.end(),
    onMount: once(() => reportOpenMount(model, services)),
  };
}

/** The names by which an API is reached, those that `Host` may have and that of its resource, and what it reports. */
function siteOptions(
  { model, store, allowAnyHost, notReadyReason, serverTiming, consoleFiles }: CompleteApiOptions,
  origin: ApiOptions['origin'],
  { relays: { rows }, agents }: Pick<Api, 'relays' | 'agents'>,
): Pick<
  PipelineOptions,
  'hosts' | 'resource' | 'notReadyReason' | 'serverTiming' | 'store' | 'relayLags' | 'agents' | 'console'
> {
  return {
    store,
    console: consoleFiles,
    agents: agents?.endpoint ?? null,
    relayLags: rows === null ? null : () => rows.lags(),
    notReadyReason,
    serverTiming,
    hosts: allowAnyHost || model.auth !== null ? 'any' : 'loopback',
    resource: () => findResourceUrl(model, origin?.() ?? null),
  };
}

/** Compiles the contracts of an API, with the routes that it serves by its options. @param seal of cursors */
function compileServed(options: CompleteApiOptions, seal: Seal): Contracts {
  const { model, observe, serveMetrics, metrics, mcp } = options;
  const consoleFiles = fileNames(options.consoleFiles);
  const served = { servesMetrics: serveMetrics && metrics !== null, servesAgents: mcp !== null, consoleFiles };
  return compileContracts(model, { seal, observe, ...served });
}

function servedRoutes({ servesMetrics, consoleFiles }: Contracts): Pick<Api, 'servesMetrics' | 'consoleFiles'> {
  return { servesMetrics, consoleFiles };
}

/** The secret that the model declares, or that of the database. */
async function readSecret({ model, store }: CompleteApiOptions): Promise<Uint8Array> {
  return model.secret === null ? store.secret() : new TextEncoder().encode(model.secret);
}

/** Selects the time, the ids and the random values of exchanges. */
function exchangeSources(
  options: CompleteApiOptions,
  { sources: { now, uuid } }: Services,
): Omit<ExchangeSources, keyof ReturnType<typeof exchangeRules>> {
  const randomHex = (bytes: number): string => options.random.hex(bytes);
  return { now, uuid, randomHex, elapsed: options.elapsed, timed: options.traces !== null || options.serverTiming };
}

function reportOpenMount({ name, basePath, auth }: Model, { observe }: Pick<Services, 'observe'>): void {
  if (auth === null) observe({ kind: 'mounted-without-auth', name, basePath });
}

/** Makes the context of the events of an API. */
function eventContext({ model, origin, ids }: CompleteApiOptions, { urls }: Contract): EventContext {
  const base = (): LinkBase => versionedBase(model, model.publicUrl ?? origin());
  return { model, urls, base, id: () => ids.uuid() };
}

function createFeeds(options: CompleteApiOptions): EventFeeds {
  const { model, store } = options;
  return new EventFeeds({
    ...options,
    log: store.events,
    limits: model.limits.feeds,
    tokens: createTokenVerifier(options),
  });
}

/** Opens the cache epoch of the database. It ends when representations have other bytes. @param seal of cursors */
async function openEpoch({ model, store, clock }: CompleteApiOptions, seal: Seal): Promise<Epoch> {
  // Cursors are part of pages, and compressed bytes depend on the version of Node.js.
  const representation = [model.fingerprint, programVersion(), process.version, seal.seal('')];
  const { id, since } = await store.cacheEpoch(digest(representation.join('\n')), clock.now());
  return { id, at: since, date: httpDate(since) };
}

interface ServiceParts {
  readonly epoch: Epoch;
  readonly secrets: Seal;
  readonly events: EventContext;
  readonly webhooks: Webhooks | null;
}

function createServices(options: CompleteApiOptions, { epoch, secrets, events, webhooks }: ServiceParts): Services {
  const { model, store, clock, onCommit, observe, services } = options;
  const now = (): number => clock.now();
  const feeds = createFeeds(options);
  const committed = (): void => {
    feeds.wake();
    onCommit();
  };
  return {
    sources: {
      now,
      writtenAt: () => options.written.now(),
      uuid: () => events.id(),
      randomHex: (bytes) => options.random.hex(bytes),
      seal: (text) => secrets.seal(text),
    },
    commits: new Commits({ writer: store.writes, handlerTimeout: model.limits.handlerTimeout, onCommit: committed }),
    idempotency: new Idempotency({ store: store.idempotencyRecords, now, digest }),
    etags: new ETags(epoch, digest),
    items: new ItemCache(),
    pages: createPageCache(),
    bodies: createCompressionCache(),
    descriptions: new Descriptions(model, digest),
    events,
    eventSource: { log: store.events, origin: options.origin },
    feeds,
    application: { ...services, ...webhooks?.hookServices },
    observe,
  };
}

interface CacheOwners extends Pick<PipelineOptions, 'tokens' | 'callers' | 'contracts'> {
  readonly services: Services;
}

/** The caches of an API by their names in metrics. All of them are cleared when it is idle. */
function measuredCaches({ tokens, callers, contracts, services: { items, pages, bodies } }: CacheOwners): ApiCaches {
  const ofCallers = { callers: callers.cache, verdicts: items.verdicts, ...contracts.caches };
  return { items, pages, bodies, ...(tokens === null ? {} : { ...tokens.caches, ...ofCallers }) };
}

/** Measures an API at each scrape, and with each request. */
function measuring(
  { metrics, store }: CompleteApiOptions,
  caches: ApiCaches,
): Pick<PipelineOptions, 'metrics' | 'active'> {
  if (metrics === null) return { metrics: () => Promise.resolve(''), active: null };
  const active = new ActiveRequests();
  metrics.setSource('api', apiMetrics({ store, active, caches }));
  return { metrics: metrics.text, active };
}

/** Identifies callers, and counts their requests. */
function callerServices(
  options: CompleteApiOptions,
): Pick<PipelineOptions, 'tokens' | 'gateway' | 'callers' | 'rates'> {
  const gateway = options.model.auth?.gateway ?? null;
  return {
    tokens: createTokenVerifier(options),
    gateway: gateway === null ? null : createGateway(gateway.secret),
    callers: new Callers(options.model),
    rates: createRates(options),
  };
}

/** The verifier of tokens, and of the API keys that the store has. */
function createTokenVerifier({ model, store, tokens, clock }: CompleteApiOptions): TokenVerifier | null {
  const resource = model.auth?.apiKeys ?? null;
  if (resource === null || tokens === null) return tokens;
  const rows = VisibleRows.unrestricted(store);
  const stamps = (): MaybePromise<readonly number[]> => rows.resourceStamps([resource]);
  const find = async (prefix: string): Promise<readonly StoredApiKey[]> => {
    const { rows: found } = await rows.list(apiKeysRead(resource, prefix));
    if (found.every((row) => findParent(row) === null)) return found.map(storedApiKey);
    const limited = await Promise.all(found.map((row) => limitByParents(row, resource, rows)));
    return limited.filter((key) => key !== null);
  };
  return withApiKeys(tokens, new ApiKeyVerifier({ find, stamps, digest: secretDigest, now: () => clock.now() }));
}

/** Compiles the rules of the model for every exchange, before it is routed. */
function exchangeRules({ base, model }: Contract): Pick<ExchangeSources, 'versionedPath' | 'originAccess'> {
  return { versionedPath: versionedPath(base), originAccess: compileCors(model.cors) };
}
