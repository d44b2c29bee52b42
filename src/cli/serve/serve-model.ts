import { commandFailed } from '../command-error.ts';
import { requireModel } from '../model-file/read-model.ts';
import { type ListeningAddress, runServer, type RunServerOptions } from './run-server.ts';
import { withServerLog } from './server-log.ts';
import type { ServeSettings } from '../settings.ts';

/** What is served, and where. */
export interface ServedModel extends ListeningAddress {
  /** Of the model. */
  readonly fingerprint: string;
  /** Milliseconds that it may take to stop (LIM-3). */
  readonly shutdownTimeout: number;
}

/** How one process serves a model. */
export interface ServeModelOptions
  extends Omit<RunServerOptions, 'loaded' | 'observe' | 'prepare' | 'onListening' | 'sharing'> {
  /** What other processes serve, that this one joins; null for the only one and for the first. */
  readonly peers: ServedModel | null;
  /** Told once requests are answered. */
  readonly onListening: (served: ServedModel) => void;
}

/**
 * Serves a model from this process until it is asked to stop.
 *
 * @throws {CommandFailure} exit 1 for a faulty model, one that has become another than the others serve, a database or an address that
 *   cannot be had; exit 2 where there is no such file
 */
export async function serveModel({ peers, onListening, ...serving }: ServeModelOptions): Promise<void> {
  const { file, settings, terminal } = serving;
  const loaded = await requireModel(file, terminal.env);
  const { fingerprint, limits } = loaded.model;
  if (peers === null) terminal.stderr.write(accessNotice(settings));
  else if (peers.fingerprint !== fingerprint)
    throw commandFailed(`${file} has changed: start anew to serve the change.`);
  await withServerLog(settings, terminal, async ({ observe }) => {
    if (peers === null)
      for (const declared of loaded.unsupported) observe({ kind: 'unsupported', declaration: declared });
    const sharing = settings.workers > 1;
    const prepare = peers === null;
    const told = (at: ListeningAddress): void =>
      onListening({ ...at, fingerprint, shutdownTimeout: limits.shutdownTimeout });
    await runServer({ ...serving, loaded, observe, prepare, sharing, onListening: told });
  });
}

/** The one line on standard output. */
export function listeningMessage(url: string): string {
  return `listening on ${url}\n`;
}

/** Who may do what while nobody authenticates (AUTH-7), told at every start. */
function accessNotice({ open }: ServeSettings): string {
  return open
    ? 'warning: no authentication is configured, and --open is set: whoever reaches this server may read and change everything\n'
    : 'no authentication is configured: only this machine is served, under loopback names\n';
}
