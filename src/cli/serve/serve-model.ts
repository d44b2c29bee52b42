import { commandFailed } from '../command-error.ts';
import { requireModel } from '../model-file/read-model.ts';
import type { ServeSettings } from '../settings.ts';
import { type ListeningAddress, runServer, type RunServerOptions } from './run-server.ts';
import { withServerLog } from './server-log.ts';

/** The model that is served, and its address. */
export interface ServedModel extends ListeningAddress {
  /** Identifies the content of the model. */
  readonly fingerprint: string;
  /** Milliseconds that a graceful shutdown may take (LIM-3). */
  readonly shutdownTimeout: number;
}

/** How one process serves a model. */
interface ServeModelOptions
  extends Omit<RunServerOptions, 'loaded' | 'observe' | 'migrate' | 'onListening' | 'reusePort'> {
  /** What the other workers serve; null for the first worker and for a single process. */
  readonly peers: ServedModel | null;
  /** Called when the server accepts requests. */
  readonly onListening: (served: ServedModel) => void;
}

/**
 * Serves a model from this process until a signal stops it.
 *
 * @throws {CommandError} exit 1 for an invalid model, a model that differs from the one the other workers serve, or an unavailable
 *   database or address; exit 2 for a missing file
 */
export async function serveModel({ peers, onListening, ...options }: ServeModelOptions): Promise<void> {
  const { file, settings, terminal } = options;
  const loaded = await requireModel(file, terminal.env);
  const { fingerprint, limits } = loaded.model;
  const isFirst = peers === null;
  if (isFirst) terminal.stderr.write(accessNotice(settings));
  else if (peers.fingerprint !== fingerprint)
    throw commandFailed(`${file} has changed since the server started; restart the server to serve the new model.`);
  await withServerLog(settings, terminal, async ({ observe }) => {
    if (isFirst) for (const declaration of loaded.unsupported) observe({ kind: 'unsupported', declaration });
    await runServer({
      ...options,
      loaded,
      observe,
      migrate: isFirst,
      reusePort: settings.workers > 1,
      onListening: (at) => onListening({ ...at, fingerprint, shutdownTimeout: limits.shutdownTimeout }),
    });
  });
}

/** The line that is printed on standard output. */
export function listeningMessage(url: string): string {
  return `listening on ${url}\n`;
}

/** States at every start which clients have access while no authentication is configured (AUTH-7). */
function accessNotice({ insecurePublic }: ServeSettings): string {
  return insecurePublic
    ? 'warning: no authentication is configured, and --insecure-public is set: every client that can reach this server may read and change all data\n'
    : 'no authentication is configured: only clients on this machine are served, under loopback host names\n';
}
