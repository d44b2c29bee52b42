import type { ResponseFormat } from '../conventions/media/response-format.ts';
import type { Json, JsonObject } from '../conventions/json/json.ts';
import { DividedObject } from '../formats/divided.ts';
import { jsonPieces, jsonWriter, writeJson } from '../formats/json.ts';
import { TEXT_SEPARATOR, textPieces, writeText, writeTextList } from '../formats/text.ts';
import {
  writeXml,
  writeXmlItem,
  XML_COLLECTION_START,
  xmlCollectionEnd,
  xmlItemPieces,
  xmlPieces,
} from '../formats/xml.ts';
import type { DocumentTypes } from '../contract/contract.ts';

/** A resource to be written, divided if it is large. */
export type DivisibleItem = JsonObject | DividedObject;

/** A page: its items, with metadata and links that only some formats can hold. */
export interface PageDocument {
  readonly data: readonly JsonObject[];
  readonly page: JsonObject;
  readonly links: JsonObject;
}

/** Writes one resource in a format (NEG-1, NEG-4, NEG-6). */
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
    case 'cloudevent':
    case 'cloudevents':
    case 'event-stream':
      throw new Error(`one resource is never written as ${format}`);
  }
}

/** Writes the pieces of one resource in a format; an undivided resource is a single piece. */
export function itemPieces(format: ResponseFormat, types: DocumentTypes, item: DivisibleItem): Iterable<string> {
  if (!(item instanceof DividedObject)) return [writeItem(format, types, item)];
  switch (format) {
    case 'json':
      return jsonPieces(item, types.responseType);
    case 'xml':
      return xmlPieces(types.resource.singular, item, types.responseType);
    case 'text':
      return textPieces(item);
    case 'csv':
    case 'ndjson':
    case 'html':
    case 'cloudevent':
    case 'cloudevents':
    case 'event-stream':
      throw new Error(`one resource is never written as ${format}`);
  }
}

/** The parts of a page in a format. CSV, NDJSON and text hold the items alone: metadata goes into header fields. */
export interface PageFormat {
  readonly start: string;
  /** Writes consecutive items with their separators. */
  readonly items: (data: readonly JsonObject[]) => string;
  /** Writes one item in pieces. */
  readonly pieces: (item: DivisibleItem) => Iterable<string>;
  readonly separator: string;
  readonly end: (metadata: Pick<PageDocument, 'page' | 'links'>) => string;
}

const nothing = (): string => '';

/** Selects the form of pages in a format. @param types of their items */
export function pageFormat(format: ResponseFormat, types: DocumentTypes): PageFormat {
  switch (format) {
    case 'json':
      return jsonFormat(types);
    case 'xml':
      return xmlFormat(types);
    case 'text':
      return { start: '', items: writeTextList, pieces: textPieces, separator: TEXT_SEPARATOR, end: nothing };
    case 'csv':
      return csvFormat(types);
    case 'ndjson':
      return ndjsonFormat(types);
    case 'html':
    case 'cloudevent':
    case 'cloudevents':
    case 'event-stream':
      throw new Error('a page is never written as html');
  }
}

function jsonFormat({ responseType }: DocumentTypes): PageFormat {
  const write = jsonWriter(responseType);
  return {
    start: '{"data":[',
    items: (data) => data.map(write).join(','),
    pieces: (item) => jsonPieces(item, responseType),
    separator: ',',
    end: ({ page, links }) => `]${jsonEnd(page, links)}`,
  };
}

function xmlFormat({ resource: { singular }, responseType }: DocumentTypes): PageFormat {
  return {
    start: XML_COLLECTION_START,
    items: (data) => data.map((item) => writeXmlItem(singular, item, responseType)).join(''),
    pieces: (item) => xmlItemPieces(singular, item, responseType),
    separator: '',
    end: (metadata) => xmlCollectionEnd({ ...metadata }),
  };
}

function csvFormat({ csv }: DocumentTypes): PageFormat {
  return {
    start: csv.header,
    items: (data) => csv.rows(data),
    pieces: (item) => [csv.rows([undivided(item)])],
    separator: '',
    end: nothing,
  };
}

function ndjsonFormat({ responseType }: DocumentTypes): PageFormat {
  const write = jsonWriter(responseType);
  return {
    start: '',
    items: (data) => data.map((item) => write(item) + '\n').join(''),
    pieces: (item) => linePieces(jsonPieces(item, responseType)),
    separator: '',
    end: nothing,
  };
}

/** @throws {Error} for a divided item: CSV has no related rows */
function undivided(item: DivisibleItem): JsonObject {
  if (item instanceof DividedObject) throw new Error('related rows are never written as csv');
  return item;
}

function* linePieces(pieces: Iterable<string>): Generator<string> {
  yield* pieces;
  yield '\n';
}

/** Writes one page in a format, in one piece. */
export function writePage(format: ResponseFormat, types: DocumentTypes, { data, page, links }: PageDocument): string {
  if (format === 'json') return writeJsonPage(jsonWriter(types.responseType)(data), page, links);
  const { start, items, end } = pageFormat(format, types);
  return start + items(data) + end({ page, links });
}

/**
 * Writes a page in JSON. The items are serialized separately, because V8 holds a string such as a link with a query in
 * pieces. One such string would make `JSON.stringify` three times as slow for all of them.
 *
 * @param data the array of its items, as JSON
 */
export function writeJsonPage(data: string, page: JsonObject, links: JsonObject): string {
  return `{"data":${data}${jsonEnd(page, links)}`;
}

function jsonEnd(page: JsonObject, links: JsonObject): string {
  return `,"page":${writeJson(page)},"links":${writeJson(links)}}`;
}

/** Writes a document that is not a resource, such as the root of the API. @param name of the root element in XML */
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
    case 'cloudevent':
    case 'cloudevents':
    case 'event-stream':
      throw new Error(`${name} is never written as ${format}`);
  }
}
