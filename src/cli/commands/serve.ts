import type { ExitCode } from '../command-error.ts';
import { listeningMessage, serveModel } from '../serve/serve-model.ts';
import { type ServeFlags, serveSettings } from '../settings.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { serveWithWorkers } from '../workers/serve-with-workers.ts';

/**
 * Serves a model until SIGTERM or SIGINT: then it accepts no more connections, requests in flight finish within the model's
 * shutdown timeout, and the database is closed (LIM-3). Prints its URL on standard output; the log goes to standard error.
 *
 * @returns 0 once stopped
 * @throws {CommandError} exit 2 for invalid settings, exit 1 for an invalid model or an unavailable database or address
 */
export async function serve(file: string, flags: ServeFlags, terminal: Terminal): Promise<ExitCode> {
  const settings = serveSettings(flags, terminal.env);
  if (settings.workers > 1) return serveWithWorkers(file, settings, terminal);
  const onListening = ({ url }: { readonly url: string }): void => void terminal.stdout.write(listeningMessage(url));
  await serveModel({ file, settings, terminal, peers: null, dispatch: true, onListening });
  return 0;
}
