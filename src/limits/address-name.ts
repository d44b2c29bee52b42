import { formatIpAddress, parseIpAddress } from '../conventions/url/ip-address.ts';

/**
 * The first 64 bits of an IPv6 address where it is written without zeros to guess; `::ffff:` of IPv4 never begins so.
 */
const WRITTEN_NETWORK = /^(?!0:)(?:(?:0|[1-9a-f][0-9a-f]{0,3}):){4}(?!:)/;
/** Octets of a network of one customer. */
const NETWORK = [0, 2, 4, 6] as const;

/**
 * Names the bucket of an address (LIM-2). It is the whole IPv4 address, also if it is mapped to IPv6, or the /64 of
 * IPv6, for a customer chooses the rest.
 *
 * @param address in any spelling; another text, such as the path of a socket, names itself
 */
export function addressName(address: string): string {
  if (!address.includes(':')) return address;
  const written = WRITTEN_NETWORK.exec(address);
  if (written !== null) return `${written[0]}:/64`;
  const [withoutZone = ''] = address.split('%', 1);
  const octets = parseIpAddress(withoutZone);
  if (octets === null) return address;
  if (octets.length === 4) return formatIpAddress(octets);
  const groups = NETWORK.map((at) => (((octets[at] ?? 0) << 8) | (octets[at + 1] ?? 0)).toString(16));
  return `${groups.join(':')}::/64`;
}
