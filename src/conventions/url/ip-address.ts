/**
 * The octets of an address: 4 of IPv4, 16 of IPv6. An IPv4 address that is mapped into IPv6 (RFC 4291 2.5.5.2) is the
 * IPv4 address.
 */
export type IpAddress = readonly number[];

/** A network: the addresses that begin with the same bits (RFC 4632). */
export interface AddressRange {
  readonly address: IpAddress;
  /** Number of bits that count. */
  readonly prefix: number;
}

const IPV4 = /^(?:0|[1-9][0-9]{0,2})(?:\.(?:0|[1-9][0-9]{0,2})){3}$/;
const GROUP = /^[0-9A-Fa-f]{1,4}$/;
const PREFIX = /^(?:0|[1-9][0-9]{0,2})$/;
const MAPPED_OCTETS = 12;
const GROUPS = 8;

/**
 * Parses an IPv4 address in four decimal numbers or an IPv6 address without a zone (RFC 4291 2.2); null for any other
 * text.
 */
export function parseIpAddress(text: string): IpAddress | null {
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text);
}

/** Parses `10.0.0.0/8`, `fd00::/8` or one address; null for any other text, and where bits after the prefix are set. */
export function parseAddressRange(text: string): AddressRange | null {
  const [before = '', after, ...rest] = text.split('/');
  const address = parseIpAddress(before);
  if (address === null || rest.length > 0) return null;
  const bits = address.length * 8;
  if (after === undefined) return { address, prefix: bits };
  if (!PREFIX.test(after)) return null;
  // The prefix of a mapped address counts the bits of the mapping.
  const prefix = before.includes(':') && bits === 32 ? Number(after) - MAPPED_OCTETS * 8 : Number(after);
  if (prefix < 0 || prefix > bits) return null;
  return address.some((octet, index) => (octet & ~makeMask(prefix, index)) !== 0) ? null : { address, prefix };
}

/** True if a network contains an address. IPv4 and IPv6 are separate. */
export function isInRange(address: IpAddress, range: AddressRange): boolean {
  if (address.length !== range.address.length) return false;
  return range.address.every((octet, index) => ((octet ^ (address[index] ?? 0)) & makeMask(range.prefix, index)) === 0);
}

/** The one spelling of an address (RFC 5952 4). */
export function formatIpAddress(address: IpAddress): string {
  if (address.length === 4) return address.join('.');
  const groups = Array.from({ length: GROUPS }, (_, at) => ((address[2 * at] ?? 0) << 8) | (address[2 * at + 1] ?? 0));
  const texts = groups.map((group) => group.toString(16));
  const zeros = longestZeros(groups);
  if (zeros.length < 2) return texts.join(':');
  return `${texts.slice(0, zeros.start).join(':')}::${texts.slice(zeros.start + zeros.length).join(':')}`;
}

/** The bits of an octet that are within a prefix. */
function makeMask(prefix: number, octet: number): number {
  const bits = Math.min(8, Math.max(0, prefix - 8 * octet));
  return (0xff << (8 - bits)) & 0xff;
}

/** The first longest sequence of zeros. */
function longestZeros(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let longest = { start: 0, length: 0 };
  let start = 0;
  for (const [index, group] of groups.entries()) {
    if (group !== 0) start = index + 1;
    else if (index + 1 - start > longest.length) longest = { start, length: index + 1 - start };
  }
  return longest;
}

function parseIpv4(text: string): IpAddress | null {
  const octets = IPV4.test(text) ? text.split('.').map(Number) : [];
  return octets.length === 4 && octets.every((octet) => octet <= 0xff) ? octets : null;
}

/** 8 groups, or fewer with one `::`; an IPv4 suffix counts as two groups. */
function parseIpv6(text: string): IpAddress | null {
  const tail = text.slice(text.lastIndexOf(':') + 1);
  const ipv4 = tail.includes('.') ? parseIpv4(tail) : [];
  if (ipv4 === null) return null;
  const groups = ipv4.length === 0 ? text : `${text.slice(0, -tail.length)}0:0`;
  const halves = groups.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const [before = [], after] = halves;
  const missing = GROUPS - before.length - (after?.length ?? 0);
  if (halves.length > 2 || (after === undefined ? missing !== 0 : missing < 1)) return null;
  const all = [...before, ...Array.from({ length: missing }, () => '0'), ...(after ?? [])];
  if (!all.every((group) => GROUP.test(group))) return null;
  const octets = all.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]);
  const address = [...octets.slice(0, octets.length - ipv4.length), ...ipv4];
  return isMapped(address) ? address.slice(MAPPED_OCTETS) : address;
}

function isMapped(address: IpAddress): boolean {
  return address.slice(0, MAPPED_OCTETS).every((octet, index) => octet === (index < 10 ? 0 : 0xff));
}
