import path from 'node:path';
import process from 'node:process';
import { type DatabaseKind, type DatabaseReference, selectKind } from '../stores/databases/databases.ts';
import { InvalidDatabaseUrl, parseDatabaseUrl } from '../stores/postgres/driver/database-url.ts';
import { DRIVER_NAMES, type DriverName } from '../stores/sqlite/driver/driver.ts';
import { IN_MEMORY } from '../stores/sqlite/sqlite-store.ts';
import { commandFailed, usageError } from './command-error.ts';
import {
  type EnvironmentVariables,
  readSettingFile,
  type SettingSource,
  settingValue,
  type SettingValue,
} from './setting-value.ts';

/** Flags of every command that uses a database. */
export interface DatabaseFlags {
  readonly database?: string;
  readonly driver?: string;
}

/** Flags of the command that serves a database. */
export interface ServedDatabaseFlags extends DatabaseFlags {
  readonly replica?: readonly string[];
}

/**
 * The path of the database file, where `{name}` stands for the name of the model, and the library that opens it,
 * undefined for the default. For PostgreSQL it is the URL of the database, and its password, undefined if the URL has
 * it.
 */
export interface DatabaseLocation {
  readonly file: string;
  readonly driver: DriverName | undefined;
  readonly password: string | undefined;
  /** The URLs of replicas. Default: none. */
  readonly replicas?: readonly string[];
}

const DATABASE: SettingSource = {
  flag: '--database',
  variable: 'RESTWRIGHT_DATABASE',
  fallback: 'sqlite:./data/{name}.db',
};

const REPLICAS = { flag: '--replica', variable: 'RESTWRIGHT_REPLICAS' };

const DRIVER: SettingSource = { flag: '--driver', variable: 'RESTWRIGHT_DRIVER', fallback: 'auto' };

const PASSWORD = 'RESTWRIGHT_DATABASE_PASSWORD';
const PASSWORD_FILE = 'RESTWRIGHT_DATABASE_PASSWORD_FILE';
/** The variables of libpq, as psql and pg_dump read them. */
const LIBPQ_PASSWORD = 'PGPASSWORD';
const LIBPQ_PASSWORD_FILE = 'PGPASSFILE';

/** The scheme of a URL; a single letter is a drive of Windows. */
const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]+:/;

/**
 * The database that a command uses.
 *
 * @throws {CommandError} exit 2 for a value that is neither a path, `sqlite:PATH` nor a URL of PostgreSQL, and for an
 *   unknown driver
 */
export function databaseLocation({ database, driver }: DatabaseFlags, env: EnvironmentVariables): DatabaseLocation {
  return findDatabase(settingValue(DATABASE, database, env), driver, env);
}

/**
 * The database that `serve` uses: also one in memory, which ends with the process.
 *
 * @param workers the number of processes, of which each would have a database of its own
 * @throws {CommandError} as {@link databaseLocation}
 */
export function servedLocation(
  { database, driver, replica }: ServedDatabaseFlags,
  env: EnvironmentVariables,
  workers: number,
): DatabaseLocation {
  const named = settingValue(DATABASE, database, env);
  const replicas = findReplicas(replica, env, named.text);
  if (readPath(named.text) !== IN_MEMORY) return { ...findDatabase(named, driver, env), replicas };
  if (workers > 1)
    throw usageError(`${named.origin}: a database in memory belongs to one process; name a file, or use --workers 1.`);
  return { file: IN_MEMORY, driver: parseDriver(settingValue(DRIVER, driver, env)), password: undefined };
}

/**
 * The URLs of replicas: those of flags, or of a variable, where whitespace separates them.
 *
 * @throws {CommandError} exit 2
 */
function findReplicas(
  given: readonly string[] | undefined,
  env: EnvironmentVariables,
  database: string,
): readonly string[] {
  const origin = given === undefined ? REPLICAS.variable : REPLICAS.flag;
  const urls = given ?? (env[REPLICAS.variable] ?? '').split(/\s+/).filter((url) => url !== '');
  const { noReplicas } = selectKind(database);
  if (urls.length > 0 && noReplicas !== null)
    throw usageError(`${origin}: ${noReplicas}; name it with ${DATABASE.flag}.`);
  const found = urls.map((url) => withPasswordFile(url, env));
  for (const text of found) requireUrl({ text, origin });
  return found;
}

function findDatabase(named: SettingValue, driver: string | undefined, env: EnvironmentVariables): DatabaseLocation {
  return LOCATIONS[selectKind(named.text).name](named, driver, env);
}

/** Reads the location of a database of each kind from its name. */
const LOCATIONS: Readonly<Record<DatabaseKind['name'], typeof findDatabase>> = {
  postgres: locateServer,
  sqlite: locateFile,
};

function locateServer(
  { text, origin }: SettingValue,
  _driver: string | undefined,
  env: EnvironmentVariables,
): DatabaseLocation {
  const file = withPasswordFile(text, env);
  requireUrl({ text: file, origin });
  return { file, driver: undefined, password: passwordIn(file, env) };
}

function locateFile(
  { text, origin }: SettingValue,
  driver: string | undefined,
  env: EnvironmentVariables,
): DatabaseLocation {
  const file = readPath(text);
  if (file === IN_MEMORY)
    throw usageError(
      `${origin}: a database in memory ends with this command; name a file, or serve a model with --database ${IN_MEMORY}.`,
    );
  if (file === '' || file.startsWith('//') || SCHEME.test(file)) {
    throw usageError(
      `${origin}: '${text}' is not a valid database; write a path such as ./data/shop.db, sqlite:PATH, or postgres://USER@HOST/DATABASE.`,
    );
  }
  return { file, driver: parseDriver(settingValue(DRIVER, driver, env)), password: undefined };
}

/** The path of a database of SQLite, with or without its scheme. */
function readPath(text: string): string {
  return text.replace(/^sqlite:/, '');
}

/**
 * The URL is not repeated in the message: it may have a password. @throws {CommandError} exit 2 where it cannot be used
 */
function requireUrl({ text, origin }: SettingValue): void {
  try {
    parseDatabaseUrl(text.replaceAll('{name}', 'name'), undefined);
  } catch (error) {
    if (error instanceof InvalidDatabaseUrl) throw usageError(`${origin}: ${error.message}`);
    throw error;
  }
}

/** A URL with the password file of the environment, unless it names one itself. */
function withPasswordFile(url: string, env: EnvironmentVariables): string {
  const file = env[LIBPQ_PASSWORD_FILE] ?? '';
  if (file === '' || URL.parse(url)?.searchParams.has('passfile') === true) return url;
  return `${url}${url.includes('?') ? '&' : '?'}passfile=${encodeURIComponent(file)}`;
}

/**
 * The password for a database of PostgreSQL: of the file that a variable names, or of a variable. That of libpq gives
 * way to the URL, as it does there.
 *
 * @throws {CommandError} exit 2 for a file that cannot be read
 */
function passwordIn(url: string, env: EnvironmentVariables): string | undefined {
  const file = env[PASSWORD_FILE] ?? '';
  if (file === '') return env[PASSWORD] ?? (URL.parse(url)?.password === '' ? env[LIBPQ_PASSWORD] : undefined);
  return readSettingFile({ text: file, origin: PASSWORD_FILE }).replace(/\r?\n$/, '');
}

/** The absolute path of the database file for a model; or the URL of its database. @param name the name of the model */
export function databaseFile(location: Pick<DatabaseLocation, 'file'>, name: string): string {
  const named = location.file.replaceAll('{name}', name);
  return selectKind(named).resolve(named);
}

/** A database as commands open it. */
export interface UsedDatabase extends DatabaseReference {
  /** As {@link databaseFile} has it. */
  readonly database: string;
}

/** The database of a model. @param name the name of the model */
export function usedDatabase(location: DatabaseLocation, name: string): UsedDatabase {
  const { driver, password, replicas = [] } = location;
  return {
    database: databaseFile(location, name),
    driver,
    databasePassword: password,
    replicas: replicas.map((url) => url.replaceAll('{name}', name)),
  };
}

/** A database that a flag of a command names, other than `--database`. */
interface NamedDatabase {
  readonly flag: string;
  readonly database: string;
  readonly driver: string | undefined;
  /** The name of the model. */
  readonly name: string;
}

/** The database that a flag names. @throws {CommandError} exit 2, as {@link databaseLocation} */
export function namedDatabase(
  { flag, database, driver, name }: NamedDatabase,
  env: EnvironmentVariables,
): UsedDatabase {
  return usedDatabase(findDatabase({ text: database, origin: flag }, driver, env), name);
}

/** Checks if a database is a file that does not exist. Only a connection shows the databases of a server. */
export function isMissingFile({ database }: Pick<UsedDatabase, 'database'>): boolean {
  return selectKind(database).isMissing(database);
}

/** @throws {CommandError} exit 1 where a database is a file that does not exist */
export function requireDatabase(used: Pick<UsedDatabase, 'database'>): void {
  if (!isMissingFile(used)) return;
  throw commandFailed(`the database ${used.database} does not exist; select another one with --database.`);
}

/** A path as messages show it: relative to the working directory where it is below it. A URL has no password then. */
export function displayedPath(file: string): string {
  const shown = selectKind(file).display(file);
  if (!path.isAbsolute(shown)) return shown;
  const relative = path.relative(process.cwd(), shown);
  return relative.startsWith('..') || path.isAbsolute(relative) ? shown : relative;
}

function parseDriver({ text, origin }: SettingValue): DriverName | undefined {
  if (text === DRIVER.fallback) return undefined;
  const driver = DRIVER_NAMES.find((name) => name === text);
  if (driver !== undefined) return driver;
  throw usageError(`${origin}: '${text}' is not a valid driver; use ${DRIVER_NAMES.join(' or ')}.`);
}
