import { orderedMembers } from '../conventions/utf8-order.ts';
import { isJsonObject, type Json, type JsonObject } from '../conventions/json.ts';
import { DividedArray, DividedObject, type Divisible } from './divided.ts';

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r' };

/**
 * Writes one `name: value` line per value (NEG-6). Line breaks in values are escaped, null is empty, nested names are dotted, items of a list
 * are numbered (`tags[0]: a`). An empty list is `[]`, an empty map or object `{}`.
 */
export function writeText(value: JsonObject): string {
  const lines: string[] = [];
  for (const [name, member] of Object.entries(value)) addLines(nameOf(name), member, lines);
  return lines.join('');
}

/** The pieces of the text that {@link writeText} writes. */
export function* textPieces(value: JsonObject | DividedObject): Generator<string> {
  if (!(value instanceof DividedObject)) yield writeText(value);
  else for (const [name, member] of value.members()) yield* linePieces(nameOf(name), member);
}

function* linePieces(name: string, value: Divisible): Generator<string> {
  if (value instanceof DividedArray) {
    let index = 0;
    for (const item of value.items()) {
      yield* linePieces(`${name}[${index}]`, item);
      index += 1;
    }
  } else if (value instanceof DividedObject) {
    for (const [member, nested] of value.members()) yield* linePieces(`${name}.${nameOf(member)}`, nested);
  } else {
    const lines: string[] = [];
    addLines(name, value, lines);
    yield lines.join('');
  }
}

/** Between two resources: their lines and this make a blank line. */
export const TEXT_SEPARATOR = '\n';

/** Writes several resources, separated by blank lines. */
export function writeTextList(values: readonly JsonObject[]): string {
  return values.map(writeText).join(TEXT_SEPARATOR);
}

function addLines(name: string, value: Json, lines: string[]): void {
  if (Array.isArray(value)) {
    if (value.length === 0) lines.push(`${name}: []\n`);
    for (const [index, item] of value.entries()) addLines(`${name}[${index}]`, item, lines);
  } else if (isJsonObject(value)) {
    const members = orderedMembers(value);
    if (members.length === 0) lines.push(`${name}: {}\n`);
    for (const [member, nested] of members) addLines(`${name}.${nameOf(member)}`, nested, lines);
  } else {
    const text = typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
    lines.push(`${name}: ${escaped(text)}\n`);
  }
}

/** Escapes a name, because the key of a map may be any text. */
function nameOf(name: string): string {
  return escaped(name).replaceAll(': ', '\\: ');
}

function escaped(text: string): string {
  return text.replace(/[\\\n\r]/g, (character) => ESCAPES[character] ?? character);
}
