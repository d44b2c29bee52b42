import type { ResponseFormat } from '../../conventions/response-format.ts';
import type { Json, JsonObject } from '../../conventions/json.ts';
import { jsonWriter, writeJson } from '../../formats/json.ts';
import { writeText, writeTextList } from '../../formats/text.ts';
import { writeXml, writeXmlCollection } from '../../formats/xml.ts';
import type { DocumentTypes } from '../contract.ts';

/** A page: its items, with metadata and links that only some formats can hold. */
export interface PageDocument {
  readonly data: readonly JsonObject[];
  readonly page: JsonObject;
  readonly links: JsonObject;
}

/** One resource in a format (NEG-1, NEG-4, NEG-6). */
export function writeItem(format: ResponseFormat, { resource, responseType }: DocumentTypes, item: JsonObject): string {
  switch (format) {
    case 'json':
      return jsonWriter(responseType)(item);
    case 'xml':
      return writeXml(resource.singular, item, responseType);
    case 'text':
      return writeText(item);
    case 'csv':
    case 'ndjson':
    case 'html':
      throw new Error(`one resource is never written as ${format}`);
  }
}

/** One page in a format. CSV, NDJSON and text hold the items alone: metadata goes into header fields. */
export function writePage(
  format: ResponseFormat,
  { resource, responseType, csv }: DocumentTypes,
  document: PageDocument,
): string {
  const { data, page, links } = document;
  switch (format) {
    case 'json':
      return writeJsonPage(jsonWriter(responseType)(data), page, links);
    case 'xml':
      return writeXmlCollection(resource.singular, { data, page, links }, responseType);
    case 'text':
      return writeTextList(data);
    case 'csv':
      return csv.header + csv.rows(data);
    case 'ndjson':
      return data.map((item) => jsonWriter(responseType)(item) + '\n').join('');
    case 'html':
      throw new Error('a page is never written as html');
  }
}

/**
 * A page in JSON. The items are written apart from the rest: one string that V8 holds in pieces, such as a link with a query, would make
 * `JSON.stringify` three times as slow for all of them.
 *
 * @param data the array of its items, as JSON
 */
export function writeJsonPage(data: string, page: JsonObject, links: JsonObject): string {
  return `{"data":${data},"page":${writeJson(page)},"links":${writeJson(links)}}`;
}

/** A document that is no resource, such as the root of the API. @param name of the root element in XML */
export function writeDocument(
  format: ResponseFormat,
  name: string,
  document: { readonly [member: string]: Json },
): string {
  switch (format) {
    case 'json':
      return writeJson(document);
    case 'xml':
      return writeXml(name, document);
    case 'text':
      return writeText(document);
    case 'csv':
    case 'ndjson':
    case 'html':
      throw new Error(`${name} is never written as ${format}`);
  }
}
