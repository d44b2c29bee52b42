import type { JsonObject } from '../../conventions/json.ts';
import type { ListRead, Page } from '../../plan/plan.ts';
import type { CompiledResource } from '../contract.ts';
import type { VisibleRows } from './visible-rows.ts';

/** Rows per read. */
const PAGE = 1_000;

/** A whole collection, below whichever parents its rows are. */
export interface ExportedRows {
  /** The number of rows when the export began. */
  readonly total: number;
  /** In the order of their ids, a bounded number per page; the next page is read ahead. */
  readonly pages: AsyncIterable<readonly JsonObject[]>;
}

/**
 * All rows of a resource as GET returns them, without links. Rows that exist throughout are exported once, whatever is written meanwhile.
 *
 * @param rows all of them: an export runs for the system
 */
export async function exportRows(compiled: CompiledResource, rows: VisibleRows): Promise<ExportedRows> {
  const counted = await rows.list({ ...readAfter(compiled, null, 1), count: { kind: 'exact' } });
  return { total: counted.total?.count ?? 0, pages: pagesOf(compiled, rows) };
}

/** The next rows are read while those before them are written. */
async function* pagesOf(compiled: CompiledResource, rows: VisibleRows): AsyncGenerator<readonly JsonObject[]> {
  const read = async (last: string | null): Promise<Page> => rows.list(readAfter(compiled, last, PAGE));
  for (let reading: Promise<Page> | null = read(null); reading !== null; ) {
    const page: Page = await reading;
    const last: string | null = page.rows.at(-1)?.id ?? null;
    reading = page.more && last !== null ? read(last) : null;
    // A consumer that stops here never awaits the page read ahead, whose failure must not go unhandled.
    reading?.catch(() => null);
    if (page.rows.length > 0) yield page.rows.map((row) => compiled.writeFields(row));
  }
}

function readAfter({ resource }: CompiledResource, last: string | null, limit: number): ListRead {
  return {
    kind: 'list',
    resource: resource.name,
    within: [],
    filter: [],
    order: [{ path: 'id', descending: false }],
    window: { kind: 'seek', after: last === null ? null : [last], backward: false, limit },
    count: { kind: 'none' },
    effort: 'bounded',
  };
}
