import net from 'node:net';
import { commandFailed } from '../command-error.ts';

const loopback = new net.BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** True if only its own machine can reach a server that is bound to this host name or address (AUTH-7). */
export function isLoopback(host: string): boolean {
  const family = net.isIP(host);
  if (family === 0) return host.toLowerCase() === 'localhost';
  return loopback.check(host, family === 6 ? 'ipv6' : 'ipv4');
}

/**
 * The address under which this machine reaches a server: a server on all addresses (`0.0.0.0`, `::`) is also on the
 * loopback one.
 */
export function localAddress(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

/** The URL of a server's API, with an IPv6 address in brackets (RFC 3986 3.2.2). */
export function serverUrl(host: string, port: number, basePath: string): string {
  return `http://${net.isIPv6(host) ? `[${host}]` : host}:${port}${basePath}`;
}

/**
 * Opens a server whose error names the cause and the fix.
 *
 * @throws {CommandError} exit 1 where the address cannot be bound
 */
export async function openServer<T>(open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    throw commandFailed(error instanceof Error ? error.message : String(error));
  }
}
