import { BlockList, isIPv6, type SocketAddress } from 'node:net';
import { formatIpAddress } from '../../conventions/ip-address.ts';
import type { WebhookUrlRules } from '../../conventions/webhook-url.ts';

type Subnet = readonly [address: string, prefix: number];

/** Networks without public hosts, or through which such networks can be reached (IANA special-purpose registries). */
const NOT_PUBLIC: readonly Subnet[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  // Multicast, reserved and broadcast.
  ['224.0.0.0', 3],
  // Unspecified, loopback, and IPv4-compatible addresses.
  ['::', 96],
  // IPv4 translation: NAT64 leads to the private networks of the translator.
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['100:0:0:1::', 64],
  // Protocol assignments, with Teredo (2001::/32) and ORCHID.
  ['2001::', 23],
  ['2001:db8::', 32],
  // 6to4 holds an IPv4 address.
  ['2002::', 16],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
];

const EVERYTHING: readonly Subnet[] = [
  ['0.0.0.0', 0],
  ['::', 0],
];

const LOOPBACK: readonly Subnet[] = [
  ['127.0.0.0', 8],
  ['::1', 128],
];

/** The addresses to which no connection is made. `net.connect` checks each address with it, at the time of the connection. */
export class AddressGuard extends BlockList {
  readonly #exceptions = new BlockList();

  private constructor(blocked: readonly Subnet[], exceptions: readonly Subnet[]) {
    super();
    for (const [address, prefix] of blocked) this.addSubnet(address, prefix, familyOf(address));
    for (const [address, prefix] of exceptions) this.#exceptions.addSubnet(address, prefix, familyOf(address));
  }

  /** Blocks what is not public, except the networks that the rules allow. */
  static public({ allowed, loopback }: WebhookUrlRules): AddressGuard {
    const ranges = allowed.ranges.map(({ address, prefix }): Subnet => [formatIpAddress(address), prefix]);
    return new AddressGuard(NOT_PUBLIC, loopback ? [...ranges, ...LOOPBACK] : ranges);
  }

  /** Blocks all but the addresses of this machine. */
  static loopback(): AddressGuard {
    return new AddressGuard(EVERYTHING, LOOPBACK);
  }

  /** Blocks nothing. */
  static open(): AddressGuard {
    return new AddressGuard([], []);
  }

  override check(address: SocketAddress | string, type?: 'ipv4' | 'ipv6'): boolean {
    const text = typeof address === 'string' ? address : address.address;
    const family = type ?? familyOf(text);
    return super.check(text, family) && !this.#exceptions.check(text, family);
  }
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}
