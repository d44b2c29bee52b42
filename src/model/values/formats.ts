import type { Json } from '../../conventions/json/json.ts';
import { isDate, isTime } from './date-time.ts';
import type { IdRule, TextFormat, ValueType } from '../model.ts';

/** The check of a format, which takes linear time, and its description. */
interface FormatRule {
  readonly test: (text: string) => boolean;
  /** Completes the message `must be ...`. */
  readonly phrase: string;
}

const DURATION_TIME = 'T(?:\\d+H(?:\\d+M(?:\\d+S)?)?|\\d+M(?:\\d+S)?|\\d+S)';
/** RFC 3339, appendix A: no unit is omitted between two others. */
const DURATION = new RegExp(
  `^P(?:\\d+W|(?:\\d+Y(?:\\d+M(?:\\d+D)?)?|\\d+M(?:\\d+D)?|\\d+D)(?:${DURATION_TIME})?|${DURATION_TIME})$`,
);
const UUID = /^[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$/;
const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
const OCTET = /^(?:0|[1-9]\d{0,2})$/;
const GROUP = /^[0-9A-Fa-f]{1,4}$/;
const ATOMS = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const QUOTED = /^"(?:[ !#-[\]-~]|\\[ -~])*"$/;
/** RFC 3986, appendix B. */
const URI_PARTS = /^([^:/?#]+):(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s;
const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*$/;
const AUTHORITY = /^(?:[^@]*@)?(\[[^\]]*\]|[^:[\]@]*)(?::\d*)?$/;
const PATH_OR_QUERY = /^(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*$/;
const IP_FUTURE = /^v[0-9A-Fa-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+$/i;

/** The formats of strings. All of them are asserted. */
export const formats: Readonly<Record<TextFormat, FormatRule>> = {
  date: { test: isDate, phrase: 'a date such as 2026-05-17' },
  time: { test: isTime, phrase: 'a time with an offset, such as 09:30:00Z' },
  duration: { test: (text) => DURATION.test(text), phrase: 'a duration such as P3DT4H or PT1H30M' },
  uuid: { test: (text) => UUID.test(text), phrase: 'a UUID such as 0198c0de-7a1b-7c3d-8e4f-5a6b7c8d9e0f' },
  email: { test: isEmail, phrase: 'an email address such as ann@example.com' },
  uri: { test: isUri, phrase: 'an absolute URI such as https://example.com/a' },
  hostname: { test: isHostname, phrase: 'a host name such as www.example.com' },
  ipv4: { test: isIpv4, phrase: 'an IPv4 address such as 192.0.2.1' },
  ipv6: { test: isIpv6, phrase: 'an IPv6 address such as 2001:db8::1' },
};

/** A UUID in lower case, the form that is stored (RFC 9562, section 4); null for other texts. */
export function storedUuid(text: string): string | null {
  return UUID.test(text) ? text.toLowerCase() : null;
}

/** The id of a row in stored form: that of a UUID which the server made. The ids of clients are bytes (REP-2). */
export function storedId(rule: IdRule, id: string): string {
  return rule.kind === 'server' ? (storedUuid(id) ?? id) : id;
}

/** The digits of an integer; null for another value. */
export function readDigits(value: Json | undefined): string | null {
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : null;
}

/** True for texts of which UUIDs are compared by value, and not by their bytes (REP-2). */
export function readsUuids(type: Extract<ValueType, { kind: 'text' }>): boolean {
  return type.ids === undefined ? type.format === 'uuid' : type.ids === 'server';
}

/** RFC 1123: labels of letters, digits and inner hyphens, at most 253 characters. */
function isHostname(text: string): boolean {
  return text.length <= 253 && text.split('.').every((label) => LABEL.test(label));
}

/**
 * RFC 5321, section 4.1.2: dot-atoms or a quoted string of at most 64 characters, then a host name or an address
 * literal.
 */
function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  const [local, domain] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  if (at > 64 || !(ATOMS.test(local) || QUOTED.test(local))) return false;
  const literal = /^\[(IPv6:)?([^\]]*)\]$/i.exec(domain);
  if (literal === null) return isHostname(domain);
  const [, six, address = ''] = literal;
  return six === undefined ? isIpv4(address) : isIpv6(address);
}

/** RFC 3986, section 3: an absolute URI, other bytes percent-encoded. */
function isUri(text: string): boolean {
  const [, scheme = '', authority, path = '', query = '', fragment = ''] = URI_PARTS.exec(text) ?? [];
  if (!SCHEME.test(scheme) || ![path, query, fragment].every((part) => PATH_OR_QUERY.test(part))) return false;
  return authority === undefined || isAuthority(authority);
}

function isAuthority(text: string): boolean {
  const [, host] = AUTHORITY.exec(text) ?? [];
  if (host === undefined) return false;
  if (!host.startsWith('[')) return PATH_OR_QUERY.test(text);
  const literal = host.slice(1, -1);
  return PATH_OR_QUERY.test(text.replace(host, '')) && (isIpv6(literal) || IP_FUTURE.test(literal));
}

/** Four numbers from 0 to 255 without leading zeros. */
function isIpv4(text: string): boolean {
  const octets = text.split('.');
  return octets.length === 4 && octets.every((octet) => OCTET.test(octet) && Number(octet) <= 255);
}

/**
 * RFC 4291, section 2.2, without a zone: eight groups; `::` replaces zero groups once; the last two may be an IPv4
 * address.
 */
function isIpv6(text: string): boolean {
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1) ?? '';
  const dotted = last.includes('.') && text.endsWith(last);
  const plain = dotted ? groups.slice(0, -1) : groups;
  if ((dotted && !isIpv4(last)) || !plain.every((group) => GROUP.test(group))) return false;
  const length = plain.length + (dotted ? 2 : 0);
  return halves.length === 2 ? length < 8 : length === 8;
}
