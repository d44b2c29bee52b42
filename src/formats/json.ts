import { weakMemoize } from '../cache/memoize.ts';
import { isJsonObject, type Json } from '../conventions/json/json.ts';
import { orderedMembers } from '../conventions/text/utf8-order.ts';
import type { Shape, ValueType } from '../model/model.ts';
import type { Steps } from '../platform/time-slices.ts';
import { DividedArray, DividedObject, type Divisible, itemType, memberType } from './divided.ts';
import { scanJson, type StructureLimits } from './json-scan.ts';
import { decodeUtf8 } from './malformed-body.ts';

export type { StructureLimits } from './json-scan.ts';

declare global {
  // ECMAScript 2026; TypeScript's library does not have it yet.
  interface JSON {
    rawJSON(text: string): { readonly rawJSON: string };
  }
}

/**
 * Parses a body as I-JSON (RFC 7493, REP-7), in UTF-8 with or without a byte order mark.
 *
 * @throws {ApiError} REQUEST_BODY_REQUIRED: only white space; REQUEST_BODY_MALFORMED: not I-JSON, or a limit is
 *   exceeded, with the line and column of the error
 */
export function readJson(bytes: Uint8Array, limits: StructureLimits): Json {
  const text = decodeUtf8(bytes);
  scanJson(text, limits);
  const value: Json = JSON.parse(text);
  return value;
}

/**
 * Integers beyond 2^53-1 have at least 16 digits. Most JSON has none of that length. The engine finds that out faster
 * if the pattern repeats `[0-9]` than with a quantifier.
 */
const LONG_DIGITS = new RegExp('[0-9]'.repeat(16));
const LONG_NUMBER = /(?:^|[:,[])-?[0-9]{16}/;

/**
 * Writes a value as JSON, without white space. An integer beyond 2^53-1 is written with an exponent, so that {@link
 * readJson} accepts it. Digits alone would suggest a precision that it does not have (RFC 7493 2.2).
 *
 * @throws {TypeError} the value cannot be JSON: undefined, a function, a bigint, a cycle
 */
export function writeJson(value: unknown): string {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`Cannot write a value of type ${typeof value} as JSON.`);
  return LONG_DIGITS.test(text) && LONG_NUMBER.test(text) ? JSON.stringify(value, exponential) : text;
}

/** Writes a value as {@link writeJson} does, in steps: one for each member of the first levels of objects. */
export function* writeJsonSteps(value: Json, levels: number): Steps<string> {
  if (levels === 0 || !isJsonObject(value)) {
    yield;
    return writeJson(value);
  }
  const members: string[] = [];
  for (const [name, held] of Object.entries(value)) {
    members.push(`${JSON.stringify(name)}:${yield* writeJsonSteps(held, levels - 1)}`);
  }
  return `{${members.join(',')}}`;
}

function exponential(_name: string, value: unknown): unknown {
  const long = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
  return long ? JSON.rawJSON(value.toExponential()) : value;
}

/**
 * Begins an object whose first key may be an array index. Quotes in strings are escaped, so that it occurs between
 * values only.
 */
const FIRST_KEY_IS_INDEX = /\{"[0-9]/;

/**
 * Writes a value in which maps may have keys that are array indexes: `JSON.stringify` would write these before all
 * others (REP-1). Only a value with such a map takes longer than with {@link writeJson}, several times as long.
 */
export function writeOrderedJson(value: unknown): string {
  const text = writeJson(value);
  return FIRST_KEY_IS_INDEX.test(text) ? inOrder(JSON.parse(text)) : text;
}

function inOrder(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(inOrder).join(',')}]`;
  if (!isJsonObject(value)) return writeJson(value);
  return `{${orderedMembers(value)
    .map(([name, held]) => `${JSON.stringify(name)}:${inOrder(held)}`)
    .join(',')}}`;
}

/** The writer of the values of a type: the slower one only where they hold maps. */
export const jsonWriter = weakMemoize((type: ValueType): ((value: Json) => string) =>
  holdsMap({ type, nullable: true }) ? writeOrderedJson : writeJson,
);

/**
 * The pieces of the text that {@link jsonWriter} writes, one for each member or item of what is divided. @param type
 * null if it is not known
 */
export function* jsonPieces(value: Divisible, type: ValueType | null): Generator<string> {
  if (value instanceof DividedArray) {
    let before = '[';
    for (const each of value.items()) {
      yield before;
      yield* jsonPieces(each, itemType(type));
      before = ',';
    }
    yield ']';
  } else if (value instanceof DividedObject) {
    let before = '{';
    for (const [name, member] of value.members()) {
      yield `${before}${JSON.stringify(name)}:`;
      yield* jsonPieces(member, memberType(type, name));
      before = ',';
    }
    yield '}';
  } else yield type === null ? writeOrderedJson(value) : jsonWriter(type)(value);
}

/** True for maps, and for any JSON, whose objects may have names that are array indexes. */
function holdsMap({ type }: Shape): boolean {
  if (type.kind === 'object') return type.members.some(holdsMap);
  return type.kind === 'map' || type.kind === 'json' || (type.kind === 'array' && holdsMap(type.item));
}
