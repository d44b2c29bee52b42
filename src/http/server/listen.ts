import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import type { ListenOptions, Server } from 'node:net';
import process from 'node:process';

/** The address of a server. */
export interface Address {
  /** An IP address or host name of this machine: `127.0.0.1`, `::`. */
  readonly host: string;
  /** 0 lets the operating system choose. */
  readonly port: number;
  /** True if other processes share the port, which `reservePort` reserved for them. */
  readonly sharing?: boolean;
}

/**
 * Binds a server.
 *
 * @returns the bound port: the requested one, or for 0 the one that the operating system chose
 * @throws {Error} with the cause and the fix; its `cause` is the system error
 */
export async function listen(server: Server, address: Address): Promise<number> {
  const { host, port, sharing = false } = address;
  try {
    if (sharing) await bindShared(server, { host, port });
    else await bind(server, { host, port });
  } catch (error) {
    throw bindError(error, host, port);
  }
  return readPort(server) ?? port;
}

/**
 * Lets the operating system distribute connections over the processes (`SO_REUSEPORT`). Where it cannot, or where a
 * reservation would not hold, the parent process distributes them (`node:cluster`), which identifies the address by its
 * options.
 */
async function bindShared(server: Server, address: ListenOptions): Promise<void> {
  try {
    await bind(server, { ...address, reusePort: process.platform === 'linux' });
  } catch (error) {
    if (systemCode(error) !== 'ENOTSUP') throw error;
    await bind(server, address);
  }
}

/** Resolves when the server listens. @throws the system error */
export async function bind(server: Server, options: ListenOptions): Promise<void> {
  server.listen(options);
  await once(server, 'listening');
}

/** Closes a server, with all of its connections. */
export function closeWithConnections(server: HttpServer): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** The port of a server; null where it has none. */
export function readPort(server: Server): number | null {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : null;
}

/** The system's code of an error, such as `EADDRINUSE`. */
export function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown error';
}

/** An error with the cause and the fix. @param error the system error, which becomes its `cause` */
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
      return `The host name ${host} cannot be resolved. Check its spelling or use an IP address.`;
    case 'ERR_SOCKET_BAD_PORT':
      return `${port} is not a valid port. Choose one from 0 to 65535.`;
    default:
      return `Port ${port} on ${host} cannot be opened (${code}). Choose another port or address.`;
  }
}
