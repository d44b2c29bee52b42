import { commandFailed } from '../command-error.ts';
import { identifyModel } from './model-identity.ts';
import { requireModel } from '../model-file/read-model.ts';
import { runServer, type ListeningAddress, type RunServerOptions } from './run-server.ts';
import { withServerLog, type LogStyle, type ServerLog } from './server-log.ts';
import type { Observe } from '../../observe/observation.ts';
import { programVersion } from '../../platform/process/program-version.ts';

/** The model that is served, and its address. */
export interface ServedModel extends ListeningAddress {
  /** Identifies the content of the model, with its relays. */
  readonly identity: string;
  /** Milliseconds that a graceful shutdown may take, with the time to drain (LIM-3). */
  readonly shutdownTimeout: number;
}

/** The options with which one process serves a model. */
interface ServeModelOptions
  extends Omit<RunServerOptions, 'loaded' | 'observe' | 'traces' | 'migrate' | 'onListening' | 'reusePort'> {
  /** The model that the other workers serve; null for the first worker and for a single process. */
  readonly peers: ServedModel | null;
  readonly log: LogStyle;
  /** Called when the server accepts requests. */
  readonly onListening: (served: ServedModel, log: ServerLog) => void;
}

/**
 * Serves a model from this process until a signal stops it.
 *
 * @throws {CommandError} exit 2 for a missing file; exit 1 for an invalid model, another model than other workers
 *   serve, or an unavailable database or address
 */
export async function serveModel({ peers, onListening, log: style, ...options }: ServeModelOptions): Promise<void> {
  const { file, settings, terminal } = options;
  const isOneOfSeveral = settings.workers > 1;
  const loaded = await requireModel(file, terminal.env);
  const identity = identifyModel(loaded.model);
  const { limits } = loaded.model;
  const isFirst = peers === null;
  if (!isFirst && peers.identity !== identity)
    throw commandFailed(`${file} has changed since the server started; restart the server to serve the new model.`);
  await withServerLog(style, { isOneOfSeveral }, async (log) => {
    const { observe } = log;
    if (isFirst) {
      if (loaded.model.auth === null) observe({ kind: 'no-authentication', isPublic: settings.insecurePublic });
      for (const declaration of loaded.unsupported) observe({ kind: 'unsupported', declaration });
    }
    await runServer({
      ...options,
      loaded,
      observe,
      traces: await registeredTraces(),
      migrate: isFirst,
      reusePort: isOneOfSeveral,
      onListening: (at) =>
        onListening({ ...at, identity, shutdownTimeout: settings.drain + limits.shutdownTimeout }, log),
    });
  });
}

/**
 * Makes spans with the SDK of OpenTelemetry that was registered before the program began, such as by
 * `NODE_OPTIONS=--import=./tracing.js`.
 *
 * @returns null where there is no SDK, or the package `@opentelemetry/api` is not installed
 */
async function registeredTraces(): Promise<Observe | null> {
  try {
    const { registeredTraceObserver } = await import('../../observe/open-telemetry.ts');
    return registeredTraceObserver(programVersion());
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return null;
    throw error;
  }
}
