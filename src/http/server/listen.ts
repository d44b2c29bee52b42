import { once } from 'node:events';
import type { ListenOptions, Server } from 'node:net';
import process from 'node:process';

/** Where a server is to listen. */
export interface Address {
  /** An address or a name of this machine: `127.0.0.1`, `::`. */
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Whether other processes listen on the port too, which `claimPort` claimed for all of them. */
  readonly sharing?: boolean;
}

/**
 * Binds a server.
 *
 * @returns the port that was bound: the one asked for, or the one that the system chose for 0
 * @throws {Error} in plain words, with the cause and the fix; `cause` is the error of the system
 */
export async function listen(server: Server, address: Address): Promise<number> {
  const { host, port, sharing = false } = address;
  try {
    if (sharing) await bindShared(server, { host, port });
    else await bind(server, { host, port });
  } catch (error) {
    throw bindError(error, host, port);
  }
  return portOf(server) ?? port;
}

/**
 * Has the system give connections to all processes in turn, and where it cannot, or a claim would not hold, the process that started them
 * (`node:cluster`), which knows the address by how it was asked for.
 */
async function bindShared(server: Server, asked: ListenOptions): Promise<void> {
  try {
    await bind(server, { ...asked, reusePort: process.platform === 'linux' });
  } catch (error) {
    if (systemCode(error) !== 'ENOTSUP') throw error;
    await bind(server, asked);
  }
}

/** Resolves when a server listens. @throws what the system says */
export async function bind(server: Server, options: ListenOptions): Promise<void> {
  server.listen(options);
  await once(server, 'listening');
}

/** The port that a server has. */
export function portOf(server: Server): number | null {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : null;
}

/** What the system calls an error. */
export function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown error';
}

/** The error of the system in plain words, as the cause of which it stands. */
export function bindError(error: unknown, host: string, port: number): Error {
  return new Error(bindErrorMessage(systemCode(error), host, port), { cause: error });
}

function bindErrorMessage(code: string, host: string, port: number): string {
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
