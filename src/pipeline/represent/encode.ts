import type { ResponseFormat } from '../../conventions/response-format.ts';
import type { Json, JsonObject } from '../../conventions/json.ts';
import { writeJson } from '../../formats/json.ts';
import { writeText, writeTextList } from '../../formats/text.ts';
import { writeXml, writeXmlCollection } from '../../formats/xml.ts';
import type { DocumentTypes } from '../contract.ts';

/** Lines of NDJSON end so, the last one too. */
const LINE_END = '\n';

/** A page as it is told: its items, and facts that only some formats have room for. */
export interface PageDocument {
  readonly data: readonly JsonObject[];
  readonly page: JsonObject;
  readonly links: JsonObject;
}

/** One resource in a format (NEG-1, NEG-4, NEG-6). */
export function writeItem(format: ResponseFormat, { resource, responseType }: DocumentTypes, item: JsonObject): string {
  switch (format) {
    case 'json':
      return writeJson(item);
    case 'xml':
      return writeXml(resource.singular, item, responseType);
    case 'text':
      return writeText(item);
    case 'csv':
    case 'ndjson':
      throw new Error(`one resource is never told as ${format}`);
  }
}

/** One page in a format. CSV, NDJSON and text hold the items alone: what else there is to tell goes into header fields. */
export function writePage(
  format: ResponseFormat,
  { resource, responseType, csv }: DocumentTypes,
  shown: PageDocument,
): string {
  const { data, page, links } = shown;
  switch (format) {
    case 'json':
      return writeJsonPage(writeJson(data), page, links);
    case 'xml':
      return writeXmlCollection(resource.singular, { data, page, links }, responseType);
    case 'text':
      return writeTextList(data);
    case 'csv':
      return csv.header + csv.rows(data);
    case 'ndjson':
      return data.map((item) => writeJson(item) + LINE_END).join('');
  }
}

/**
 * A page in JSON. Its items are written apart from what is told beside them: one text in there that is no single piece, as one out of a query,
 * would have all of them written three times as slowly.
 *
 * @param data the array of its items, as JSON
 */
export function writeJsonPage(data: string, page: JsonObject, links: JsonObject): string {
  return `{"data":${data},"page":${writeJson(page)},"links":${writeJson(links)}}`;
}

/** A document that is no resource, such as the root of the API. @param name what XML calls it */
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
      throw new Error(`${name} is never told as ${format}`);
  }
}
