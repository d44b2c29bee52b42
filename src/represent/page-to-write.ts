import type { JsonObject } from '../conventions/json/json.ts';
import type { ResponseFormat } from '../conventions/media/response-format.ts';
import { endsEarly } from '../plan/list/page-end.ts';
import type { Page } from '../plan/plan.ts';
import { WHOLE_VIEW } from '../plan/list/view.ts';
import type { DocumentTypes } from '../contract/contract.ts';
import type { Negotiated } from '../pipeline/negotiate.ts';
import type { FoundPage } from '../operations/read/list.ts';
import type { DivisibleItem } from './encode.ts';
import { expandedWriter } from './expanded.ts';
import { pageMetadata, type PageDescription } from './page-metadata.ts';
import type { HeaderList } from './response.ts';
import { viewTypes } from './view-types.ts';

/** A page that was read, to be written in the format of its request. */
export interface PageToWrite {
  readonly request: Negotiated;
  readonly list: FoundPage['request'];
  readonly page: Page;
  /** Represents the row at an index. */
  readonly item: (index: number) => JsonObject;
  /** The same with its related rows; null where nothing is expanded. */
  readonly expandedItem: ((index: number) => DivisibleItem) | null;
  readonly types: DocumentTypes;
  /** Of the page as JSON (LIM-1). */
  readonly maxBytes: number;
  /** Whether the size of its items is not known from that of its rows: they have related rows, or computed members. */
  readonly isUnsized: boolean;
}

/** The most bytes that a character has in a JSON string (`\u0001`). */
export const MAX_ESCAPED = 6;
/** More bytes than the names and links of an item have. */
const ITEM_FRAME = 4_096;

export function pageToWrite(
  request: Negotiated,
  list: FoundPage['request'],
  { page, expanded }: Extract<FoundPage['source'], { kind: 'rows' }>,
): PageToWrite {
  const { compiled, query } = list;
  const { plan, view } = query;
  const { contract, base } = request;
  const at = <T>(all: readonly T[], index: number): T => {
    const found = all[index];
    if (found === undefined) throw new RangeError(`the page has no row ${index}`);
    return found;
  };
  const write = expanded === null ? null : expandedWriter(request, view.projection);
  return {
    request,
    list,
    page,
    item: (index) => compiled.representStored(at(page.rows, index), plan.within, base, view),
    expandedItem: expanded === null || write === null ? null : (index) => write(at(expanded, index)),
    types: view === WHOLE_VIEW ? compiled : viewTypes(compiled, view, contract),
    maxBytes: contract.model.limits.page.bytes,
    isUnsized: expanded !== null || compiled.resource.computed.length > 0,
  };
}

export function describePage({ request, list }: PageToWrite, page: Page): PageDescription {
  return pageMetadata(request, list.compiled, list.query, page);
}

/** Whether a page cannot end early although not all of its items fit: the next one would begin elsewhere. */
export function isRefused({ list }: PageToWrite, page: Page): boolean {
  const { pagination, plan } = list.query;
  return pagination.technique === 'page' && endsEarly(page, plan.window);
}

/** Whether the page fits as JSON in any case. @param frame bytes of each item that are not of its row */
export function fitsSurely({ page, maxBytes, isUnsized }: PageToWrite, frame = ITEM_FRAME): boolean {
  return !isUnsized && page.size * MAX_ESCAPED + page.rows.length * frame <= maxBytes;
}

/** Page metadata as header fields, for formats without room for it (NEG-1). */
export function metadataHeaders(
  format: ResponseFormat,
  { next_cursor: cursor, end_cursor: end, total_count: total }: JsonObject,
): HeaderList {
  if (format === 'json' || format === 'xml') return [];
  return [
    ...(typeof cursor === 'string' ? ['X-Next-Cursor', cursor] : []),
    ...(typeof end === 'string' ? ['X-End-Cursor', end] : []),
    ...(typeof total === 'number' ? ['X-Total-Count', String(total)] : []),
  ];
}
