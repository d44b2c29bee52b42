import { setTimeout } from 'node:timers/promises';
import { type HttpServer, serveHttp } from '../../http/serve-http.ts';
import type { RateLender } from '../../limits/leased-rate-limiter.ts';
import { LoopIteration } from '../../limits/loop-iteration.ts';
import {
  type DelayMonitor,
  MAX_ITERATION,
  monitorDelay,
  monitorOverload,
  type OverloadOptions,
} from '../../limits/overload.ts';
import type { LoadedModel } from '../../model/compile/load-model.ts';
import type { Limits, Model } from '../../model/model.ts';
import type { Metrics } from '../../observe/metrics/metrics.ts';
import { type Observe, observeAll } from '../../observe/observation.ts';
import type { StartApiOptions, StartedApi } from '../../start-api.ts';
import { monotonicNow } from '../../platform/clock.ts';
import { settlesWithin } from '../../platform/timeout.ts';
import { selectKind } from '../../stores/databases/databases.ts';
import { commandFailed } from '../command-error.ts';
import { openDatabase } from '../open-database.ts';
import { databaseFile, isMissingFile, usedDatabase } from '../database-settings.ts';
import { requireAccess, type ServeSettings } from '../settings.ts';
import { readStopSignal, type Terminal, waitForStop } from '../terminal/terminal.ts';
import { localAddress, openServer, serverUrl } from './address.ts';
import { listenForMetrics } from './metrics-listener.ts';
import { ReloadableApi } from './reloadable-api.ts';
import { type ServedSummary, summarize } from './served-summary.ts';
import { watchModel } from './watch-model.ts';

export interface RunServerOptions {
  /** Path of the model, which `--dev` watches. */
  readonly file: string;
  readonly loaded: LoadedModel;
  readonly settings: ServeSettings;
  readonly observe: Observe;
  readonly terminal: Terminal;
  /** True if other processes listen on the same port. */
  readonly reusePort: boolean;
  /** True if this process creates and migrates the database; if not, its schema must match the model. */
  readonly migrate: boolean;
  /** True if this process dispatches events. */
  readonly dispatch: boolean;
  /** Measures the API; closed at the end. */
  readonly metrics: Metrics;
  /** Makes spans; null where no SDK of OpenTelemetry is there. */
  readonly traces: Observe | null;
  /** Lends what callers may use, where several processes serve them; null where this one counts alone. */
  readonly rateLender: RateLender | null;
  /** Called when the server accepts requests. */
  readonly onListening: (at: ListeningAddress) => void;
}

/** The address of a server, and the model that it serves. */
export interface ListeningAddress {
  /** The URL of the API. */
  readonly url: string;
  readonly port: number;
  readonly summary: ServedSummary;
}

/**
 * Opens the API, listens, and shuts down gracefully when a signal stops the process.
 *
 * @throws {CommandError} exit 1 for an unavailable database or address; exit 2 for settings that the model forbids
 */
export async function runServer(options: RunServerOptions): Promise<void> {
  const { loaded, settings, metrics } = options;
  const { limits } = loaded.model;
  const signal = options.terminal.stopSignal();
  const observe = observeAll(options.observe, metrics.observe);
  const delay = monitorDelay();
  let api: ReloadableApi | null = null;
  const queuedWrites = (): number => api?.pendingWrites ?? 0;
  const overload = monitorOverload({ limits, ...delaySources(delay, limits), queuedWrites, observe });
  const address = { origin: '' };
  let deadline = monotonicNow() + limits.shutdownTimeout;
  const shutdownTimeout = (): number => Math.max(0, deadline - monotonicNow());
  const notReadyReason = (): string | null => (signal.aborted ? STOPPING : overload.reason());
  const open = apiOpener(options, { origin: () => address.origin, notReadyReason, shutdownTimeout, signal });
  // Workers are asked by their supervisor.
  const listener = options.reusePort ? null : await listenForMetrics(settings, metrics.text, observe);
  try {
    api = await openUnlessStopped(open(loaded), signal);
    if (api === null || signal.aborted) return;
    const { host, port, dev } = settings;
    const sharing = options.reusePort;
    const served = { api, observe, overloaded: overload.overloaded, host, port, sharing };
    const server = await openServer(() => serveHttp(served));
    address.origin = serverUrl(server.address, server.port, '');
    const watching = dev ? watchModel({ ...options, api, open, signal }) : null;
    const listening = await listeningAddress(server, api, options);
    observe({ kind: 'listening', url: listening.url, allowAnyHost: settings.insecurePublic });
    options.onListening(listening);
    await waitForStop(signal);
    deadline = monotonicNow() + settings.drain + limits.shutdownTimeout;
    await closeServer(server, { signal, drain: settings.drain, observe });
    if (watching !== null) await settlesWithin(watching, shutdownTimeout());
  } finally {
    overload.close();
    delay.close();
    await api?.close(shutdownTimeout());
    await listener?.close();
    metrics.close();
  }
}

async function listeningAddress(
  { address, port }: HttpServer,
  { rows }: ReloadableApi,
  { settings, loaded: { model } }: RunServerOptions,
): Promise<ListeningAddress> {
  const database = databaseFile(settings.database, model.name);
  const reachable = {
    database: selectKind(database).display(database),
    origin: serverUrl(localAddress(address), port, ''),
    hasConsole: servesConsole(settings, model),
  };
  return { url: serverUrl(address, port, model.basePath), port, summary: await summarize(model, rows, reachable) };
}

function servesConsole(settings: Pick<ServeSettings, 'console'>, model: Pick<Model, 'console'>): boolean {
  return settings.console || model.console !== null;
}

type ServerState = Required<Pick<StartApiOptions, 'origin' | 'notReadyReason' | 'shutdownTimeout' | 'signal'>>;

/** Opens the API of a model on its database: of the first one, and of each that is reloaded. */
function apiOpener(
  { file: modelFile, settings, migrate, dispatch, rateLender, metrics, traces, observe }: RunServerOptions,
  state: ServerState,
): (loaded: LoadedModel) => Promise<StartedApi> {
  const { insecurePublic: allowAnyHost, dev: loopbackWebhooks } = settings;
  const opened = new Set<string>();
  return async ({ model, services }) => {
    requireAccess(model, settings);
    const chosen = usedDatabase(settings.database, model.name);
    const { database } = chosen;
    // A reload must not begin an empty database in the place of one that was moved or deleted meanwhile.
    if (opened.has(database) && isMissingFile(chosen)) {
      throw commandFailed(`the database ${database} was moved or deleted. Put it back, then restart the server.`);
    }
    opened.add(database);
    const redis = settings.redis ?? undefined;
    const { mcp, readOnly, dev: consolePaste } = settings;
    const page = { console: servesConsole(settings, model), consolePaste };
    const served = { model, modelFile, services, ...chosen, readOnly, migrate, dispatch, rateLender, redis, mcp };
    const measured = { metrics, serveMetrics: settings.metrics === null, traces, serverTiming: settings.dev };
    return openDatabase({ ...served, ...page, ...measured, observe, allowAnyHost, loopbackWebhooks, ...state });
  };
}

/** Null where a signal stopped the process while another one held the database. */
async function openUnlessStopped(opening: Promise<StartedApi>, signal: AbortSignal): Promise<ReloadableApi | null> {
  try {
    return new ReloadableApi(await opening);
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

/**
 * The delay of the event loop, as measured before and within the current iteration. Without a queue of requests it is
 * none.
 */
function delaySources(
  delay: DelayMonitor,
  { eventLoopDelay }: Limits,
): Pick<OverloadOptions, 'delay' | 'recordRequest'> {
  const iteration = new LoopIteration(eventLoopDelay * MAX_ITERATION);
  return {
    delay: () => (iteration.hasQueue ? delay.read() : 0),
    recordRequest: (inFlight) => iteration.recordRequest(inFlight),
  };
}

/** The reason for which `/readyz` responds 503 once a signal has stopped the process. */
const STOPPING = 'it is about to stop';

interface CloseServerOptions {
  readonly signal: AbortSignal;
  /** Milliseconds in which proxies notice that this server is not ready. */
  readonly drain: number;
  readonly observe: Observe;
}

async function closeServer(server: HttpServer, { signal, drain, observe }: CloseServerOptions): Promise<void> {
  observe({ kind: 'stopping', signal: readStopSignal(signal) });
  if (drain > 0) await setTimeout(drain);
  await server.acceptPending();
  observe({ kind: 'stopped', unfinished: await server.close() });
}
