import path from 'node:path';
import { notSupportedYet, usageError } from './command-error.ts';
import { isLoopback } from './serve/address.ts';

/** More processes than large machines have processors only contend with each other. */
const MAX_WORKERS = 64;

/** Environment variables by name. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** Flags of `serve`, as given on the command line. */
export interface ServeFlags {
  readonly port?: string;
  readonly host?: string;
  readonly database?: string;
  readonly workers?: string;
  readonly dev?: boolean;
  readonly open?: boolean;
}

export interface ServeSettings {
  /** 0 lets the operating system choose one. */
  readonly port: number;
  readonly host: string;
  readonly database: DatabaseLocation;
  /** Number of processes that serve. */
  readonly workers: number;
  readonly dev: boolean;
  readonly open: boolean;
}

/** The path of the database file; `{name}` in it stands for the name of the model. */
interface DatabaseLocation {
  readonly file: string;
}

/** A setting that may come from a flag, an environment variable or a default, in this order of precedence. */
interface SettingSource {
  readonly flag: string;
  readonly variable: string;
  readonly fallback: string;
}

const PORT: SettingSource = { flag: '--port', variable: 'RESTWRIGHT_PORT', fallback: '3000' };
const HOST: SettingSource = { flag: '--host', variable: 'RESTWRIGHT_HOST', fallback: '127.0.0.1' };
const WORKERS: SettingSource = { flag: '--workers', variable: 'RESTWRIGHT_WORKERS', fallback: '1' };
const DATABASE: SettingSource = {
  flag: '--database',
  variable: 'RESTWRIGHT_DATABASE',
  fallback: 'sqlite:./data/{name}.db',
};

interface SettingValue {
  readonly text: string;
  /** The flag or variable that it comes from, for messages. */
  readonly origin: string;
}

/**
 * Reads the settings of `serve`.
 *
 * @throws {CommandError} exit 2 for an invalid value, and for an address that other machines can reach without `--open` (AUTH-7)
 */
export function serveSettings(flags: ServeFlags, env: EnvironmentVariables): ServeSettings {
  const { open = false, dev = false } = flags;
  return {
    port: parsePort(settingValue(PORT, flags.port, env)),
    host: parseHost(settingValue(HOST, flags.host, env), open),
    database: databaseLocation(flags.database, env),
    workers: parseWorkers(settingValue(WORKERS, flags.workers, env), dev),
    dev,
    open,
  };
}

/**
 * The database that a command uses.
 *
 * @throws {CommandError} exit 2 for a value that is not `sqlite:PATH`
 */
export function databaseLocation(flag: string | undefined, env: EnvironmentVariables): DatabaseLocation {
  const { text, origin } = settingValue(DATABASE, flag, env);
  if (/^postgres(ql)?:/.test(text)) throw notSupportedYet(`${origin}: PostgreSQL`);
  const file = /^sqlite:(.+)$/s.exec(text)?.[1];
  if (file === undefined || file.startsWith('//') || file === ':memory:') {
    throw usageError(
      `${origin}: '${text}' is not a valid database; write sqlite:PATH, for example sqlite:./data/shop.db.`,
    );
  }
  return { file };
}

/** The absolute path of the database file for a model. @param name the name of the model */
export function databaseFile(location: DatabaseLocation, name: string): string {
  return path.resolve(location.file.replaceAll('{name}', name));
}

/** An empty variable counts as unset: shells and container files leave a variable out this way. */
function settingValue(source: SettingSource, flag: string | undefined, env: EnvironmentVariables): SettingValue {
  if (flag !== undefined) return { text: flag, origin: source.flag };
  const text = env[source.variable] ?? '';
  return text === '' ? { text: source.fallback, origin: source.flag } : { text, origin: source.variable };
}

function parsePort({ text, origin }: SettingValue): number {
  const number = /^[0-9]{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number <= 65_535))
    throw usageError(`${origin}: '${text}' is not a valid port; use a number from 0 (any free port) to 65535.`);
  return number;
}

function parseWorkers({ text, origin }: SettingValue, dev: boolean): number {
  const number = /^[0-9]{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= 1 && number <= MAX_WORKERS))
    throw usageError(`${origin}: '${text}' is not a valid number of workers; use a number from 1 to ${MAX_WORKERS}.`);
  if (dev && number > 1)
    throw usageError(`${origin}: --dev reloads the model in a single process; use either --dev or several workers.`);
  return number;
}

function parseHost({ text, origin }: SettingValue, open: boolean): string {
  const name = /^\[(.*)\]$/.exec(text)?.[1] ?? text;
  if (!/^[0-9A-Za-z.:%_-]+$/.test(name)) {
    throw usageError(
      `${origin}: '${text}' is not a valid host name or address; use one like 127.0.0.1, ::1 or localhost.`,
    );
  }
  if (!open && !isLoopback(name)) {
    throw usageError(
      `${origin}: other machines can reach ${text}, and no authentication is configured: any client could read and change all data. ` +
        'This version does not support authentication (`auth` in the model) yet. Use a loopback address like 127.0.0.1, ' +
        'or pass --open to serve every client without authentication.',
    );
  }
  return name;
}
