import path from 'node:path';
import { isLoopback } from './serve/address.ts';
import { notSupportedYet, usageError } from './command-error.ts';

/** Beyond the processors that large machines have, more processes only wait for each other. */
const MOST_WORKERS = 64;

/** Environment variables by name. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** Flags of `serve` as they were typed. */
export interface ServeFlags {
  readonly port?: string;
  readonly host?: string;
  readonly database?: string;
  readonly workers?: string;
  readonly dev?: boolean;
  readonly open?: boolean;
}

export interface ServeSettings {
  /** 0 lets the system pick one. */
  readonly port: number;
  readonly host: string;
  readonly database: DatabaseLocation;
  /** Processes that serve. */
  readonly workers: number;
  readonly dev: boolean;
  readonly open: boolean;
}

/** Where the rows are kept; `{name}` in the path stands for the model's name. */
export interface DatabaseLocation {
  readonly file: string;
}

interface SettingValue {
  readonly text: string;
  /** The flag or variable that said it, for messages. */
  readonly origin: string;
}

/**
 * The settings of `serve`: flags before the environment before defaults.
 *
 * @throws {CommandFailure} exit 2 for a value that cannot be, and for an address that others reach without `open` (AUTH-7)
 */
export function serveSettings(flags: ServeFlags, env: EnvironmentVariables): ServeSettings {
  const { open = false, dev = false } = flags;
  return {
    port: port(given('--port', flags.port, 'RESTWRIGHT_PORT', env, '3000')),
    host: host(given('--host', flags.host, 'RESTWRIGHT_HOST', env, '127.0.0.1'), open),
    database: databaseLocation(flags.database, env),
    workers: workers(given('--workers', flags.workers, 'RESTWRIGHT_WORKERS', env, '1'), dev),
    dev,
    open,
  };
}

/**
 * Which database a command works on.
 *
 * @throws {CommandFailure} exit 2 where the value names none that can be opened
 */
export function databaseLocation(flag: string | undefined, env: EnvironmentVariables): DatabaseLocation {
  const { text, origin } = given('--database', flag, 'RESTWRIGHT_DATABASE', env, 'sqlite:./data/{name}.db');
  if (/^postgres(ql)?:/.test(text)) throw notSupportedYet(`${origin}: PostgreSQL`);
  const file = /^sqlite:(.+)$/s.exec(text)?.[1];
  if (file === undefined || file.startsWith('//') || file === ':memory:') {
    throw usageError(
      `${origin}: '${text}' names no database file; write it as sqlite:PATH, for example sqlite:./data/shop.db.`,
    );
  }
  return { file };
}

/** The absolute path of the database file for the model of this name. */
export function databaseFile(setting: DatabaseLocation, name: string): string {
  return path.resolve(setting.file.replaceAll('{name}', name));
}

/** An empty variable counts as unset: that is how shells and container files leave one out. */
function given(
  flag: string,
  value: string | undefined,
  variable: string,
  env: EnvironmentVariables,
  fallback: string,
): SettingValue {
  if (value !== undefined) return { text: value, origin: flag };
  const text = env[variable];
  return text === undefined || text === '' ? { text: fallback, origin: flag } : { text, origin: variable };
}

function port({ text, origin }: SettingValue): number {
  const number = /^[0-9]{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number <= 65_535))
    throw usageError(`${origin}: '${text}' is no port; use a number from 0 (picks a free one) to 65535.`);
  return number;
}

function workers({ text, origin }: SettingValue, dev: boolean): number {
  const number = /^[0-9]{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= 1 && number <= MOST_WORKERS))
    throw usageError(`${origin}: '${text}' is no number of processes; use one from 1 to ${MOST_WORKERS}.`);
  if (dev && number > 1)
    throw usageError(`${origin}: --dev exchanges the model of one process; leave out one of the two.`);
  return number;
}

function host({ text, origin }: SettingValue, open: boolean): string {
  const name = /^\[(.*)\]$/.exec(text)?.[1] ?? text;
  if (!/^[0-9A-Za-z.:%_-]+$/.test(name)) {
    throw usageError(`${origin}: '${text}' is no host name or address; use one such as 127.0.0.1, ::1 or localhost.`);
  }
  if (!open && !isLoopback(name)) {
    throw usageError(
      `${origin}: ${text} can be reached from other machines, and no authentication is configured: whoever reaches it could read and ` +
        'change everything. Authentication (`auth` in the model) is not yet in this version; serve on a loopback address such as ' +
        '127.0.0.1, or accept an API that is open to all with --open.',
    );
  }
  return name;
}
