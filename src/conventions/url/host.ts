import { memoize } from '../../cache/memoize.ts';
import { parseIpAddress } from './ip-address.ts';

/**
 * `uri-host [ ":" port ]` of RFC 9110 7.2 with a non-empty host. An address in brackets is checked by `parseIpAddress`.
 */
const HOST = /^(\[[0-9A-Fa-f:.]+\]|(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+)(?::([0-9]{0,5}))?$/;
const MAX_PORT = 65_535;

const OCTET = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';

const LOOPBACK_IPV4 = new RegExp(`^127(?:\\.${OCTET}){3}$`);
const LOOPBACK_NAME = /^(?:[a-z0-9-]+\.)*localhost\.?$/i;

/**
 * True if a value is a host with an optional port: a name, an IPv4 address or an IPv6 address in brackets (RFC 3986
 * 3.2.2).
 */
export function isHost(value: string): boolean {
  return hostName(value) !== null;
}

/**
 * True if a `Host` value, with any port, can only mean this machine: `localhost`, a subdomain of it (RFC 6761 6.3),
 * 127.0.0.0/8 or `[::1]`. Any other name that resolves to a loopback address is rejected: that is DNS rebinding
 * (AUTH-7).
 */
export function isLoopbackHost(value: string): boolean {
  const name = hostName(value);
  return name !== null && isLoopbackName(name);
}

/**
 * Which values of `Host` are accepted (AUTH-7): any, loopback names, or the listed names in lower case, each with or
 * without a port.
 */
export type HostRule = 'any' | 'loopback' | ReadonlySet<string>;

/**
 * The rule that accepts the given names. One without a port stands for every port of that host.
 *
 * @throws {RangeError} for what is not a host with an optional port, such as a URL
 */
export function listedHosts(hosts: readonly string[]): HostRule {
  for (const host of hosts)
    if (!isHost(host))
      throw new RangeError(
        `'${host}' is not a valid host; write a name such as api.example.com, or api.example.com:8080.`,
      );
  return new Set(hosts.map((host) => host.toLowerCase()));
}

/** True if a rule accepts a valid value of `Host`. */
export function acceptsHost(rule: HostRule, host: string): boolean {
  if (rule === 'any') return true;
  if (rule === 'loopback') return isLoopbackHost(host);
  const value = host.toLowerCase();
  return rule.has(value) || rule.has(hostName(value) ?? value);
}

/** The host without its port; null if the value is not a valid host. */
const hostName = memoize((value): string | null => {
  const [, name, port] = HOST.exec(value) ?? [];
  if (name === undefined || Number(port ?? 0) > MAX_PORT) return null;
  const isValid = !name.startsWith('[') || (name.includes(':') && parseIpAddress(name.slice(1, -1)) !== null);
  return isValid ? name : null;
});

const isLoopbackName = memoize((name) => name === '[::1]' || LOOPBACK_NAME.test(name) || LOOPBACK_IPV4.test(name));
