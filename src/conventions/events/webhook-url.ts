import type { AddressRange } from '../url/ip-address.ts';
import { isInRange, parseAddressRange, parseIpAddress } from '../url/ip-address.ts';

/** The rules for URLs of webhooks, apart from the addresses to which names resolve (EVT-7). */
export interface WebhookUrlRules {
  /** `webhooks.allow_hosts` of the model. */
  readonly allowed: AllowedHosts;
  /** True if loopback addresses are allowed, also by http: `serve --dev`. */
  readonly loopback: boolean;
}

/** The hosts that webhooks may call wherever they are: names, and networks of addresses. */
export interface AllowedHosts {
  readonly names: ReadonlySet<string>;
  readonly ranges: readonly AddressRange[];
}

/** An URL of a webhook, or why it cannot be one: a predicate without a subject. */
export type WebhookUrl =
  | { readonly kind: 'valid'; readonly url: URL }
  | { readonly kind: 'invalid'; readonly message: string };

const MAX_LENGTH = 2_048;
const HTTPS_PORT = 443;
const FIRST_FREE_PORT = 1_024;
/** Ports of other protocols at and above 1024 (Fetch, "port blocking"). */
const BLOCKED_PORTS: ReadonlySet<number> = new Set([
  1_719, 1_720, 1_723, 2_049, 3_659, 4_045, 4_190, 5_060, 5_061, 6_000, 6_566, 6_665, 6_666, 6_667, 6_668, 6_669, 6_679,
  6_697, 10_080,
]);
const NAME = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/** Characters that URL parsers remove or replace, each in its own way: others may see another host. */
const NOT_OF_URLS = /[\s\\\p{Cc}]/u;
/** User information before the host, also an empty one. */
const USER = /^https?:\/*[^/?#]*@/i;

/**
 * Parses `webhooks.allow_hosts`: names, addresses and networks.
 *
 * @returns the first entry that is none of these as `invalid`
 */
export function parseAllowedHosts(
  entries: readonly string[],
): { readonly kind: 'valid'; readonly hosts: AllowedHosts } | { readonly kind: 'invalid'; readonly entry: string } {
  const names = new Set<string>();
  const ranges: AddressRange[] = [];
  for (const entry of entries) {
    const range = parseAddressRange(entry);
    if (range !== null) ranges.push(range);
    else if (isNumeric(entry) || !NAME.test(entry.toLowerCase())) return { kind: 'invalid', entry };
    else names.add(entry.toLowerCase());
  }
  return { kind: 'valid', hosts: { names, ranges } };
}

/**
 * Checks the URL of a webhook (EVT-7): https, without user information or fragment, on a port of HTTPS or one that no
 * other protocol has. What its host resolves to is for who connects.
 */
export function parseWebhookUrl(text: string, { allowed, loopback }: WebhookUrlRules): WebhookUrl {
  if (text.length > MAX_LENGTH) return invalidUrl(`has more than ${MAX_LENGTH} characters`);
  if (NOT_OF_URLS.test(text)) return invalidUrl('must not have spaces, line breaks or backslashes');
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) return invalidUrl('must be an absolute URL, such as https://example.com/hooks');
  const isOfLoopback = isLoopback(webhookHost(url));
  const isLocal = loopback && isOfLoopback;
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocal)) {
    const hint = isOfLoopback ? '; a server that is started with --dev also takes http:// to this machine' : '';
    return invalidUrl(`must begin with https://${hint}`);
  }
  if (USER.test(text)) return invalidUrl('must not have a user name or password');
  if (url.hash !== '') return invalidUrl('must not have a fragment');
  const port = Number(url.port || HTTPS_PORT);
  const isFree = port >= FIRST_FREE_PORT && !BLOCKED_PORTS.has(port);
  if (port !== HTTPS_PORT && !isFree && !isLocal && !isAllowedHost(webhookHost(url), allowed))
    return invalidUrl(`must not have the port ${port}: use 443, or one from 1024 on that no other protocol has`);
  return { kind: 'valid', url };
}

/** The host of a URL: a name without its trailing dot, or an address without brackets. */
export function webhookHost({ hostname }: Pick<URL, 'hostname'>): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname.replace(/\.$/, '');
}

/** True if a host is allowed by its name or its address. */
export function isAllowedHost(host: string, { names, ranges }: AllowedHosts): boolean {
  const address = parseIpAddress(host);
  return address === null ? names.has(host) : ranges.some((range) => isInRange(address, range));
}

/** True if a host is on this machine by its spelling: `localhost`, 127.0.0.0/8, ::1. */
function isLoopback(host: string): boolean {
  const address = parseIpAddress(host);
  if (address === null) return host === 'localhost';
  return address.length === 4 ? address[0] === 127 : address.every((octet, index) => octet === (index === 15 ? 1 : 0));
}

/** True if a text could only be meant as an address or a network. */
function isNumeric(text: string): boolean {
  return /^[0-9.:/]+$|[:/]/.test(text);
}

function invalidUrl(message: string): WebhookUrl {
  return { kind: 'invalid', message };
}
