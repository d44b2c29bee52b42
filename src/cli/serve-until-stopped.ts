import { once } from 'node:events';
import { type HttpServer, serveHttp, type HttpOptions } from '../http/node-http.ts';
import { measureEventLoopDelay, watchOverload } from '../limits/overload.ts';
import type { LoadedModel } from '../model/load.ts';
import type { Observe } from '../observe/observation.ts';
import { serverUrl } from './address.ts';
import { refused } from './command-failure.ts';
import { ExchangeableApi } from './exchangeable-api.ts';
import { followModel } from './follow-model.ts';
import { openDatabase, type OpenedApi } from './open-database.ts';
import { databaseFile, type ServeSettings } from './settings.ts';
import { signalOf, type Terminal } from './terminal.ts';

/** What is served, and how. */
export interface Serving {
  /** The model's file, for `--dev`. */
  readonly file: string;
  readonly loaded: LoadedModel;
  readonly settings: ServeSettings;
  readonly observe: Observe;
  readonly terminal: Terminal;
}

/**
 * Opens the API, listens, and ends in order when a signal asks to stop.
 *
 * @throws {CommandFailure} exit 1 for a database or an address that cannot be had
 */
export async function serveUntilStopped(serving: Serving): Promise<void> {
  const { loaded, settings, observe, terminal } = serving;
  const { model } = loaded;
  const stop = terminal.stopRequested();
  const delay = measureEventLoopDelay();
  let api: ExchangeableApi | null = null;
  const waiting = (): number => api?.waiting ?? 0;
  const overload = watchOverload({ limits: model.limits, delay: () => delay.read(), waiting, observe });
  const { overloaded } = overload;
  const address = { origin: '' };
  const open = ({ model: declared, context }: LoadedModel): Promise<OpenedApi> => {
    const database = databaseFile(settings.database, declared.name);
    const origin = (): string => address.origin;
    return openDatabase({
      model: declared,
      context,
      database,
      observe,
      open: settings.open,
      origin,
      unready: () => overload.reason(),
    });
  };
  try {
    api = new ExchangeableApi(await open(loaded));
    const { host, port, dev } = settings;
    const server = await listen({ handler: api, limits: model.limits, observe, overloaded, host, port });
    address.origin = serverUrl(server.address, server.port, '');
    const following = dev ? followModel({ ...serving, api, open, stop }) : null;
    announce(`${address.origin}${model.basePath}`, serving);
    if (!stop.aborted) await once(stop, 'abort');
    await end(server, stop, observe);
    await following;
  } finally {
    overload.close();
    delay.close();
    await api?.close();
  }
}

async function listen(options: HttpOptions): Promise<HttpServer> {
  try {
    return await serveHttp(options);
  } catch (error) {
    throw refused(error instanceof Error ? error.message : String(error));
  }
}

function announce(url: string, { settings, observe, terminal }: Serving): void {
  observe({ kind: 'listening', url, open: settings.open });
  terminal.stdout.write(`listening on ${url}\n`);
}

async function end(server: HttpServer, stop: AbortSignal, observe: Observe): Promise<void> {
  observe({ kind: 'stopping', signal: signalOf(stop) });
  observe({ kind: 'stopped', unfinished: await server.close() });
}
