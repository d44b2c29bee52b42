import { isJsonObject, type Json } from '../conventions/json.ts';

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';
const INSTANCE = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
/** What XML 1.0 cannot hold, not even escaped (section 2.2). */
const UNHOLDABLE = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' };

/**
 * A JSON value as an XML document (NEG-4): an element for each member, `<item>` for each item of an array, null as `xsi:nil`, text that XML
 * cannot hold as base64.
 *
 * @param root name of the outermost element; it and the members' names are names of ours
 */
export function writeXml(root: string, value: Json): string {
  return `${DECLARATION}\n${element(root, value, ` ${INSTANCE}`)}`;
}

function element(name: string, value: Json, attributes = ''): string {
  if (value === null) return `<${name}${attributes} xsi:nil="true"/>`;
  if (typeof value === 'string' && UNHOLDABLE.test(value)) {
    const base64 = Buffer.from(value, 'utf8').toString('base64');
    return `<${name}${attributes} encoding="base64">${base64}</${name}>`;
  }
  return `<${name}${attributes}>${content(value)}</${name}>`;
}

function content(value: Exclude<Json, null>): string {
  if (typeof value === 'string') return value.replace(/[&<>\r]/g, (character) => ESCAPES[character] ?? character);
  if (Array.isArray(value)) return value.map((item: Json) => element('item', item)).join('');
  if (isJsonObject(value))
    return Object.entries(value)
      .map(([name, member]) => element(name, member))
      .join('');
  return JSON.stringify(value);
}
