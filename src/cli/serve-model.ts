import { refused } from './command-failure.ts';
import { requireModel } from './read-model.ts';
import { type Place, serveUntilStopped, type Serving } from './serve-until-stopped.ts';
import { withLog } from './serving-log.ts';
import type { ServeSettings } from './settings.ts';

/** What is served, and where. */
export interface Served extends Place {
  /** Of the model. */
  readonly fingerprint: string;
  /** Milliseconds that it may take to stop (LIM-3). */
  readonly shutdownTimeout: number;
}

/** How one process serves a model. */
export interface ModelServing extends Omit<Serving, 'loaded' | 'observe' | 'prepare' | 'listening' | 'sharing'> {
  /** What other processes serve, that this one joins; null for the only one and for the first. */
  readonly joins: Served | null;
  /** Told once requests are answered. */
  readonly listening: (served: Served) => void;
}

/**
 * Serves a model from this process until it is asked to stop.
 *
 * @throws {CommandFailure} exit 1 for a faulty model, one that has become another than the others serve, a database or an address that
 *   cannot be had; exit 2 where there is no such file
 */
export async function serveModel({ joins, listening, ...serving }: ModelServing): Promise<void> {
  const { file, settings, terminal } = serving;
  const loaded = await requireModel(file, terminal.env);
  const { fingerprint, limits } = loaded.model;
  if (joins === null) terminal.stderr.write(accessNotice(settings));
  else if (joins.fingerprint !== fingerprint) throw refused(`${file} has changed: start anew to serve the change.`);
  await withLog(settings, terminal, async ({ observe }) => {
    if (joins === null) for (const declared of loaded.unsupported) observe({ kind: 'not-served', declared });
    const sharing = settings.workers > 1;
    const prepare = joins === null;
    const told = (at: Place): void => listening({ ...at, fingerprint, shutdownTimeout: limits.shutdownTimeout });
    await serveUntilStopped({ ...serving, loaded, observe, prepare, sharing, listening: told });
  });
}

/** The one line on standard output. */
export function announcement(url: string): string {
  return `listening on ${url}\n`;
}

/** Who may do what while nobody authenticates (AUTH-7), told at every start. */
function accessNotice({ open }: ServeSettings): string {
  return open
    ? 'warning: no authentication is configured, and --open is set: whoever reaches this server may read and change everything\n'
    : 'no authentication is configured: only this machine is served, under loopback names\n';
}
