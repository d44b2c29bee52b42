import { isJsonObject, type Json, type JsonObject } from '../conventions/json.ts';
import type { ValueType } from '../model/model.ts';

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';
const INSTANCE = ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
/** What XML 1.0 cannot hold, not even escaped (section 2.2). */
const UNHOLDABLE = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};
/** The names that stand as elements: those of fields and of ours. Any other is a key. */
const NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/**
 * A JSON value as an XML document (NEG-4): an element for each member, `<item>` for each item of an array, null as `xsi:nil`, text that XML
 * cannot hold as base64. The keys of a map, which may be any text, are attributes of `<entry>` elements.
 *
 * @param root name of the outermost element
 * @param type what the value is; where it is not known, an object is no map
 */
export function writeXml(root: string, value: Json, type: ValueType | null = null): string {
  return `${DECLARATION}\n${element(root, INSTANCE, value, type)}`;
}

/**
 * A page of a collection as an XML document: `<collection>` with `<data>`, whose elements are named as the resource, `<page>` and `<links>`.
 *
 * @param singular name of the resource
 * @param type what its representations are
 */
export function writeXmlCollection(
  singular: string,
  { data, ...facts }: { readonly data: readonly JsonObject[]; readonly page: JsonObject; readonly links: JsonObject },
  type: ValueType,
): string {
  const items = data.map((item) => element(singular, '', item, type)).join('');
  return `${DECLARATION}\n<collection${INSTANCE}><data>${items}</data>${members(facts, null)}</collection>`;
}

function element(name: string, attributes: string, value: Json, type: ValueType | null): string {
  if (value === null) return `<${name}${attributes} xsi:nil="true"/>`;
  if (typeof value === 'string' && UNHOLDABLE.test(value)) {
    return `<${name}${attributes} encoding="base64">${base64(value)}</${name}>`;
  }
  const content = contentOf(value, type);
  return content === '' ? `<${name}${attributes}/>` : `<${name}${attributes}>${content}</${name}>`;
}

function contentOf(value: Exclude<Json, null>, type: ValueType | null): string {
  if (typeof value === 'string') return value.replace(/[&<>\r]/g, escape);
  if (Array.isArray(value)) {
    const item = type?.kind === 'array' ? type.item.type : null;
    return value.map((each: Json) => element('item', '', each, item)).join('');
  }
  return isJsonObject(value) ? members(value, type) : JSON.stringify(value);
}

function members(value: JsonObject, type: ValueType | null): string {
  let written = '';
  const known = type?.kind === 'object' ? type.members : null;
  for (const [name, member] of Object.entries(value)) {
    if (type?.kind === 'map' || !NAME.test(name)) {
      written += element('entry', key(name), member, type?.kind === 'map' ? type.value.type : null);
    } else {
      written += element(name, '', member, known?.find((each) => each.name === name)?.type ?? null);
    }
  }
  return written;
}

function key(name: string): string {
  if (UNHOLDABLE.test(name)) return ` key="${base64(name)}" key-encoding="base64"`;
  return ` key="${name.replace(/[&<>"\t\n\r]/g, escape)}"`;
}

function escape(character: string): string {
  return ESCAPES[character] ?? character;
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
