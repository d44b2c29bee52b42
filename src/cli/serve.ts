import process from 'node:process';
import { type LoadedModel } from '../model/load.ts';
import { logSink } from '../observe/log.ts';
import { openLog } from '../observe/log-file.ts';
import type { Observe } from '../observe/observation.ts';
import { systemClock } from '../platform/clock.ts';
import type { ExitCode } from './command-failure.ts';
import { requireModel } from './read-model.ts';
import { serveUntilStopped } from './serve-until-stopped.ts';
import { type ServeFlags, type ServeSettings, serveSettings } from './settings.ts';
import { mayColour, type Terminal } from './terminal.ts';

const STANDARD_ERROR = 2;

/**
 * Serves a model until a signal asks to stop: then no connection is accepted, requests in flight finish within the model's
 * time for it, and the database is closed (LIM-3). One line on standard output says where it listens; the log goes to standard error.
 *
 * @returns 0 once stopped
 * @throws {CommandFailure} exit 2 for wrong flags, exit 1 for a faulty model, a database or an address that cannot be had
 */
export async function serve(file: string, flags: ServeFlags, terminal: Terminal): Promise<ExitCode> {
  const settings = serveSettings(flags, terminal.env);
  const loaded = await requireModel(file, terminal.env);
  terminal.stderr.write(accessNotice(settings));
  const log = openLog(STANDARD_ERROR);
  const observe = observer(log.write, settings, terminal);
  const crashed = (error: unknown): void => {
    // The program is in a state that nobody foresaw: it is told, and a supervisor starts anew.
    observe({ kind: 'fault', correlationId: null, error });
    log.flush();
    process.exit(1);
  };
  process.on('uncaughtException', crashed);
  try {
    announceNotServed(loaded, observe);
    await serveUntilStopped({ file, loaded, settings, observe, terminal });
    return 0;
  } finally {
    process.off('uncaughtException', crashed);
    await log.close();
  }
}

function observer(write: (text: string) => void, { dev }: ServeSettings, { stderr, env }: Terminal): Observe {
  return logSink({ write, clock: systemClock, format: dev ? 'readable' : 'json', colours: mayColour(stderr, env) });
}

function announceNotServed({ notServed }: LoadedModel, observe: Observe): void {
  for (const declared of notServed) observe({ kind: 'not-served', declared });
}

/** Who may do what while nobody authenticates (AUTH-7), told at every start. */
function accessNotice({ open }: ServeSettings): string {
  return open
    ? 'warning: no authentication is configured, and --open is set: whoever reaches this server may read and change everything\n'
    : 'no authentication is configured: only this machine is served, under loopback names\n';
}
