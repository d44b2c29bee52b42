import net from 'node:net';

const loopback = new net.BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether a server bound to this host name or address can be reached from its own machine alone (AUTH-7). */
export function isLoopback(host: string): boolean {
  const family = net.isIP(host);
  if (family === 0) return host.toLowerCase() === 'localhost';
  return loopback.check(host, family === 6 ? 'ipv6' : 'ipv4');
}

/** The URL of a server's API; an IPv6 address stands in brackets (RFC 3986 3.2.2). */
export function serverUrl(host: string, port: number, basePath: string): string {
  return `http://${net.isIPv6(host) ? `[${host}]` : host}:${port}${basePath}`;
}
