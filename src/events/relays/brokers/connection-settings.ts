import { readFile } from 'node:fs/promises';
import type { RelayTarget } from '../../../model/relay-settings.ts';

/** Longest problem that is reported, in characters. */
const MAX_PROBLEM = 300;

/** Credentials of a broker: a text of a file, or the user information of a URL. */
export interface BrokerCredentials {
  /** Null where there is only a password or a token. */
  readonly username: string | null;
  readonly password: string;
}

/** Texts in PEM. */
interface Certificates {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** The content of the files of a target; null for those that it does not have. */
export interface ConnectionFiles {
  /** Credentials as they are in their file, trimmed. */
  readonly credentials: string | null;
  readonly ca: string | null;
  readonly cert: string | null;
  readonly key: string | null;
}

/**
 * Reads the files of a target: at each connection, so that rotated ones count.
 *
 * @throws {Error} without their content
 */
export async function readConnectionFiles({ credentialsFile, tls }: RelayTarget): Promise<ConnectionFiles> {
  const [credentials, ca, cert, key] = await Promise.all([
    readSetting('the credentials file', credentialsFile),
    readSetting('the file of certificate authorities', tls.caFile),
    readSetting('the file of the client certificate', tls.certFile),
    readSetting('the key file of the client certificate', tls.keyFile),
  ]);
  return { credentials: credentials?.trim() ?? null, ca, cert, key };
}

async function readSetting(name: string, file: string | null): Promise<string | null> {
  if (file === null) return null;
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new Error(`${name} cannot be read: ${describeFailure(cause)}`, { cause });
  }
}

/** The certificates and the key of files as Node.js takes them: those that there are. */
export function listCertificates({ ca, cert, key }: ConnectionFiles): Certificates {
  return { ...(ca !== null && { ca }), ...(cert !== null && { cert }), ...(key !== null && { key }) };
}

/** The credentials of a target: those of its file, or else those in its URL; null for none. */
export function chooseCredentials(
  { credentials }: ConnectionFiles,
  ofUrl: BrokerCredentials | null,
): BrokerCredentials | null {
  return credentials === null ? ofUrl : parseCredentials(credentials);
}

/** Reads `user:password`, or a password alone. */
function parseCredentials(text: string): BrokerCredentials {
  const colon = text.indexOf(':');
  return colon < 0
    ? { username: null, password: text }
    : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** The user information of a URL; null if it has none. `redis://:secret@host` has a password alone. */
export function findUrlCredentials(url: string): BrokerCredentials | null {
  const { username, password } = new URL(url);
  if (username === '' && password === '') return null;
  return { username: username === '' ? null : decodeURIComponent(username), password: decodeURIComponent(password) };
}

/** The host and port of a broker. */
export interface BrokerHost {
  readonly host: string;
  readonly port: number;
}

/** The hosts of a URL such as `nats://user:password@one:4222,two`, and the credentials of the first one. */
export interface BrokerHosts {
  readonly hosts: readonly BrokerHost[];
  readonly credentials: BrokerCredentials | null;
}

/** Reads the hosts of a URL. Each of them may have the scheme. */
export function parseHosts(url: string, defaultPort: number): BrokerHosts {
  const scheme = url.slice(0, url.indexOf('://') + 3);
  const urls = url
    .slice(scheme.length)
    .split(',')
    .map((host) => new URL(host.startsWith(scheme) ? host : `${scheme}${host}`));
  return {
    hosts: urls.map((each) => readHost(each, defaultPort)),
    credentials: urls[0] === undefined ? null : findUrlCredentials(urls[0].href),
  };
}

/** Reads the host of a URL, an address of IPv6 without brackets. */
export function readHost({ hostname, port }: URL, defaultPort: number): BrokerHost {
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? defaultPort : Number(port) };
}

/** Writes hosts for messages: `one:4222,two:4222`. */
export function formatHosts(hosts: readonly BrokerHost[]): string {
  return hosts.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`).join(',');
}

/** Describes an error in one short line. Errors of clients contain addresses, and no credentials. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, MAX_PROBLEM);
  // Node.js combines the errors of several addresses, without a message.
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const described = cause instanceof Error ? cause : error;
  const [line = ''] = described.message.split('\n');
  return (line === '' ? described.name : line).slice(0, MAX_PROBLEM);
}
