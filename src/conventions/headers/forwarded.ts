import { memoize } from '../../cache/memoize.ts';
import { QUOTED_STRING, TOKEN, unescapeQuoted } from './field-syntax.ts';
import type { HeaderFields } from './header-fields.ts';
import { isHost } from '../url/host.ts';
import { type AddressRange, formatIpAddress, type IpAddress, isInRange, parseIpAddress } from '../url/ip-address.ts';

export type Scheme = 'http' | 'https';

/**
 * The origin of a request: the connection of its client, which is the peer's own or the one that trusted proxies report
 * (AUTH-6).
 */
export interface ClientConnection {
  /** The address in its one spelling; '' where it is unknown. */
  readonly address: string;
  readonly scheme: Scheme;
  /**
   * The host that the client named to a trusted proxy; null where none reports it. For comparison only: links and
   * routes never use it.
   */
  readonly host: string | null;
  /** True if the peer is a trusted proxy. */
  readonly byProxy: boolean;
}

/** The connection to the peer, as the server sees it. */
interface PeerConnection {
  readonly peer: string;
  readonly scheme?: Scheme;
}

/** The report of one proxy about the connection that it accepted. */
interface Hop {
  /** The address of its client; null where it reports none. */
  readonly address: IpAddress | null;
  readonly scheme: Scheme | null;
  readonly host: string | null;
}

/** An entry that cannot be read. The hops before it are unknown, too. */
const UNKNOWN: Hop = { address: null, scheme: null, host: null };

/** One pair of a `Forwarded` element and what ends it; a pair may be absent (RFC 7239 4). */
const PAIR = new RegExp(`[\\t ]*(?:(${TOKEN})=(?:(${TOKEN})|${QUOTED_STRING}))?[\\t ]*([;,]|$)`, 'y');
/** A node (RFC 7239 6): an IPv6 address is in brackets where a port follows, and some proxies omit them without one. */
const NODE = /^(?:\[([0-9A-Fa-f:.]+)\](?::[0-9]{1,5})?|([0-9.]+)(?::[0-9]{1,5})?|([0-9A-Fa-f:.]+))$/;

/**
 * The connection of the client. Only trusted proxies can name it, by `Forwarded` (RFC 7239) or `X-Forwarded-For`,
 * `-Proto` and `-Host`. Entries are read from the last one back while the proxy that wrote them is trusted. The
 * first address that is not trusted is the client's. An unreadable entry ends the search, so that a client cannot
 * choose its address. If both kinds of fields are present and differ, neither is used. A proxy writes one kind, and
 * passes on the other as the client sent it.
 *
 * @param connection the peer's address and the scheme of its connection (default: http)
 */
export function clientConnection(
  connection: PeerConnection,
  fields: HeaderFields,
  proxies: readonly AddressRange[],
): ClientConnection {
  const { peer, scheme = 'http' } = connection;
  const { address, text } = peerAddress(peer);
  const byProxy = address !== null && isTrusted(address, proxies);
  const direct: ClientConnection = { address: text, scheme, host: null, byProxy };
  if (!byProxy) return direct;
  const standard = readClient(direct, forwardedHops(fields), proxies);
  const common = readClient(direct, commonHops(fields), proxies);
  if (standard === null || common === null) return standard ?? common ?? direct;
  if (standard.address !== common.address || standard.scheme !== common.scheme) return { ...direct, scheme: 'http' };
  return standard.host === common.host ? standard : { ...standard, host: null };
}

/** The peer's address, without the zone of a link-local one. Few peers send nearly all requests. */
const peerAddress = memoize((peer): { readonly address: IpAddress | null; readonly text: string } => {
  const address = parseIpAddress(peer.replace(/%.*$/s, ''));
  return { address, text: address === null ? peer : formatIpAddress(address) };
});

function isTrusted(address: IpAddress, proxies: readonly AddressRange[]): boolean {
  return proxies.some((range) => isInRange(address, range));
}

/** Reads the client from the hops, the hop of the nearest proxy last; null without any. */
function readClient(
  direct: ClientConnection,
  hops: readonly Hop[],
  proxies: readonly AddressRange[],
): ClientConnection | null {
  let known: ClientConnection | null = null;
  let { address } = direct;
  for (const hop of hops.toReversed()) {
    if (hop.address !== null) address = formatIpAddress(hop.address);
    known = { address, scheme: hop.scheme ?? 'http', host: hop.host, byProxy: true };
    if (hop.address === null || !isTrusted(hop.address, proxies)) return known;
  }
  return known;
}

/** The hops of `Forwarded`. Each line is read for itself, so that an open quote ends with its line. */
function forwardedHops(fields: HeaderFields): readonly Hop[] {
  return fields.lines('forwarded').flatMap((line) => readElements(line) ?? [UNKNOWN]);
}

/** The elements of one line; null if it is malformed. */
function readElements(line: string): readonly Hop[] | null {
  const hops: Hop[] = [];
  let pairs = new Map<string, string>();
  PAIR.lastIndex = 0;
  for (let match = PAIR.exec(line); match !== null; match = PAIR.exec(line)) {
    const [, name, token, quoted = '', end] = match;
    if (name !== undefined) {
      if (pairs.has(name.toLowerCase())) return null;
      pairs.set(name.toLowerCase(), token ?? unescapeQuoted(quoted));
    }
    if (end === ';') continue;
    if (pairs.size > 0) hops.push(makeHop(pairs.get('for'), pairs.get('proto'), pairs.get('host')));
    if (end === '') return hops;
    pairs = new Map();
  }
  return null;
}

const FORWARDED = { nodes: 'x-forwarded-for', schemes: 'x-forwarded-proto', hosts: 'x-forwarded-host' } as const;

/** The header fields by which proxies describe the connection of a client. */
export const FORWARDED_FIELDS: readonly string[] = ['forwarded', ...Object.values(FORWARDED)];

/**
 * The hops of `X-Forwarded-*`, which are separate lists. Entries of two lists belong together if the lists are
 * equally long, or if one has a single entry.
 */
function commonHops(fields: HeaderFields): readonly Hop[] {
  const nodes = splitElements(fields.get(FORWARDED.nodes));
  const schemes = splitElements(fields.get(FORWARDED.schemes));
  const hosts = splitElements(fields.get(FORWARDED.hosts));
  if (nodes.length === 0) {
    const isEmpty = schemes.length === 0 && hosts.length === 0;
    return isEmpty ? [] : [makeHop(undefined, entryFor(schemes, 0, 1), entryFor(hosts, 0, 1))];
  }
  const { length } = nodes;
  return nodes.map((node, at) => makeHop(node, entryFor(schemes, at, length), entryFor(hosts, at, length)));
}

function entryFor(list: readonly string[], at: number, length: number): string | undefined {
  return list.length === length ? list[at] : list.length === 1 ? list[0] : undefined;
}

/** The entries of a list, without empty ones (RFC 9110 5.6.1). */
function splitElements(value: string | null): readonly string[] {
  return (value ?? '').split(',').flatMap((entry) => (entry.trim() === '' ? [] : [entry.trim()]));
}

function makeHop(node: string | undefined, scheme: string | undefined, host: string | undefined): Hop {
  const [, bracketed, ipv4, ipv6] = NODE.exec(node ?? '') ?? [];
  const named = scheme?.toLowerCase();
  return {
    address: parseIpAddress(bracketed ?? ipv4 ?? ipv6 ?? ''),
    scheme: named === 'http' || named === 'https' ? named : null,
    host: host !== undefined && isHost(host) ? host.toLowerCase() : null,
  };
}
