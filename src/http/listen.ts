import { once } from 'node:events';
import type { Server } from 'node:net';

/**
 * Binds a server.
 *
 * @returns the port that was bound: the one asked for, or the one that the system chose for 0
 * @throws {Error} in plain words, with the cause and the fix; `cause` is the error of the system
 */
export async function listen(server: Server, host: string, port: number): Promise<number> {
  try {
    server.listen({ host, port });
    await once(server, 'listening');
  } catch (error) {
    throw new Error(explain(systemCode(error), host, port), { cause: error });
  }
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
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
