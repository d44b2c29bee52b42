import { once } from 'node:events';
import { createServer, type ListenOptions, type Server } from 'node:net';

/** Where a server is to listen. */
export interface Address {
  /** An address or a name of this machine: `127.0.0.1`, `::`. */
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Where several processes listen on one port: the port that the first of them has, null for the first. Left out where one is alone. */
  readonly sharing?: { readonly port: number | null } | undefined;
}

/**
 * Binds a server.
 *
 * @returns the port that was bound: the one asked for, or the one that the system chose for 0
 * @throws {Error} in plain words, with the cause and the fix; `cause` is the error of the system
 */
export async function listen(server: Server, address: Address): Promise<number> {
  const { host, port, sharing } = address;
  try {
    if (sharing === undefined) await bind(server, { host, port });
    else await bindShared(server, { host, port }, sharing.port);
  } catch (error) {
    throw new Error(explain(systemCode(error), host, port), { cause: error });
  }
  return portOf(server) ?? port;
}

/**
 * Has the system give connections to all processes in turn, and where it cannot, the process that started them (`node:cluster`), which
 * knows the address by how it was asked for.
 */
async function bindShared(server: Server, asked: ListenOptions, shared: number | null): Promise<void> {
  if (shared === null) await findFree(asked);
  try {
    await bind(server, { ...asked, port: shared ?? asked.port, reusePort: true });
  } catch (error) {
    if (systemCode(error) !== 'ENOTSUP') throw error;
    await bind(server, asked);
  }
}

/** Fails where another program has the address: two that share it would not hear of each other. */
async function findFree(asked: ListenOptions): Promise<void> {
  if (asked.port === 0) return;
  const server = createServer();
  await bind(server, { ...asked, exclusive: true });
  server.close();
  await once(server, 'close');
}

async function bind(server: Server, options: ListenOptions): Promise<void> {
  server.listen(options);
  await once(server, 'listening');
}

function portOf(server: Server): number | null {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : null;
}

function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown error';
}

function explain(code: string, host: string, port: number): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is in use by another program. Stop that program or choose another port.`;
    case 'EACCES':
      return `This user may not open port ${port} on ${host}. Choose a port above 1023 or grant the permission.`;
    case 'EADDRNOTAVAIL':
      return `This machine has no address ${host}. Choose one of its own, such as 127.0.0.1, or 0.0.0.0 for all.`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `The host name ${host} leads to no address. Check its spelling or give an IP address.`;
    case 'ERR_SOCKET_BAD_PORT':
      return `${port} is no port. Choose one from 0 to 65535.`;
    default:
      return `Port ${port} on ${host} cannot be opened (${code}). Choose another port or address.`;
  }
}
