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
 * @throws {Error} for a file that cannot be read
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

/** Reads `user:password`, or a password alone. */
export function parseCredentials(text: string): BrokerCredentials {
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

/** Describes an error in one short line. Errors of clients contain addresses, and no credentials. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, MAX_PROBLEM);
  // Node.js combines the errors of several addresses, without a message.
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const described = cause instanceof Error ? cause : error;
  const [line = ''] = described.message.split('\n');
  return (line === '' ? described.name : line).slice(0, MAX_PROBLEM);
}
