import { QUOTED_STRING, TOKEN, unescapeQuoted } from '../headers/field-syntax.ts';
import { type RequestedVersion, parseVersion } from '../versioning.ts';

/**
 * A media type (RFC 9110 8.3.1). Type, subtype and parameter names are in lower case; parameter values are as sent,
 * unquoted.
 */
export interface MediaType {
  readonly type: string;
  readonly subtype: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Version and format of a vendor media type: `application/vnd.shop.v1.2+json` is version 1.2 in JSON. */
interface VendorType {
  readonly version: RequestedVersion;
  /** The structured syntax suffix: `json`, `xml`. */
  readonly suffix: string;
}

const ESSENCE = new RegExp(`^[\\t ]*(${TOKEN})/(${TOKEN})`);
/**
 * A semicolon with a parameter, which may be empty (RFC 9110 5.6.6). Parameters are matched one by one, so that any
 * value takes linear time.
 */
const PARAMETER = new RegExp(`[\\t ]*;(?:[\\t ]*(${TOKEN})=(?:(${TOKEN})|${QUOTED_STRING}))?`, 'y');

const VENDOR = /^vnd\.([a-z][a-z0-9-]*)\.v([0-9.]+)\+([a-z0-9-]+)$/;

/** Parses a field value as one media type; null if it is invalid or repeats a parameter. */
export function parseMediaType(text: string): MediaType | null {
  const match = ESSENCE.exec(text);
  if (match === null) return null;
  const [{ length }, type = '', subtype = ''] = match;
  const read = readParameters(text, length);
  if (read === null || text.slice(read.end).trim() !== '') return null;
  return { type: type.toLowerCase(), subtype: subtype.toLowerCase(), parameters: read.parameters };
}

/** Parses the parameters from `start` on, and returns the index after the last one; null if one is repeated. */
export function readParameters(
  text: string,
  start: number,
): { readonly parameters: ReadonlyMap<string, string>; readonly end: number } | null {
  const parameters = new Map<string, string>();
  let end = start;
  PARAMETER.lastIndex = start;
  for (let match = PARAMETER.exec(text); match !== null; match = PARAMETER.exec(text)) {
    const [{ length }, name, token, quoted = ''] = match;
    end += length;
    if (name === undefined) continue;
    if (parameters.has(name.toLowerCase())) return null;
    parameters.set(name.toLowerCase(), token ?? unescapeQuoted(quoted));
  }
  return { parameters, end };
}

/** A media type without its parameters, as text. */
export function essence({ type, subtype }: Pick<MediaType, 'type' | 'subtype'>): string {
  return `${type}/${subtype}`;
}

/**
 * Reads a vendor media type of this API (NEG-1, VER-1).
 *
 * @param name the name of the API, `shop`
 * @returns null for any other media type, and if the version is invalid
 */
export function vendorType(mediaType: MediaType, name: string): VendorType | null {
  if (mediaType.type !== 'application') return null;
  const [, vendor, digits = '', suffix = ''] = VENDOR.exec(mediaType.subtype) ?? [];
  const version = vendor === name ? parseVersion(digits) : null;
  return version === null ? null : { version, suffix };
}
