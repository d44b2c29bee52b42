import type { ConnectionOptions } from 'node:tls';
import type { DatabaseUrl } from './database-url.ts';

/** The driver's message for a server that does not encrypt. */
const NO_TLS = 'The server does not support SSL connections';

/** Converts the settings of a URL to the driver's options for TLS; false for no encryption. */
export function tlsOptions({ sslMode, authority, identity }: DatabaseUrl): ConnectionOptions | false {
  if (sslMode === 'disable') return false;
  const own = identity ?? {};
  if (sslMode === 'prefer' || sslMode === 'require') return { ...own, rejectUnauthorized: false };
  const ca = authority === null ? {} : { ca: authority };
  return { ...own, ...ca, ...(sslMode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}) };
}

/** Checks if a connection failed because the server does not encrypt. */
export function isWithoutTls(error: unknown): boolean {
  return error instanceof Error && error.message === NO_TLS;
}
