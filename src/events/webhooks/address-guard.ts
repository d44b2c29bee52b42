import { BlockList, type SocketAddress } from 'node:net';
import { type AddressRange, isInRange, parseAddressRange, parseIpAddress } from '../../conventions/url/ip-address.ts';
import type { WebhookUrlRules } from '../../conventions/events/webhook-url.ts';

/** Networks without public hosts, or through which such networks can be reached (IANA special-purpose registries). */
const NOT_PUBLIC: readonly string[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  // Multicast, reserved and broadcast.
  '224.0.0.0/3',
  // Global unicast addresses are in 2000::/3. All others are local, multicast, not assigned, or IPv4 addresses that are
  // translated (NAT64, SIIT).
  '::/3',
  '4000::/2',
  '8000::/1',
  // Protocol assignments, with Teredo (2001::/32) and ORCHID.
  '2001::/23',
  '2001:db8::/32',
  // 6to4 holds an IPv4 address.
  '2002::/16',
  '3fff::/20',
];

const EVERYTHING: readonly string[] = ['0.0.0.0/0', '::/0'];

const LOOPBACK: readonly string[] = ['127.0.0.0/8', '::1/128'];

/** The addresses to which no connection is made. `net.connect` checks each address with it when it connects. */
export class AddressGuard extends BlockList {
  readonly #blocked: readonly AddressRange[];
  readonly #exceptions: readonly AddressRange[];

  private constructor(blocked: readonly string[], exceptions: readonly AddressRange[]) {
    super();
    this.#blocked = parseNetworks(blocked);
    this.#exceptions = exceptions;
  }

  /** Blocks all networks that are not public, except those that the rules allow. */
  static public({ allowed: { ranges }, loopback }: WebhookUrlRules): AddressGuard {
    return new AddressGuard(NOT_PUBLIC, loopback ? [...ranges, ...parseNetworks(LOOPBACK)] : ranges);
  }

  /** Blocks all but the addresses of this machine. */
  static loopback(): AddressGuard {
    return new AddressGuard(EVERYTHING, parseNetworks(LOOPBACK));
  }

  /** Blocks nothing. */
  static open(): AddressGuard {
    return new AddressGuard([], []);
  }

  /**
   * Checks an IPv4 address that is mapped into IPv6 as the IPv4 address. `BlockList` would also compare IPv4 addresses
   * with networks of IPv6.
   */
  override check(address: SocketAddress | string): boolean {
    const octets = parseIpAddress(typeof address === 'string' ? address : address.address);
    if (octets === null) return this.#blocked.length > 0;
    const isIn = (ranges: readonly AddressRange[]): boolean => ranges.some((range) => isInRange(octets, range));
    return isIn(this.#blocked) && !isIn(this.#exceptions);
  }
}

function parseNetworks(networks: readonly string[]): readonly AddressRange[] {
  return networks.map((network) => {
    const range = parseAddressRange(network);
    if (range === null) throw new Error(`${network} is no network`);
    return range;
  });
}
