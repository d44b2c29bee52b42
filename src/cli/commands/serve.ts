import type { ExitCode } from '../command-error.ts';
import { listeningMessage, serveModel } from '../serve/serve-model.ts';
import { serveWithWorkers } from '../workers/serve-with-workers.ts';
import { type ServeFlags, serveSettings } from '../settings.ts';
import type { Terminal } from '../terminal/terminal.ts';

/**
 * Serves a model until a signal asks to stop: then no connection is accepted, requests in flight finish within the model's
 * time for it, and the database is closed (LIM-3). One line on standard output says where it listens; the log goes to standard error.
 *
 * @returns 0 once stopped
 * @throws {CommandFailure} exit 2 for wrong flags, exit 1 for a faulty model, a database or an address that cannot be had
 */
export async function serve(file: string, flags: ServeFlags, terminal: Terminal): Promise<ExitCode> {
  const settings = serveSettings(flags, terminal.env);
  if (settings.workers > 1) return serveWithWorkers(file, settings, terminal);
  const listening = ({ url }: { readonly url: string }): void => void terminal.stdout.write(listeningMessage(url));
  await serveModel({ file, settings, terminal, peers: null, dispatch: true, onListening: listening });
  return 0;
}
