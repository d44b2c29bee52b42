import { once } from 'node:events';
import process from 'node:process';
import { type HttpServer, serveHttp, type ServeHttpOptions } from '../../http/serve-http.ts';
import {
  type DelayMonitor,
  MAX_ITERATION,
  monitorDelay,
  type OverloadOptions,
  monitorOverload,
} from '../../limits/overload.ts';
import { LoopIteration } from '../../limits/loop-iteration.ts';
import type { LoadedModel } from '../../model/load-model.ts';
import type { Limits } from '../../model/model.ts';
import type { Observe } from '../../observe/observation.ts';
import type { OpenApiOptions } from '../../open-api.ts';
import { monotonicNow } from '../../platform/clock.ts';
import { boundHeap } from '../../platform/heap-bounds.ts';
import { settlesWithin } from '../../platform/timeout.ts';
import { serverUrl } from './address.ts';
import { commandFailed } from '../command-error.ts';
import { ReloadableApi } from './reloadable-api.ts';
import { watchModel } from './watch-model.ts';
import { openDatabase, type OpenedApi } from '../open-database.ts';
import { databaseFile, type ServeSettings } from '../settings.ts';
import { signalOf, type Terminal } from '../terminal/terminal.ts';

/** What is served, and how. */
export interface RunServerOptions {
  /** The model's file, for `--dev`. */
  readonly file: string;
  readonly loaded: LoadedModel;
  readonly settings: ServeSettings;
  readonly observe: Observe;
  readonly terminal: Terminal;
  /** Whether other processes listen on the port too. */
  readonly sharing: boolean;
  /** Whether this process brings the database to the model; else it must be so already. */
  readonly prepare: boolean;
  /** Whether events go from here to where they must. */
  readonly dispatch: boolean;
  /** Told once requests are answered, and where. */
  readonly onListening: (at: ListeningAddress) => void;
}

/** Where requests are answered. */
export interface ListeningAddress {
  /** Of the API. */
  readonly url: string;
  readonly port: number;
}

/**
 * Opens the API, listens, and ends in order when a signal asks to stop.
 *
 * @throws {CommandFailure} exit 1 for a database or an address that cannot be had
 */
export async function runServer(serving: RunServerOptions): Promise<void> {
  const { loaded, settings, observe, terminal, sharing } = serving;
  const { model } = loaded;
  const stop = terminal.stopSignal();
  const delay = monitorDelay();
  let api: ReloadableApi | null = null;
  const queuedWrites = (): number => api?.waiting ?? 0;
  const overload = monitorOverload({ limits: model.limits, ...lateness(delay, model.limits), queuedWrites, observe });
  const { overloaded } = overload;
  const address = { origin: '' };
  let stopped = monotonicNow() + model.limits.shutdownTimeout;
  const left = (): number => Math.max(0, stopped - monotonicNow());
  const open = opener(serving, {
    origin: () => address.origin,
    notReadyReason: () => overload.reason(),
    shutdownTimeout: left,
    signal: stop,
  });
  try {
    api = await unlessStopped(open(loaded), stop);
    if (api === null || stop.aborted) return;
    const { host, port, dev } = settings;
    const server = await listen({ api, observe, overloaded, host, port, sharing });
    address.origin = serverUrl(server.address, server.port, '');
    const following = dev ? watchModel({ ...serving, api, open, signal: stop }) : null;
    announce({ url: `${address.origin}${model.basePath}`, port: server.port }, serving);
    await asked(stop, terminal);
    stopped = monotonicNow() + model.limits.shutdownTimeout;
    await end(server, stop, observe);
    if (following !== null) await settlesWithin(following, left());
  } finally {
    overload.close();
    delay.close();
    await api?.close(left());
  }
}

/** Opens a model on its database: the one that is served first, and each that is served after it. */
function opener(
  { settings, prepare, dispatch, observe }: RunServerOptions,
  surroundings: Required<Pick<OpenApiOptions, 'origin' | 'notReadyReason' | 'shutdownTimeout' | 'signal'>>,
): (loaded: LoadedModel) => Promise<OpenedApi> {
  return ({ model, services }) => {
    const database = databaseFile(settings.database, model.name);
    return openDatabase({
      model,
      services,
      database,
      migrate: prepare,
      dispatch,
      observe,
      allowAnyHost: settings.open,
      ...surroundings,
    });
  };
}

/** What is opened, or null where a signal came before another process let go of the database. */
async function unlessStopped(opening: Promise<OpenedApi>, stop: AbortSignal): Promise<ReloadableApi | null> {
  try {
    return new ReloadableApi(await opening);
  } catch (error) {
    if (stop.aborted) return null;
    throw error;
  }
}

/** How late requests are answered, by the past and by the turn that they come in. */
function lateness(delay: DelayMonitor, { eventLoopDelay }: Limits): Pick<OverloadOptions, 'delay' | 'recordRequest'> {
  const iteration = new LoopIteration(eventLoopDelay * MAX_ITERATION);
  return { delay: () => delay.read(), recordRequest: () => iteration.recordRequest() };
}

async function listen(options: ServeHttpOptions): Promise<HttpServer> {
  try {
    return await serveHttp(options);
  } catch (error) {
    throw commandFailed(error instanceof Error ? error.message : String(error));
  }
}

function announce(at: ListeningAddress, { settings, observe, onListening }: RunServerOptions): void {
  observe({ kind: 'listening', url: at.url, allowAnyHost: settings.open });
  onListening(at);
}

/** Until a signal asks to stop the process does nothing but serve, and its heap is bounded. */
async function asked(stop: AbortSignal, { env }: Terminal): Promise<void> {
  const release = boundHeap([...process.execArgv, env['NODE_OPTIONS'] ?? '']);
  if (!stop.aborted) await once(stop, 'abort');
  release();
}

async function end(server: HttpServer, stop: AbortSignal, observe: Observe): Promise<void> {
  observe({ kind: 'stopping', signal: signalOf(stop) });
  observe({ kind: 'stopped', unfinished: await server.close() });
}
