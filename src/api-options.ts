import { setTimeout } from 'node:timers/promises';
import { NO_TOKENS, type TokenVerifier } from './auth/token-verifier.ts';
import type { WebhookSender } from './events/webhooks/sender.ts';
import type { RateLender } from './limits/leased-rate-limiter.ts';
import type { ConsoleFiles } from './describe/console/console-files.ts';
import { openConsole } from './describe/console/open-console.ts';
import type { AgentMode } from './mcp/tools.ts';
import { hasRoles } from './model/auth-rules.ts';
import type { Model } from './model/model.ts';
import type { HookServices } from './model/hooks.ts';
import type { Metrics } from './observe/metrics/metrics.ts';
import { type Observe, observeAll } from './observe/observation.ts';
import { safeObserver } from './observe/safe-observer.ts';
import { standardErrorLog } from './observe/standard-error-log.ts';
import { type Clock, MonotonicClock, monotonicNow, systemClock } from './platform/clock.ts';
import { createIds, type Ids } from './platform/ids.ts';
import { createRandom, type Random } from './platform/random.ts';
import type { Store } from './stores/store.ts';

/** The parts of an API. Only the model and the store are required. */
export interface ApiOptions {
  readonly model: Model;
  readonly store: Store;
  /** Services of the application that hooks receive, as `loadModel` returns them. Default: none. */
  readonly services?: HookServices;
  /**
   * Receives every observation: requests, errors. What it throws is ignored. Default: warnings and errors are logged on
   * standard error.
   */
  readonly observe?: Observe;
  /**
   * True if a server of our own accepts every `Host` (AUTH-7). Default: false, only loopback names are. In a host
   * application, the option `hosts` of the mount says it.
   */
  readonly allowAnyHost?: boolean;
  /** Verifies the bearer tokens of a model with `auth`. Default: none, which refuses every token. */
  readonly tokens?: TokenVerifier | null;
  /** The scheme and authority of URLs in events when the model has no `public_url`. Default: `http://localhost`. */
  readonly origin?: () => string;
  /** Measures the API. Default: nothing is measured, which costs nothing. */
  readonly metrics?: Metrics | null;
  /**
   * Receives every observation too, with the times of stages: an observer of `restwright/opentelemetry`. What it throws
   * is ignored. Default: none, and no stage is timed.
   */
  readonly traces?: Observe | null;
  /** True if each response says how long its stages took (`Server-Timing`), for development. Default: false. */
  readonly serverTiming?: boolean;
  /**
   * True if the API serves its metrics at `/metrics` of the origin (OPS-2); with `auth` under the scope `metrics:read`.
   * Default: false.
   */
  readonly serveMetrics?: boolean;
  /**
   * Serves agents at `mcp` below the base path, by the Model Context Protocol (OPS-8): `read` for tools that read,
   * `write` for those that write too. Needs the package `@modelcontextprotocol/server`. Default: null, no agents.
   */
  readonly mcp?: AgentMode | null;
  /**
   * Serves the console at `/console` (OPS-10): true for that of this package, or the folder of another build. Default:
   * as the model declares it.
   */
  readonly console?: boolean | { readonly folder: string };
  /** True if a person may give the console a token or an API key, in place of signing in. Default: false. */
  readonly consolePaste?: boolean;
  /** Called after every commit. */
  readonly onCommit?: () => void;
  /** The reason for which `/readyz` responds 503; null when the server is ready. Default: always ready. */
  readonly notReadyReason?: () => string | null;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Monotonic milliseconds from an arbitrary start, for the durations of requests. Default: `performance.now`. */
  readonly elapsed?: () => number;
  /** Default: UUIDv7 that ascend within the process. */
  readonly ids?: Ids;
  /** Default: the cryptographic generator of Node. */
  readonly random?: Random;
  /**
   * Lends what callers may use, where several processes serve one API; null where this one counts alone. Default: null.
   */
  readonly rateLender?: RateLender | null;
  /**
   * Sends webhooks, and knows the hosts to which they may go. Default: one with the resolver of the system, which
   * allows no loopback address.
   */
  readonly webhookSender?: WebhookSender | null;
  /** Waits for a number of milliseconds. Default: a timer. */
  readonly sleep?: (milliseconds: number) => Promise<unknown>;
}

/** The observers of an API. */
type Observers = Pick<ApiOptions, 'observe' | 'metrics' | 'traces'>;

/** The options, and the clock of what is written. */
export interface CompleteApiOptions extends Required<ApiOptions> {
  readonly written: MonotonicClock;
  readonly consoleFiles: ConsoleFiles;
}

/**
 * The options of an API, those that are not given with their defaults.
 *
 * @throws {Error} where the store has no roles for callers of the model
 * @throws {ConsoleMissing}
 */
export function withDefaults(given: ApiOptions): CompleteApiOptions {
  if (hasRoles(given.model) && given.store.rowsAs === undefined)
    throw new Error('auth.database_role needs a store with roles: PostgreSQL');
  const { clock = systemClock, random = createRandom(), metrics = null, traces = null } = given;
  const written = new MonotonicClock(clock);
  const { console: served = given.model.console !== null, consolePaste = false, serveMetrics = false } = given;
  const page = { console: served, consolePaste };
  return {
    services: {},
    tokens: given.model.auth !== null ? NO_TOKENS : null,
    serveMetrics: false,
    serverTiming: false,
    mcp: null,
    ...page,
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
    observe: joinObservers(given),
    clock,
    random,
    written,
    consoleFiles: openConsole({ ...page, model: given.model, metrics, serveMetrics }),
  };
}

/** One observer for all that an API has. An error of one affects no other. */
export function joinObservers({ observe = standardErrorLog(), metrics = null, traces = null }: Observers): Observe {
  const reported = safeObserver(observe);
  const measured = metrics === null ? reported : observeAll(reported, metrics.observe);
  return traces === null ? measured : observeAll(measured, safeObserver(traces));
}
