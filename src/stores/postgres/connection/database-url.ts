import { readFileSync } from 'node:fs';

/** How the connection is encrypted, as the `sslmode` of libpq: not; without knowing the server; to a server with a certificate of the CA, of its name too. */
export type SslMode = 'disable' | 'require' | 'verify-ca' | 'verify-full';

const SSL_MODES: readonly SslMode[] = ['disable', 'require', 'verify-ca', 'verify-full'];

/** A database of PostgreSQL, and how to reach it. */
export interface DatabaseUrl {
  /** A name or an address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** null without a password. */
  readonly password: string | null;
  /** The schema in which all tables are. */
  readonly schema: string;
  readonly sslMode: SslMode;
  /** The certificates of the CA, as PEM; null for those that Node.js trusts. */
  readonly authority: string | null;
}

/** The URL cannot be used. The message says why, without the password. */
export class InvalidDatabaseUrl extends Error {
  override readonly name = 'InvalidDatabaseUrl';
}

const PARAMETERS = ['host', 'sslmode', 'sslrootcert', 'schema'];
const DEFAULT_PORT = 5_432;

/** Whether a database is one of PostgreSQL, and no file. */
export function isPostgresUrl(database: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(database);
}

/**
 * The database that a URL names: `postgres://user@host:port/database?sslmode=verify-full&sslrootcert=FILE&schema=NAME`. A `host` that begins with a slash is the
 * folder of a socket.
 *
 * @param password takes the place of one in the URL
 * @throws {InvalidDatabaseUrl}
 */
export function parseDatabaseUrl(text: string, password: string | undefined): DatabaseUrl {
  const url = URL.parse(text);
  if (url === null || !isPostgresUrl(text)) throw invalid('it is no URL, such as postgres://user@host/database');
  const { searchParams: parameters } = url;
  const unknown = [...parameters.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) throw invalid(`it has the parameter ${unknown}; write ${PARAMETERS.join(', ')}`);
  const host = parameters.get('host') ?? (decodeURIComponent(url.hostname).replace(/^\[|\]$/g, '') || '127.0.0.1');
  const database = decodeURIComponent(url.pathname.slice(1));
  if (database === '') throw invalid('it names no database, such as postgres://user@host/database');
  const schema = parameters.get('schema') ?? 'public';
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    throw invalid('its schema is no name of lower-case letters, digits and underscores');
  return {
    host,
    port: url.port === '' ? DEFAULT_PORT : Number(url.port),
    database,
    user: decodeURIComponent(url.username) || 'postgres',
    password: password ?? (url.password === '' ? null : decodeURIComponent(url.password)),
    schema,
    sslMode: sslModeOf(parameters.get('sslmode'), host),
    authority: certificatesIn(parameters.get('sslrootcert')),
  };
}

/** The URL without its password: for messages. */
export function displayedUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null) return 'postgres://...';
  if (url.password !== '') url.password = '***';
  return url.href;
}

function invalid(problem: string): InvalidDatabaseUrl {
  return new InvalidDatabaseUrl(`The URL of the database cannot be used: ${problem}.`);
}

function certificatesIn(file: string | null): string | null {
  if (file === null) return null;
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new InvalidDatabaseUrl(`The file ${file} that sslrootcert names cannot be read.`, { cause });
  }
}

/** What leaves the machine is encrypted to a known server unless the URL says otherwise. */
function sslModeOf(named: string | null, host: string): SslMode {
  const isLocal = host.startsWith('/') || /^(?:localhost|127(?:\.\d+){3}|::1)$/.test(host);
  if (named === null) return isLocal ? 'disable' : 'verify-full';
  const mode = SSL_MODES.find((each) => each === named);
  if (mode === undefined) throw invalid(`its sslmode is none of ${SSL_MODES.join(', ')}`);
  return mode;
}
