import type { ConnectionOptions } from 'node:tls';
import type { DatabaseUrl } from './database-url.ts';

/** What the driver says of a server that does not encrypt. */
const NO_TLS = 'The server does not support SSL connections';

/** How a connection is encrypted; false where it is not. */
export function tlsOptions({ sslMode, authority, identity }: DatabaseUrl): ConnectionOptions | false {
  if (sslMode === 'disable') return false;
  const own = identity ?? {};
  if (sslMode === 'prefer' || sslMode === 'require') return { ...own, rejectUnauthorized: false };
  const ca = authority === null ? {} : { ca: authority };
  return { ...own, ...ca, ...(sslMode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}) };
}

/** Whether a connection failed because the server does not encrypt. */
export function isWithoutTls(error: unknown): boolean {
  return error instanceof Error && error.message === NO_TLS;
}
