import { apiError } from '../errors.ts';
import { checkRawQuery, percentDecode } from './percent-encoding.ts';
import { encodeSegment } from './url.ts';

/** One `name=value` of a query string. */
export interface QueryParameter {
  /** Decoded. */
  readonly name: string;
  /** The value as sent, for {@link splitList}, where an item may contain a comma. */
  readonly raw: string;
  /** The decoded value; empty if the parameter has no `=`. */
  readonly value: string;
}

/**
 * A name with a value or with the items of a list. A list has at least one item: an empty list and one empty item are
 * written alike.
 */
export type QueryPair = readonly [name: string, value: string | readonly string[]];

/** Query parameters, in order. */
export type QueryPairs = readonly QueryPair[];

/** Maximum length of an array. */
const MAX_ARRAY = 2 ** 32 - 1;
/** Maximum number of parameters: more is an attack. */
export const MAX_PARAMETERS = 1000;

/**
 * Parses the parameters of a raw query string, in order (URL-5). `+` and `%20` are a space. Empty pairs (`a=1&&b=2&`)
 * are skipped.
 *
 * @throws {ApiError} REQUEST_URI_INVALID for a character that must be encoded or a bad escape (URL-4), and for more
 *   than 1,000 parameters
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
 * The items of a raw list value, split on `,` before they are decoded, so that `%2C` is data (URL-5). A value without a
 * comma is a list of one item.
 *
 * @param most maximum number of items; null is returned if there are more
 * @throws {ApiError} REQUEST_URI_INVALID for a bad escape
 */
export function splitList(raw: string, most = Number.POSITIVE_INFINITY): readonly string[] | null {
  const items = raw.split(',', Math.min(most + 1, MAX_ARRAY));
  return items.length > most ? null : items.map(decodePart);
}

/**
 * The items of a decoded list value whose items contain no comma, so that `%2C` separates like `,` (URL-5): URL
 * builders encode the comma.
 *
 * @param most maximum number of items; null is returned if there are more
 */
export function splitPlainList(value: string, most: number): readonly string[] | null {
  const items = value.split(',', Math.min(most + 1, MAX_ARRAY));
  return items.length > most ? null : items;
}

/** The parameters of a query string that {@link writeQuery} writes. */
export function decodeParameters(pairs: QueryPairs): readonly QueryParameter[] {
  return parseQuery(writeQuery(pairs));
}

/**
 * Serializes names and values as a query string without `?`: all data percent-encoded, a space as `%20` (URL-9), list
 * items joined by `,`. {@link parseQuery} returns the same names, values and items.
 */
export function writeQuery(pairs: QueryPairs): string {
  return pairs.map(([name, value]) => `${encodeSegment(name)}=${writeValue(value)}`).join('&');
}

/** Joins query strings by `&`; empty ones are skipped. */
export function joinQueries(...queries: readonly string[]): string {
  return queries.filter((query) => query !== '').join('&');
}

function parseParameter(pair: string): QueryParameter {
  const equals = pair.indexOf('=');
  const name = equals === -1 ? pair : pair.slice(0, equals);
  const raw = equals === -1 ? '' : pair.slice(equals + 1);
  return { name: decodePart(name), raw, value: decodePart(raw) };
}

function decodePart(text: string): string {
  return percentDecode(text.replaceAll('+', ' '));
}

function writeValue(value: string | readonly string[]): string {
  return typeof value === 'string' ? encodeSegment(value) : value.map(encodeSegment).join(',');
}
