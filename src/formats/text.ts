const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r' };

/** One `name: value` line for each member (NEG-6): a value never leaves its line, null is empty. */
export function writeText(members: Iterable<readonly [name: string, value: string | number | null]>): string {
  return Array.from(members, ([name, value]) => `${name}: ${escaped(value)}\n`).join('');
}

function escaped(value: string | number | null): string {
  return value === null ? '' : String(value).replace(/[\\\n\r]/g, (character) => ESCAPES[character] ?? character);
}
