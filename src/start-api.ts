import { type Api, createApi } from './api.ts';
import { type ApiOptions, joinObservers } from './api-options.ts';
import { openVerifier } from './auth/open-verifier.ts';
import type { TokenVerifier } from './auth/token-verifier.ts';
import { afterHooks } from './events/after-hooks.ts';
import { eventMetrics } from './events/event-metrics.ts';
import { type Dispatch, type DispatchOptions, startDispatch } from './events/dispatch.ts';
import { ForeignChangeLoop } from './events/foreign-changes.ts';
import { startRetention } from './events/retention/retention.ts';
import type { Broker } from './events/relays/broker.ts';
import { openRelays } from './events/relays/compose-relays.ts';
import { openBroker } from './events/relays/open-broker.ts';
import { webhookSender, type WebhookSender } from './events/webhooks/sender.ts';
import { RequestLoop } from './events/webhooks/webhook-requests.ts';
import { localLender } from './limits/lending-buckets.ts';
import { type OpenedLender, openRedisLender } from './limits/open-redis-lender.ts';
import { loadModel } from './model/compile/load-model.ts';
import { readOnlyModel } from './model/compile/read-only-model.ts';
import type { Model } from './model/model.ts';
import type { RelayTarget } from './model/relay-settings.ts';
import { type DefinedModel, isDefinedModel } from './model/typescript/define-model.ts';
import type { HookServices } from './model/hooks.ts';
import type { Observe } from './observe/observation.ts';
import { type Clock, monotonicNow, systemClock } from './platform/clock.ts';
import { createRandom, type Random } from './platform/random.ts';
import { selectKind, type StoreOptions } from './stores/databases/databases.ts';
import type { DriverName } from './stores/sqlite/driver/driver.ts';
import type { Store } from './stores/store.ts';

/**
 * The options of an API on a database of SQLite or PostgreSQL.
 *
 * @example
 * ```ts
 * const options: StartApiOptions = { model, database: 'postgres://api@localhost/shop' };
 * ```
 */
export interface StartApiOptions
  extends Pick<
    ApiOptions,
    | 'services'
    | 'tokens'
    | 'observe'
    | 'metrics'
    | 'traces'
    | 'serverTiming'
    | 'serveMetrics'
    | 'mcp'
    | 'console'
    | 'consolePaste'
    | 'allowAnyHost'
    | 'origin'
    | 'notReadyReason'
    | 'rateLender'
    | 'webhookSender'
    | 'clock'
    | 'ids'
  > {
  /**
   * The Redis or Valkey through which all instances of the API share its rate limits:
   * `redis[s]://[[user]:password@]host[:port][/database]`. Needs the package `@redis/client`. Default: each instance
   * admits its share (`limits.rate.instances`).
   */
  readonly redis?: string | undefined;
  /** The result of `defineModel`, or the `model` of that of `loadModel`. */
  readonly model: Model | DefinedModel;
  /**
   * Path of the SQLite file, created if it is missing; `:memory:` for a database that ends with the API. Or the URL of
   * a database of PostgreSQL: `postgres://user@host:port/database?sslmode=verify-full&sslrootcert=FILE&schema=NAME`.
   * That needs the package `pg`.
   */
  readonly database: string;
  /** The password for the database of PostgreSQL, in place of one in its URL. */
  readonly databasePassword?: string | undefined;
  /**
   * URLs of streaming replicas of the PostgreSQL, which answer reads of pages where they have everything that was
   * acknowledged. One that is away, behind or not a replica is left out until that has changed. A file of SQLite has
   * none. Default: none.
   */
  readonly replicas?: readonly string[];
  /** The library that opens the file. Default: better-sqlite3, or `node:sqlite` where that cannot be loaded. */
  readonly driver?: DriverName | undefined;
  /** The folder where relative paths of `jwks_file` in the model start. Default: the working directory. */
  readonly folder?: string;
  /** Fetches the keys of issuers. Default: that of Node.js. */
  readonly fetch?: typeof globalThis.fetch;
  /**
   * True if the file is created and migrated to the model; if not, it must exist with the schema of the model. Default:
   * true.
   */
  readonly migrate?: boolean;
  /**
   * True if the tables of another program, which the model shows, are only read. Nothing is then created in their
   * database. Default: false.
   */
  readonly readOnly?: boolean;
  /** Aborts the wait for another process that has locked the database: `startApi` rejects with the reason. */
  readonly signal?: AbortSignal;
  /**
   * True if this process runs the `after` hooks, delivers to webhooks and brokers, and removes old events. Default:
   * true.
   */
  readonly dispatch?: boolean;
  /** Opens the broker of a relay. Default: by the package of its client. */
  readonly openBroker?: (target: RelayTarget) => Promise<Broker>;
  /** True if webhooks may call this machine, also by http: for development. Default: false. */
  readonly loopbackWebhooks?: boolean;
  /**
   * Milliseconds that `close` waits for `after` hooks; unfinished ones run again later. Default:
   * `limits.shutdown_timeout`.
   */
  readonly shutdownTimeout?: number | (() => number);
}

/**
 * An API and its database.
 *
 * @example
 * ```ts
 * await using started: StartedApi = await startApi({ model, database: './notes.db' });
 * ```
 */
export interface StartedApi extends AsyncDisposable {
  readonly api: Api;
  readonly store: Store;
  /** Stops the `after` hooks and closes the database. Call it after the last response was sent. */
  readonly close: () => Promise<void>;
}

/**
 * Opens a database, migrates it to the model and creates the API.
 *
 * @throws {ModelError} where the model is invalid, or has rows of its own with `readOnly`
 * @throws {UnusableKeys} where a file with keys of an issuer cannot be used
 * @throws {RedisClientMissing} where `redis` is given without the package `@redis/client`
 * @throws {BrokerPackageMissing} where the model has relays to a broker without the package of its client
 * @throws {AgentPackageMissing} where `mcp` is given without the package `@modelcontextprotocol/server`
 * @throws {LossySchemaChange} {SchemaViolation} {UnusableDatabase} with the database unchanged
 * @throws {InvalidDatabaseUrl} {PostgresDriverMissing} for a database of PostgreSQL
 *
 * @example
 * ```ts
 * const { model } = loadModel({ file: 'notes.yaml', text: await readFile('notes.yaml', 'utf8') });
 * const { api, close } = await startApi({ model, database: './notes.db' });
 * const server = await serveHttp({ api, port: 3000 });
 * ```
 */
export async function startApi(options: StartApiOptions): Promise<StartedApi> {
  const { model, services } = modelAndServices(options);
  const observe = joinObservers(options);
  const clock = options.clock ?? systemClock;
  const random = createRandom();
  const tokens = options.tokens ?? (await openTokenVerifier(model, { ...options, clock }, observe));
  const closers: (() => Promise<void>)[] = [];
  /** In reverse, also where the rest could not be opened. */
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).toReversed()) await closer();
  };
  try {
    const store = await openStore(options, { model, observe, clock, random });
    closers.push(() => store.close());
    const lender = await openLender(model, options, { observe, random });
    if (lender !== null) closers.push(lender.close);
    const rateLender = lender?.lender ?? options.rateLender ?? null;
    const sender = createSender(model, options);
    if (sender !== null) closers.push(async () => sender.close());
    let wake = (): void => undefined;
    const onCommit = (): void => wake();
    const parts = { model, services, tokens, store, clock, random, onCommit, rateLender };
    const api = await createApi({ ...options, ...parts, webhookSender: sender });
    const delivery = await startDelivery({ options, api, services, dispatch: { store, clock, random, observe } });
    wake = () => delivery.wake();
    closers.push(() => api.endFeeds());
    closers.push(() => delivery.stop(milliseconds(options.shutdownTimeout ?? model.limits.shutdownTimeout)));
    return { api, store, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens the store of a file, or of a URL. */
function openStore(
  { migrate = true, signal, ...reference }: StartApiOptions,
  parts: Required<Pick<StoreOptions, 'model' | 'observe' | 'clock' | 'random'>>,
): Promise<Store> {
  return selectKind(reference.database).open(reference, { migrate, signal, ...parts });
}

/** Creates the sender of webhooks; null if the model has none. */
function createSender({ webhooks }: Model, options: StartApiOptions): WebhookSender | null {
  if (webhooks === null) return null;
  return options.webhookSender ?? webhookSender(webhooks, { loopback: options.loopbackWebhooks ?? false });
}

interface DeliveryParts {
  readonly options: StartApiOptions;
  readonly api: Api;
  readonly services: HookServices;
  readonly dispatch: Omit<DispatchOptions, 'subscribers'>;
}

/**
 * Starts to deliver events to hooks, webhooks and brokers, and to remove old ones, where this process does. `wake` is
 * called after each commit.
 *
 * @throws {BrokerPackageMissing}
 */
async function startDelivery({ options, api, services, dispatch: parts }: DeliveryParts): Promise<Dispatch> {
  const isHere = options.dispatch !== false;
  const found = isHere ? [afterHooks(api.model, services), api.webhooks?.subscriber ?? null] : [];
  const subscribers = found.filter((each) => each !== null);
  const { folder = '.', openBroker: open = (target) => openBroker(target, folder) } = options;
  const relays = isHere ? await openRelays(api.relays, open, parts.clock) : [];
  const held = isHere ? api.relays.subscriptions : [];
  const names = [...subscribers, ...held].map(({ name }) => name);
  options.metrics?.setSource('events', eventMetrics(parts.store, names));
  const dispatch = names.length === 0 ? null : startDispatch({ ...parts, subscribers, relays });
  const requests = isHere && api.webhooks !== null ? new RequestLoop(api.webhooks.requests, parts.clock) : null;
  const foreign =
    isHere && api.foreignChanges !== null ? new ForeignChangeLoop(api.foreignChanges, parts.observe) : null;
  foreign?.start();
  const retention = isHere ? startRetention({ ...parts, settings: api.model.events, subscribers, relays: held }) : null;
  return {
    wake() {
      dispatch?.wake();
      requests?.wake();
    },
    async stop(timeout) {
      await Promise.all([
        dispatch?.stop(timeout),
        requests?.stop(timeout),
        foreign?.stop(timeout),
        retention?.stop(timeout),
      ]);
    },
  };
}

/** Redis, where it is named and the model has rate limits. @throws {RedisClientMissing} */
async function openLender(
  { name, limits: { rate } }: Model,
  { redis, rateLender }: StartApiOptions,
  { observe, random }: { readonly observe: Observe; readonly random: Random },
): Promise<OpenedLender | null> {
  if (redis === undefined || rate === null) return null;
  const fallback = rateLender ?? localLender(random.hex(8), monotonicNow);
  const { instances } = rate;
  return openRedisLender(redis, { name, id: random.hex(16), secret: random.hex(8), instances, fallback, observe });
}

/** The verifier of the tokens of a model; null where it has no `auth`. @throws {UnusableKeys} */
async function openTokenVerifier(
  { auth }: Model,
  { folder = '.', fetch = globalThis.fetch, clock }: StartApiOptions & { readonly clock: Clock },
  observe: Observe,
): Promise<TokenVerifier | null> {
  if (auth === null) return null;
  return openVerifier({ auth, folder, now: () => clock.now(), elapsed: monotonicNow, fetch, observe });
}

/** @throws {ModelError} */
function modelAndServices({ model: given, services, readOnly = false }: StartApiOptions): {
  readonly model: Model;
  readonly services: HookServices;
} {
  const loaded = isDefinedModel(given) ? loadModel(given) : { model: given, services: {} };
  const model = readOnly ? readOnlyModel(loaded.model) : loaded.model;
  return { model, services: services ?? loaded.services };
}

function milliseconds(timeout: number | (() => number)): number {
  return typeof timeout === 'number' ? timeout : timeout();
}
