import { apiError } from './errors.ts';
import { checkRawQuery, percentDecode } from './percent-encoding.ts';
import { encodeSegment } from './url.ts';

/** One `name=value` of a query string. */
export interface QueryParameter {
  /** Decoded. */
  readonly name: string;
  /** The value as it came, for {@link splitList}. */
  readonly raw: string;
  /** The value decoded; empty where the parameter has no `=`. */
  readonly value: string;
}

/** A name with a text, or with the items of a list. A list holds one item or more: none and one empty item look alike. */
export type QueryPair = readonly [name: string, value: string | readonly string[]];

/** The greatest length of an array. */
const MAX_ARRAY = 2 ** 32 - 1;
/** Most parameters that are read; more of them is an attack, not a question. */
export const MAX_PARAMETERS = 1000;

/**
 * The parameters of a raw query string in its order (URL-5). `+` and `%20` are a space. Empty pairs (`a=1&&b=2&`) are skipped.
 *
 * @throws {ApiError} REQUEST_URI_INVALID for a raw character or an escape that is not allowed (URL-4), or over 1,000 parameters
 */
export function parseQuery(raw: string): readonly QueryParameter[] {
  checkRawQuery(raw);
  const pairs = raw.split('&').filter((pair) => pair !== '');
  if (pairs.length > MAX_PARAMETERS) {
    throw apiError('REQUEST_URI_INVALID', `The query has more than ${MAX_PARAMETERS} parameters; send fewer.`);
  }
  return pairs.map(parseParameter);
}

/**
 * The items of a raw list value, split on the raw `,` before they are decoded, so that `%2C` is data (URL-5). A text without a
 * comma is a list of one.
 *
 * @param most items; where there are more, the list is null: nothing of it is looked at
 * @throws {ApiError} REQUEST_URI_INVALID for an escape that is not allowed
 */
export function splitList(raw: string): readonly string[];
export function splitList(raw: string, most: number): readonly string[] | null;
export function splitList(raw: string, most = Number.POSITIVE_INFINITY): readonly string[] | null {
  const items = raw.split(',', Math.min(most + 1, MAX_ARRAY));
  return items.length > most ? null : items.map(decode);
}

/** Parameters as a query string would bring them. */
export function parametersOf(pairs: readonly QueryPair[]): readonly QueryParameter[] {
  return parseQuery(writeQuery(pairs));
}

/**
 * The query string of names and values, without `?`: all data percent-encoded, a space as `%20` (URL-9), the items of a list
 * joined with a raw `,`. Reading it gives the same names, values and items.
 */
export function writeQuery(pairs: readonly QueryPair[]): string {
  return pairs.map(([name, value]) => `${encodeSegment(name)}=${writeValue(value)}`).join('&');
}

/** Query strings as one; those that are empty are left out. */
export function joinQueries(...queries: readonly string[]): string {
  return queries.filter((query) => query !== '').join('&');
}

function parseParameter(pair: string): QueryParameter {
  const equals = pair.indexOf('=');
  const name = equals === -1 ? pair : pair.slice(0, equals);
  const raw = equals === -1 ? '' : pair.slice(equals + 1);
  return { name: decode(name), raw, value: decode(raw) };
}

function decode(text: string): string {
  return percentDecode(text.replaceAll('+', ' '));
}

function writeValue(value: string | readonly string[]): string {
  return typeof value === 'string' ? encodeSegment(value) : value.map(encodeSegment).join(',');
}
