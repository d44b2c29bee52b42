import type { Json, JsonObject, Request } from './client.ts';
import { isObject, toText } from './client.ts';
import type { Random } from './random.ts';
import type { Resource } from './resources.ts';

/** A body in one of the formats that a write accepts. */
export type Encoded = Pick<Request, 'body' | 'headers'>;

/**
 * Values for all required and some optional fields.
 *
 * @param full every field, so that a PUT replaces nothing by a default
 */
export function makeValues(resource: Resource, random: Random, full = false): JsonObject {
  const fields = resource.fields.filter(({ required }) => required === true || full || random.chance(0.6));
  return Object.fromEntries(fields.map(({ name, make }) => [name, make(random)]));
}

/**
 * Writes a body as JSON, vendor JSON, XML, form or multipart. Forms cannot express null and the empty list, which are
 * left out.
 */
export function encode(resource: Resource, values: JsonObject, random: Random): Encoded {
  // A form without pairs would be no body at all.
  const type = formPairs(values).length === 0 ? 'application/json' : random.pick(FORMATS);
  switch (type) {
    case 'application/json':
    case 'application/vnd.campaign.v1+json':
      return { headers: { 'Content-Type': type }, body: JSON.stringify(values) };
    case 'application/xml':
      return { headers: { 'Content-Type': type }, body: xml(resource.singular, values) };
    case 'application/x-www-form-urlencoded': {
      const pairs = formPairs(values).map(([name, value]) => `${encodeForm(name)}=${encodeForm(value)}`);
      return { headers: { 'Content-Type': type }, body: pairs.join('&') };
    }
    case 'multipart/form-data': {
      const boundary = `b${random.integer(1e8, 1e9)}`;
      const parts = formPairs(values).map(
        ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
      );
      return {
        headers: { 'Content-Type': `${type}; boundary=${boundary}` },
        body: `${parts.join('')}--${boundary}--\r\n`,
      };
    }
  }
}

const FORMATS = [
  'application/json',
  'application/json',
  'application/json',
  'application/vnd.campaign.v1+json',
  'application/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
] as const;

function encodeForm(text: string): string {
  return encodeURIComponent(text).replaceAll('%20', '+');
}

function formPairs(values: JsonObject): readonly (readonly [name: string, value: string])[] {
  return Object.entries(values).flatMap(([name, value]) => {
    if (value === null) return [];
    if (Array.isArray(value)) return value.map((each) => [`${name}[]`, toText(each)] as const);
    if (!isObject(value)) return [[name, toText(value)] as const];
    return Object.entries(value).flatMap(([key, each]) =>
      each === null ? [] : [[`${name}[${key}]`, toText(each)] as const],
    );
  });
}

function xml(root: string, values: JsonObject): string {
  const elements = Object.entries(values).map(([name, value]) => element(name, value));
  return `<?xml version="1.0"?><${root} xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">${elements.join('')}</${root}>`;
}

function element(name: string, value: Json): string {
  if (value === null) return `<${name} xsi:nil="true"/>`;
  if (Array.isArray(value)) return `<${name}>${value.map((each: Json) => element('item', each)).join('')}</${name}>`;
  if (!isObject(value)) return `<${name}>${escaped(toText(value))}</${name}>`;
  const entries = Object.entries(value).map(([key, each]) =>
    name === 'labels' ? `<entry key="${key}">${escaped(toText(each))}</entry>` : element(key, each),
  );
  return `<${name}>${entries.join('')}</${name}>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
