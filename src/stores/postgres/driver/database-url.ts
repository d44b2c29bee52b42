import { readFileSync, statSync } from 'node:fs';
import { platform } from 'node:process';

/**
 * The encryption of the connection, as the `sslmode` of libpq: none, if the server can, or always. `verify-ca` requires
 * a certificate of the CA, `verify-full` also the name of the server in it.
 */
export type SslMode = 'disable' | 'prefer' | 'require' | 'verify-ca' | 'verify-full';

const SSL_MODES: readonly SslMode[] = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'];

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
  /** The unit that a pooler in front of the server gives each connection: a session; null without a pooler. */
  readonly pooler: 'session' | null;
  readonly sslMode: SslMode;
  /** The certificates of the CA, as PEM; null for those that Node.js trusts. */
  readonly authority: string | null;
  /** The certificate that the client shows, and its key, as PEM; null for none. */
  readonly identity: { readonly cert: string; readonly key: string } | null;
}

/** The URL cannot be used. The message says why, without the password. */
export class InvalidDatabaseUrl extends Error {
  override readonly name = 'InvalidDatabaseUrl';
}

const PARAMETERS = ['host', 'schema', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'passfile', 'pooler'];
/** The value of `sslrootcert` for the CAs that are trusted anyway. */
const SYSTEM_AUTHORITIES = 'system';
const DEFAULT_PORT = 5_432;

/** Checks if a database is one of PostgreSQL, and not a file. */
export function isPostgresUrl(database: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(database);
}

/**
 * The database that a URL names: `postgres://user@host:port/database?sslmode=verify-full&sslrootcert=FILE&schema=NAME`.
 * A `host` that begins with a slash is the folder of a socket. Reads the files that it names.
 *
 * @param password takes the place of one in the URL
 * @throws {InvalidDatabaseUrl}
 */
export function parseDatabaseUrl(text: string, password: string | undefined): DatabaseUrl {
  const url = URL.parse(text);
  if (url === null || !isPostgresUrl(text)) throw invalidUrl('it is no URL, such as postgres://user@host/database');
  const { searchParams: parameters } = url;
  const unknown = [...parameters.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) throw invalidUrl(`it has the parameter ${unknown}; write ${PARAMETERS.join(', ')}`);
  const host = parameters.get('host') ?? (decoded(url.hostname).replace(/^\[|\]$/g, '') || '127.0.0.1');
  const database = decoded(url.pathname.slice(1));
  if (database === '') throw invalidUrl('it names no database, such as postgres://user@host/database');
  const schema = parameters.get('schema') ?? 'public';
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    throw invalidUrl('its schema is no name of lower-case letters, digits and underscores');
  const target = {
    host,
    port: url.port === '' ? DEFAULT_PORT : Number(url.port),
    database,
    user: decoded(url.username) || 'postgres',
  };
  return {
    ...target,
    password: password ?? findPassword(url, target),
    schema,
    pooler: parsePooler(parameters.get('pooler')),
    ...parseTls(parameters, host),
  };
}

/** The password in the URL, or in the file that it names. */
function findPassword(url: URL, target: PasswordTarget): string | null {
  if (url.password !== '') return decoded(url.password);
  const file = url.searchParams.get('passfile');
  return file === null ? null : passwordFor(target, requirePrivate(file));
}

/** The database that an entry of a password file is for. */
interface PasswordTarget {
  /** A name or an address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

/**
 * The password that a file has for a database, in the format of libpq's `.pgpass`: lines of
 * `host:port:database:user:password`, of which the first that matches decides. A field may be `*`; a backslash escapes
 * a colon or a backslash. A socket also has the host `localhost`.
 *
 * @returns null where no line matches
 */
export function passwordFor({ host, port, database, user }: PasswordTarget, text: string): string | null {
  const hosts = host.startsWith('/') ? [host, 'localhost'] : [host];
  const wanted = [hosts, [String(port)], [database], [user]];
  for (const line of text.split(/\r?\n/)) {
    if (line === '' || line.startsWith('#')) continue;
    const fields = splitFields(line);
    const password = fields[wanted.length];
    const isFor = wanted.every((values, at) => fields[at] === '*' || values.includes(fields[at] ?? ''));
    if (isFor && password !== undefined) return password;
  }
  return null;
}

function splitFields(line: string): readonly string[] {
  return [...line.matchAll(/((?:\\.|[^:\\])*)(?::|$)/g)].map(([, field = '']) => field.replaceAll(/\\(.)/g, '$1'));
}

/** A part of a URL. @throws {InvalidDatabaseUrl} without the part, which may be a password */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw invalidUrl('a percent sign in it begins no escape; write %25 for a percent sign');
  }
}

/** The URL without its password: for messages. */
export function displayedUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null) return 'postgres://...';
  if (url.password !== '') url.password = '***';
  return url.href;
}

/** The URL without its password: for a command that reads the password from elsewhere. */
export function withoutPassword(text: string): string {
  const url = URL.parse(text);
  if (url === null || url.password === '') return text;
  url.password = '';
  return url.href;
}

/** The host and the port that a URL names: for messages and metrics. @throws {InvalidDatabaseUrl} */
export function serverName(text: string): string {
  const { host, port } = parseDatabaseUrl(text, undefined);
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function invalidUrl(problem: string): InvalidDatabaseUrl {
  return new InvalidDatabaseUrl(`The URL of the database cannot be used: ${problem}.`);
}

function parsePooler(named: string | null): DatabaseUrl['pooler'] {
  if (named === null || named === 'session') return named;
  throw invalidUrl('its pooler is not session: one that pools transactions or statements cannot be used');
}

function readNamedFile(parameter: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new InvalidDatabaseUrl(`The file ${file} that ${parameter} names cannot be read.`, { cause });
  }
}

/** A file with passwords, which libpq would ignore too where others can read it. */
function requirePrivate(file: string): string {
  const text = readNamedFile('passfile', file);
  if (platform !== 'win32' && (statSync(file).mode & 0o077) !== 0)
    throw new InvalidDatabaseUrl(
      `The file ${file} that passfile names can be read by other users: run chmod 600 on it.`,
    );
  return text;
}

function parseTls(parameters: URLSearchParams, host: string): Pick<DatabaseUrl, 'sslMode' | 'authority' | 'identity'> {
  const named = parameters.get('sslrootcert');
  const authority = named === null || named === SYSTEM_AUTHORITIES ? null : readNamedFile('sslrootcert', named);
  const [cert, key] = [parameters.get('sslcert'), parameters.get('sslkey')];
  if ((cert === null) !== (key === null)) throw invalidUrl('sslcert needs sslkey, and sslkey needs sslcert');
  const identity =
    cert === null || key === null ? null : { cert: readNamedFile('sslcert', cert), key: readNamedFile('sslkey', key) };
  const sslMode = parseSslMode(parameters.get('sslmode'), host);
  // As with libpq: who names a CA wants it verified.
  return { sslMode: sslMode === 'require' && authority !== null ? 'verify-ca' : sslMode, authority, identity };
}

/** Defaults to an encrypted connection to a verified server, for all but this machine. A socket is never encrypted. */
function parseSslMode(named: string | null, host: string): SslMode {
  if (named === null) return isLocal(host) ? 'disable' : 'verify-full';
  const mode = SSL_MODES.find((each) => each === named);
  if (mode === undefined) throw invalidUrl(`its sslmode is none of ${SSL_MODES.join(', ')}`);
  return host.startsWith('/') ? 'disable' : mode;
}

function isLocal(host: string): boolean {
  return host.startsWith('/') || /^(?:localhost|127(?:\.\d+){3}|::1)$/.test(host);
}
