import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { redisUrlProblem } from '../platform/redis.ts';
import { DRIVER_NAMES, type DriverName } from '../stores/sqlite/driver/driver.ts';
import {
  displayedUrl,
  InvalidDatabaseUrl,
  isPostgresUrl,
  parseDatabaseUrl,
} from '../stores/postgres/connection/database-url.ts';
import { type CommandError, describeFileError, usageError } from './command-error.ts';
import { isLoopback } from './serve/address.ts';

/** More processes than large machines have processors only contend with each other. */
const MAX_WORKERS = 64;

/** The values of `--log`. */
export const LOG_FORMATS = ['json', 'text'] as const;

type LogFormat = (typeof LOG_FORMATS)[number];

/** Environment variables by name. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** Flags of every command that uses a database. */
export interface DatabaseFlags {
  readonly database?: string;
  readonly driver?: string;
}

/** Flags of `serve`, as given on the command line. */
export interface ServeFlags extends DatabaseFlags {
  readonly port?: string;
  readonly host?: string;
  readonly metricsPort?: string;
  readonly metricsHost?: string;
  readonly workers?: string;
  readonly redis?: string;
  readonly log?: string;
  readonly dev?: boolean;
  readonly open?: boolean;
  readonly insecurePublic?: boolean;
}

export interface ServeSettings {
  /** 0 lets the operating system choose one. */
  readonly port: number;
  readonly host: string;
  readonly database: DatabaseLocation;
  /** Where `/metrics` is served apart from the API, without credentials; null where the API serves it. */
  readonly metrics: { readonly port: number; readonly host: string } | null;
  /** Number of processes that serve. */
  readonly workers: number;
  /** The URL of the Redis that instances share; null for none. */
  readonly redis: string | null;
  /** The format of the log; null to choose it by the terminal. */
  readonly log: LogFormat | null;
  readonly dev: boolean;
  /** Whether a browser opens the API once it listens. */
  readonly open: boolean;
  /** Whether clients on other machines are served without authentication (AUTH-7). */
  readonly insecurePublic: boolean;
}

/**
 * The path of the database file, where `{name}` stands for the name of the model, and the library that opens it, undefined for the default; or the URL of a
 * database of PostgreSQL, and the password for it, undefined where the URL has it.
 */
interface DatabaseLocation {
  readonly file: string;
  readonly driver: DriverName | undefined;
  readonly password: string | undefined;
}

/** A setting that may come from a flag, an environment variable or a default, in this order of precedence. */
interface SettingSource {
  readonly flag: string;
  readonly variable: string;
  readonly fallback: string;
}

const PORT: SettingSource = { flag: '--port', variable: 'RESTWRIGHT_PORT', fallback: '3000' };
const HOST: SettingSource = { flag: '--host', variable: 'RESTWRIGHT_HOST', fallback: '127.0.0.1' };
const METRICS_PORT: SettingSource = { flag: '--metrics-port', variable: 'RESTWRIGHT_METRICS_PORT', fallback: '' };
const METRICS_HOST: SettingSource = { flag: '--metrics-host', variable: 'RESTWRIGHT_METRICS_HOST', fallback: '' };
const WORKERS: SettingSource = { flag: '--workers', variable: 'RESTWRIGHT_WORKERS', fallback: '1' };
const REDIS: SettingSource = { flag: '--redis', variable: 'RESTWRIGHT_REDIS', fallback: '' };
const LOG: SettingSource = { flag: '--log', variable: 'RESTWRIGHT_LOG', fallback: 'auto' };
const DATABASE: SettingSource = {
  flag: '--database',
  variable: 'RESTWRIGHT_DATABASE',
  fallback: 'sqlite:./data/{name}.db',
};

const PASSWORD = 'RESTWRIGHT_DATABASE_PASSWORD';
const PASSWORD_FILE = 'RESTWRIGHT_DATABASE_PASSWORD_FILE';

const DRIVER: SettingSource = { flag: '--driver', variable: 'RESTWRIGHT_DRIVER', fallback: 'auto' };

/** The scheme of a URL; a single letter is a drive of Windows. */
const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]+:/;

interface SettingValue {
  readonly text: string;
  /** The flag or variable that it comes from, for messages. */
  readonly origin: string;
}

/**
 * Reads the settings of `serve`.
 *
 * @throws {CommandError} exit 2 for an invalid value
 */
export function serveSettings(flags: ServeFlags, env: EnvironmentVariables): ServeSettings {
  const { open = false, dev = false, insecurePublic = false } = flags;
  return {
    port: parsePort(settingValue(PORT, flags.port, env)),
    host: parseHost(settingValue(HOST, flags.host, env)),
    database: databaseLocation(flags, env),
    metrics: metricsAddress(flags, env),
    workers: parseWorkers(settingValue(WORKERS, flags.workers, env), dev),
    redis: parseRedis(settingValue(REDIS, flags.redis, env)),
    log: parseLog(settingValue(LOG, flags.log, env)),
    dev,
    open,
    insecurePublic,
  };
}

/**
 * The database that a command uses.
 *
 * @throws {CommandError} exit 2 for a value that is neither a path, `sqlite:PATH` nor a URL of PostgreSQL, and for an unknown driver
 */
export function databaseLocation({ database, driver }: DatabaseFlags, env: EnvironmentVariables): DatabaseLocation {
  const { text, origin } = settingValue(DATABASE, database, env);
  if (isPostgresUrl(text)) return { file: postgresUrl({ text, origin }), driver: undefined, password: passwordIn(env) };
  const file = text.startsWith('sqlite:') ? text.slice('sqlite:'.length) : text;
  if (file === '' || file.startsWith('//') || file === ':memory:' || SCHEME.test(file)) {
    throw usageError(
      `${origin}: '${text}' is not a valid database; write a path such as ./data/shop.db, sqlite:PATH, or postgres://USER@HOST/DATABASE.`,
    );
  }
  return { file, driver: parseDriver(settingValue(DRIVER, driver, env)), password: undefined };
}

/** The URL is not repeated in the message: it may have a password. @throws {CommandError} exit 2 where it cannot be used */
function postgresUrl({ text, origin }: SettingValue): string {
  try {
    parseDatabaseUrl(text.replaceAll('{name}', 'name'), undefined);
    return text;
  } catch (error) {
    if (error instanceof InvalidDatabaseUrl) throw usageError(`${origin}: ${error.message}`);
    throw error;
  }
}

/** The password for a database of PostgreSQL. @throws {CommandError} exit 2 for a file that cannot be read */
function passwordIn(env: EnvironmentVariables): string | undefined {
  const file = env[PASSWORD_FILE] ?? '';
  if (file === '') return env[PASSWORD];
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw usageError(`${PASSWORD_FILE}: ${describeFileError(error)}`);
  }
}

/** The absolute path of the database file for a model; or the URL of its database. @param name the name of the model */
export function databaseFile(location: Pick<DatabaseLocation, 'file'>, name: string): string {
  if (isPostgresUrl(location.file)) return location.file.replaceAll('{name}', name);
  return path.resolve(location.file.replaceAll('{name}', name));
}

/** A database as commands open it. */
export interface UsedDatabase {
  /** As {@link databaseFile} has it. */
  readonly database: string;
  readonly driver?: DriverName | undefined;
  readonly databasePassword?: string | undefined;
}

/** The database of a model. @param name the name of the model */
export function usedDatabase(location: DatabaseLocation, name: string): UsedDatabase {
  const { driver, password } = location;
  return { database: databaseFile(location, name), driver, databasePassword: password };
}

/** Whether a database is a file that does not exist. What a server has, only a connection shows. */
export function isMissingFile({ database }: Pick<UsedDatabase, 'database'>): boolean {
  return !isPostgresUrl(database) && !existsSync(database);
}

/** A path as messages show it: relative to the working directory where it is below it. A URL has no password then. */
export function displayedPath(file: string): string {
  if (isPostgresUrl(file)) return displayedUrl(file);
  const relative = path.relative(process.cwd(), file);
  return relative.startsWith('..') || path.isAbsolute(relative) ? file : relative;
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

/** @throws {CommandError} exit 2 for a host without a port, which would be ignored */
function metricsAddress(flags: ServeFlags, env: EnvironmentVariables): ServeSettings['metrics'] {
  const port = settingValue(METRICS_PORT, flags.metricsPort, env);
  const host = settingValue(METRICS_HOST, flags.metricsHost, env);
  if (port.text !== '') return { port: parsePort(port), host: host.text === '' ? HOST.fallback : parseHost(host) };
  if (host.text !== '') throw usageError(`${host.origin}: name the port of the metrics, too: ${METRICS_PORT.flag}.`);
  return null;
}

function parseWorkers({ text, origin }: SettingValue, dev: boolean): number {
  const number = /^[0-9]{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= 1 && number <= MAX_WORKERS))
    throw usageError(`${origin}: '${text}' is not a valid number of workers; use a number from 1 to ${MAX_WORKERS}.`);
  if (dev && number > 1)
    throw usageError(`${origin}: --dev reloads the model in a single process; use either --dev or several workers.`);
  return number;
}

/** The URL is not repeated in the message: it may have a password. */
function parseRedis({ text, origin }: SettingValue): string | null {
  if (text === '') return null;
  const problem = redisUrlProblem(text);
  if (problem === null) return text;
  throw usageError(`${origin} ${problem}.`);
}

function parseLog({ text, origin }: SettingValue): LogFormat | null {
  if (text === LOG.fallback) return null;
  const format = LOG_FORMATS.find((name) => name === text);
  if (format !== undefined) return format;
  throw usageError(`${origin}: '${text}' is not a valid log format; use ${LOG_FORMATS.join(' or ')}.`);
}

function parseDriver({ text, origin }: SettingValue): DriverName | undefined {
  if (text === DRIVER.fallback) return undefined;
  const driver = DRIVER_NAMES.find((name) => name === text);
  if (driver !== undefined) return driver;
  throw usageError(`${origin}: '${text}' is not a valid driver; use ${DRIVER_NAMES.join(' or ')}.`);
}

function parseHost({ text, origin }: SettingValue): string {
  const name = /^\[(.*)\]$/.exec(text)?.[1] ?? text;
  if (/^[0-9A-Za-z.:%_-]+$/.test(name)) return name;
  throw usageError(
    `${origin}: '${text}' is not a valid host name or address; use one like 127.0.0.1, ::1 or localhost.`,
  );
}

/** Whether other machines can reach the server (AUTH-7). */
export function isReachable({ host }: Pick<ServeSettings, 'host'>): boolean {
  return !isLoopback(host);
}

/** The error for a server without authentication that other machines could reach (AUTH-7). @param flags those that the settings come from */
export function unprotected({ host, open }: Pick<ServeSettings, 'host' | 'open'>, flags: ServeFlags): CommandError {
  const origin = flags.host === undefined ? HOST.variable : HOST.flag;
  const former = open ? '--open opens the browser; what it did in earlier versions is now --insecure-public. ' : '';
  return usageError(
    `${origin}: other machines can reach ${host}, and no authentication is configured: any client could read and change all data. ` +
      `${former}Declare \`auth\` in the model, use a loopback address like 127.0.0.1, or pass --insecure-public to serve every client without authentication.`,
  );
}
