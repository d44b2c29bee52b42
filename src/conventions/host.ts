import { memoize } from '../cache/memoize.ts';

/** `uri-host [ ":" port ]` of RFC 9110 7.2 with a non-empty host. An address in brackets is checked by `isIpv6`. */
const HOST = /^(\[[0-9A-Fa-f:.]+\]|(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+)(?::([0-9]{0,5}))?$/;
const MAX_PORT = 65_535;

const GROUP = /^[0-9A-Fa-f]{1,4}$/;
const OCTET = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const IPV4_TAIL = new RegExp(`(?<=:)${OCTET}(?:\\.${OCTET}){3}$`);

const LOOPBACK_IPV4 = new RegExp(`^127(?:\\.${OCTET}){3}$`);
const LOOPBACK_NAME = /^(?:[a-z0-9-]+\.)*localhost\.?$/i;

/** Whether a value is a host with an optional port: a name, an IPv4 address or an IPv6 address in brackets (RFC 3986 3.2.2). */
export function isHost(value: string): boolean {
  return hostName(value) !== null;
}

/**
 * Whether a `Host` value, with any port, can only mean this machine: `localhost`, a subdomain of it (RFC 6761 6.3), 127.0.0.0/8 or `[::1]`.
 * Any other name that resolves to a loopback address is rejected: that is DNS rebinding (AUTH-7).
 */
export function isLoopbackHost(value: string): boolean {
  const name = hostName(value);
  return name !== null && isLoopbackName(name);
}

/** The host without its port; null if the value is not a valid host. */
const hostName = memoize((value): string | null => {
  const [, name, port] = HOST.exec(value) ?? [];
  if (name === undefined || Number(port ?? 0) > MAX_PORT) return null;
  return name.startsWith('[') && !isIpv6(name.slice(1, -1)) ? null : name;
});

const isLoopbackName = memoize((name) => name === '[::1]' || LOOPBACK_NAME.test(name) || LOOPBACK_IPV4.test(name));

/** Whether a text is an IPv6 address (RFC 4291 2.2): 8 groups, or fewer with one `::`; an IPv4 suffix counts as two groups. */
function isIpv6(text: string): boolean {
  const halves = text.replace(IPV4_TAIL, '0:0').split('::');
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const complete = halves.length === 1 ? groups.length === 8 : halves.length === 2 && groups.length < 8;
  return complete && groups.every((group) => GROUP.test(group));
}
