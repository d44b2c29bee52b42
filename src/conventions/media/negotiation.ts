import { type ApiError, apiError } from '../errors.ts';
import { TOKEN } from '../headers/field-syntax.ts';
import { memoize } from '../../cache/memoize.ts';
import { essence, type MediaType, readParameters, vendorType } from './media-type.ts';
import { type AcceptedVersion, type SupportedVersion, versionText } from '../versioning.ts';

/** A media range of `Accept` with its weight from 0 to 1. Its parameters do not include `q`. */
export interface AcceptRange extends MediaType {
  readonly quality: number;
}

/** A media type that can be sent. */
export interface Offer {
  readonly type: string;
  readonly subtype: string;
  /**
   * Parameters that distinguish it from other types of the same name. `charset` is never included: everything is UTF-8.
   */
  readonly parameters?: ReadonlyMap<string, string>;
}

const JSON_OFFERS: readonly Offer[] = [{ type: 'application', subtype: 'json' }];
const ANYTHING: readonly AcceptRange[] = [{ type: '*', subtype: '*', parameters: new Map(), quality: 1 }];
const JSON_ALONE: readonly AcceptRange[] = [
  { type: 'application', subtype: 'json', parameters: new Map(), quality: 1 },
];

const SEPARATORS = /[\t ,]*/y;
const RANGE = new RegExp(`(${TOKEN})/(${TOKEN})|\\*(?=[\\t ,;]|$)`, 'y');
const END = /[\t ]*(?:,|$)/y;
const WEIGHT = /^(?:0?\.[0-9]{1,3}|0\.?|1(?:\.0{0,3})?)$/;

/**
 * The media ranges of `Accept` (RFC 9110 12.5.1); any type if the field is absent or empty.
 *
 * An invalid field is rejected, not ignored: the caller would silently get a type that it did not request. Two common
 * mistakes are accepted, `*` for any type and a weight such as `.2`: java.net.HttpURLConnection has long sent both by
 * default.
 *
 * @throws {ApiError} REQUEST_HEADER_INVALID
 */
export function parseAccept(text: string | null): readonly AcceptRange[] {
  if (text === null || text === '*/*') return ANYTHING;
  return text === 'application/json' ? JSON_ALONE : memoizedRanges(text);
}

const memoizedRanges = memoize((text): readonly AcceptRange[] => {
  const ranges: AcceptRange[] = [];
  let at = skip(SEPARATORS, text, 0) ?? 0;
  while (at < text.length) {
    const read = readRange(text, at);
    const end = read === null ? null : skip(END, text, read.end);
    if (read === null || end === null) throw malformed();
    ranges.push(read.range);
    at = skip(SEPARATORS, text, end) ?? end;
  }
  return ranges.length === 0 ? ANYTHING : ranges;
});

function readRange(text: string, start: number): { readonly range: AcceptRange; readonly end: number } | null {
  RANGE.lastIndex = start;
  const match = RANGE.exec(text);
  if (match === null) return null;
  const [{ length }, type = '*', subtype = '*'] = match;
  const read = readParameters(text, start + length);
  // q is the weight at any position among the parameters.
  const weight = read?.parameters.get('q') ?? '1';
  if (read === null || !WEIGHT.test(weight) || (type === '*' && subtype !== '*')) return null;
  const parameters = new Map(read.parameters);
  parameters.delete('q');
  const range = { type: type.toLowerCase(), subtype: subtype.toLowerCase(), parameters, quality: Number(weight) };
  return { range, end: read.end };
}

/** The index after the match of a sticky expression at `start`; null without a match. */
function skip(pattern: RegExp, text: string, start: number): number | null {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : null;
}

function malformed(): ApiError {
  const message =
    'Accept is not valid: send media ranges separated by commas, such as application/json;q=0.9, with weights from 0 to 1 and at most 3 decimals.';
  return apiError('REQUEST_HEADER_INVALID', message, {
    details: [{ field: 'Accept', message: 'must be a list of media ranges' }],
  });
}

/**
 * Finds the preferred offer (NEG-1): the one with the greatest weight, on a tie the first. The most specific range
 * that matches an offer gives its weight.
 * A weight of 0 excludes an offer. Null if no offer is acceptable.
 *
 * A range with parameters matches only offers that have them (RFC 9110 12.5.1): `application/json;version=2` does not
 * match `application/json`. `charset=utf-8` matches every offer, because JSON has no other charset.
 *
 * Browsers name `text/html` and prefer XML to what they do not name. Where there is no HTML, they get JSON, which they
 * can display: it has the weight of `text/html`, unless its own excludes it.
 */
export function negotiate<T extends Offer>(ranges: readonly AcceptRange[], offers: readonly T[]): T | null {
  if (ranges === ANYTHING) return offers[0] ?? null;
  return preferred(ranges, offers, offers.some(isHtml) ? 0 : browserQuality(ranges));
}

/** @param htmlQuality the least weight of JSON */
function preferred<T extends Offer>(
  ranges: readonly AcceptRange[],
  offers: readonly T[],
  htmlQuality: number,
): T | null {
  let best: T | null = null;
  let bestQuality = 0;
  for (const offer of offers) {
    const own = findQuality(ranges, offer);
    const quality = isJson(offer) ? Math.max(own, htmlQuality) : own;
    if (quality <= bestQuality) continue;
    best = offer;
    bestQuality = quality;
  }
  return best;
}

/** The weight of `text/html` where a browser names it; 0 if it is not named, or if JSON is excluded by name. */
function browserQuality(ranges: readonly AcceptRange[]): number {
  let quality = 0;
  for (const range of ranges) {
    if (isJson(range) && range.quality === 0) return 0;
    if (isHtml(range)) quality = Math.max(quality, range.quality);
  }
  return quality;
}

function isHtml({ type, subtype }: Offer): boolean {
  return subtype === 'html' && type === 'text';
}

function isJson({ type, subtype }: Offer): boolean {
  return subtype === 'json' && type === 'application';
}

/** The weight of an offer; 0 if no range matches it. */
function findQuality(ranges: readonly AcceptRange[], offer: Offer): number {
  let quality = 0;
  let mostSpecific = -1;
  for (const range of ranges) {
    const specificity = measureSpecificity(range, offer);
    if (specificity === null || specificity < mostSpecific) continue;
    quality = specificity === mostSpecific ? Math.max(quality, range.quality) : range.quality;
    mostSpecific = specificity;
  }
  return quality;
}

/** The specificity with which a range matches an offer, greater if more specific; null if it does not match. */
function measureSpecificity({ type, subtype, parameters }: AcceptRange, offer: Offer): number | null {
  if (type !== '*' && type !== offer.type) return null;
  if (subtype !== '*' && subtype !== offer.subtype) return null;
  for (const [name, value] of parameters) {
    const matches = name === 'charset' ? value.toLowerCase() === 'utf-8' : offer.parameters?.get(name) === value;
    if (!matches) return null;
  }
  if (type === '*') return 0;
  return subtype === '*' ? 1 : 2 + parameters.size;
}

/**
 * The versions that the vendor media types in `Accept` request, by descending weight (VER-1); empty without such a
 * type. If the caller also accepts a plain offer, the best one is included with a null version.
 *
 * @param name the name of the API, `shop`
 * @param plain the offers without a version
 */
export function vendorRanges(
  ranges: readonly AcceptRange[],
  name: string,
  plain: readonly Offer[] = JSON_OFFERS,
): readonly AcceptedVersion[] {
  if (ranges === ANYTHING || ranges === JSON_ALONE) return [];
  const versioned = ranges.flatMap((range) => {
    const vendor = vendorType(range, name);
    return vendor === null || range.quality === 0
      ? []
      : [{ text: essence(range), version: vendor.version, quality: range.quality }];
  });
  const best = preferred(ranges, plain, 0);
  if (versioned.length === 0 || best === null) return versioned.sort(byQuality);
  return [...versioned, { text: essence(best), version: null, quality: findQuality(ranges, best) }].sort(byQuality);
}

function byQuality(one: { readonly quality: number }, other: { readonly quality: number }): number {
  return other.quality - one.quality;
}

/**
 * The vendor media types of a version, in each of its spellings: `application/vnd.shop.v1+json`, `v1.2`, `v1.2.3`.
 *
 * @param suffix `json` or `xml`
 */
export function vendorOffers(
  name: string,
  { major, minor, patch }: SupportedVersion,
  suffix = 'json',
): readonly Offer[] {
  const spellings = [
    { major, minor: null, patch: null },
    { major, minor, patch: null },
    { major, minor, patch },
  ];
  return spellings.map((spelling) => ({
    type: 'application',
    subtype: `vnd.${name}.v${versionText(spelling)}+${suffix}`,
  }));
}

/** The error if no offer is acceptable (NEG-1). */
export function notAcceptable(offers: readonly Offer[]): ApiError {
  const list = offers.map(essence).join(', ');
  return apiError(
    'REQUEST_NOT_ACCEPTABLE',
    `None of the media types in Accept is available here; accept one of: ${list}.`,
  );
}
