import type { JsonObject } from '../conventions/json/json.ts';
import type { ResponseFormat } from '../conventions/media/response-format.ts';
import type { Page } from '../plan/plan.ts';
import { WHOLE_VIEW } from '../plan/list/view.ts';
import type { DocumentTypes } from '../contract/contract.ts';
import type { HeaderList } from '../exchange/handler.ts';
import type { ListRequest, ReadPage } from '../operations/read/list.ts';
import type { DivisibleItem } from './encode.ts';
import { expandedWriter } from './expanded.ts';
import { pageMetadata, type PageDescription } from './page-metadata.ts';
import type { Reply } from './reply.ts';
import { viewTypes } from './view-types.ts';

/** A page that was read, to be written in the format of its request. */
export interface PageToWrite {
  readonly reply: Reply;
  readonly list: ListRequest;
  readonly page: Page;
  /** Represents the row at an index. */
  readonly item: (index: number) => JsonObject;
  /** Represents it with its related rows; null if nothing is expanded. */
  readonly expandedItem: ((index: number) => DivisibleItem) | null;
  readonly types: DocumentTypes;
  /** Most bytes of the page as JSON (LIM-1). */
  readonly maxBytes: number;
  /**
   * True if the size of its items does not follow from that of its rows: they have related rows, or computed members.
   */
  readonly isUnsized: boolean;
}

/** Maximum bytes of a character in a JSON string (`\u0001`). */
export const MAX_ESCAPED = 6;
/** An upper bound for the bytes of an item's names and links. */
const ITEM_FRAME = 4_096;

export function pageToWrite(reply: Reply, list: ListRequest, { page, expanded }: ReadPage): PageToWrite {
  const { compiled, query } = list;
  const { plan, view } = query;
  const { contract, base } = reply;
  const at = <T>(all: readonly T[], index: number): T => {
    const found = all[index];
    if (found === undefined) throw new RangeError(`the page has no row ${index}`);
    return found;
  };
  const write = expanded === null ? null : expandedWriter(reply, view.projection);
  return {
    reply,
    list,
    page,
    item: (index) => compiled.representStored(at(page.rows, index), plan.within, base, view),
    expandedItem: expanded === null || write === null ? null : (index) => write(at(expanded, index)),
    types: view === WHOLE_VIEW ? compiled : viewTypes(compiled, view, contract),
    maxBytes: contract.model.limits.page.bytes,
    isUnsized: expanded !== null || compiled.resource.computed.length > 0,
  };
}

export function describePage({ reply, list }: PageToWrite, page: Page): PageDescription {
  return pageMetadata(reply, list.compiled, list.query, page);
}

/** True if the page fits as JSON in any case. @param frame bytes of each item besides its row */
export function fitsSurely({ page, maxBytes, isUnsized }: PageToWrite, frame = ITEM_FRAME): boolean {
  return !isUnsized && page.size * MAX_ESCAPED + page.rows.length * frame <= maxBytes;
}

/** Writes page metadata as header fields, for formats without room for it (NEG-1). */
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
