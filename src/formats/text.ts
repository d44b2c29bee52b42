import { orderedMembers } from '../conventions/text/utf8-order.ts';
import { apiError } from '../conventions/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../conventions/json/json.ts';
import { DividedArray, DividedObject, type Divisible } from './divided.ts';

/**
 * The most characters that are written in one piece. Every line has all the names above its value, so that one long key
 * of a map could make gigabytes.
 */
const MAX_CHARACTERS = 67_108_864;

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r' };

/**
 * Writes one `name: value` line per value (NEG-6). Line breaks in values are escaped, null is empty, nested names are
 * dotted, items of a list are numbered (`tags[0]: a`). An empty list is `[]`, an empty map or object `{}`.
 *
 * @throws {ApiError} REQUEST_NOT_ACCEPTABLE: the text would be too large
 */
export function writeText(value: JsonObject): string {
  const lines = new Lines();
  addMembers(value, lines);
  return lines.take();
}

function addMembers(value: JsonObject, lines: Lines): void {
  for (const [name, member] of Object.entries(value)) addLines(nameValue(name), member, lines);
}

/** Lines that are written in one piece. */
class Lines {
  #lines: string[] = [];
  #left = MAX_CHARACTERS;

  /** @throws {ApiError} REQUEST_NOT_ACCEPTABLE */
  add(name: string, text: string): void {
    this.#left -= name.length + text.length;
    if (this.#left < 0) throw createLengthError();
    this.#lines.push(`${name}: ${text}\n`);
  }

  separate(): void {
    this.#lines.push(TEXT_SEPARATOR);
  }

  /** The text of the lines since it was last taken. */
  take(): string {
    const text = this.#lines.join('');
    this.#lines = [];
    this.#left = MAX_CHARACTERS;
    return text;
  }
}

function createLengthError(): Error {
  const message = `As text it would have more than ${MAX_CHARACTERS} characters, because each line repeats all names above its value; send Accept: application/json.`;
  return apiError('REQUEST_NOT_ACCEPTABLE', message, {
    details: [{ field: 'Accept', message: 'has only text/plain, which is too large here' }],
  });
}

/** The pieces of the text that {@link writeText} writes. */
export function* textPieces(value: JsonObject | DividedObject): Generator<string> {
  const lines = new Lines();
  if (!(value instanceof DividedObject)) yield writeText(value);
  else for (const [name, member] of value.members()) yield* linePieces(nameValue(name), member, lines);
}

function* linePieces(name: string, value: Divisible, lines: Lines): Generator<string> {
  if (value instanceof DividedArray) {
    let index = 0;
    for (const item of value.items()) {
      yield* linePieces(`${name}[${index}]`, item, lines);
      index += 1;
    }
  } else if (value instanceof DividedObject) {
    for (const [member, nested] of value.members()) yield* linePieces(`${name}.${nameValue(member)}`, nested, lines);
  } else {
    addLines(name, value, lines);
    yield lines.take();
  }
}

/** Between two resources: their lines and this make a blank line. */
export const TEXT_SEPARATOR = '\n';

/** Writes several resources, separated by blank lines. @throws {ApiError} REQUEST_NOT_ACCEPTABLE */
export function writeTextList(values: readonly JsonObject[]): string {
  const lines = new Lines();
  for (const [index, value] of values.entries()) {
    if (index > 0) lines.separate();
    addMembers(value, lines);
  }
  return lines.take();
}

function addLines(name: string, value: Json, lines: Lines): void {
  if (Array.isArray(value)) {
    if (value.length === 0) lines.add(name, '[]');
    for (const [index, item] of value.entries()) addLines(`${name}[${index}]`, item, lines);
  } else if (isJsonObject(value)) {
    const members = orderedMembers(value);
    if (members.length === 0) lines.add(name, '{}');
    for (const [member, nested] of members) addLines(`${name}.${nameValue(member)}`, nested, lines);
  } else {
    const text = typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
    lines.add(name, escaped(text));
  }
}

/** Escapes a name, because the key of a map may be any text. */
function nameValue(name: string): string {
  return escaped(name).replaceAll(': ', '\\: ');
}

function escaped(text: string): string {
  return text.replace(/[\\\n\r]/g, (character) => ESCAPES[character] ?? character);
}
