import { isJsonObject, type Json, type JsonObject } from '../conventions/json.ts';

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r' };

/**
 * One `name: value` line for each value (NEG-6): a value never leaves its line, null is empty, nested names are dotted, items of a list
 * numbered (`tags[0]: a`). A list, map or object that holds nothing is one line, `[]` or `{}`.
 */
export function writeText(value: JsonObject): string {
  const lines: string[] = [];
  for (const [name, member] of Object.entries(value)) addLines(nameOf(name), member, lines);
  return lines.join('');
}

/** Resources one after the other, a blank line between them. */
export function writeTextList(values: readonly JsonObject[]): string {
  return values.map(writeText).join('\n');
}

function addLines(name: string, value: Json, lines: string[]): void {
  if (Array.isArray(value)) {
    if (value.length === 0) lines.push(`${name}: []\n`);
    for (const [index, item] of value.entries()) addLines(`${name}[${index}]`, item, lines);
  } else if (isJsonObject(value)) {
    const members = Object.entries(value);
    if (members.length === 0) lines.push(`${name}: {}\n`);
    for (const [member, held] of members) addLines(`${name}.${nameOf(member)}`, held, lines);
  } else {
    const text = typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
    lines.push(`${name}: ${escaped(text)}\n`);
  }
}

/** The key of a map may be any text: what would end the name is escaped. */
function nameOf(name: string): string {
  return escaped(name).replaceAll(': ', '\\: ');
}

function escaped(text: string): string {
  return text.replace(/[\\\n\r]/g, (character) => ESCAPES[character] ?? character);
}
