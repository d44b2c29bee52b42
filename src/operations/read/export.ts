import type { JsonObject } from '../../conventions/json/json.ts';
import type { CsvWriter } from '../../formats/csv.ts';
import type { Model } from '../../model/model.ts';
import { keyMembers } from '../../model/row-key.ts';
import { parentMembers, parentRecord } from '../../plan/transfer/export-record.ts';
import type { ListRead, Page, Row } from '../../plan/plan.ts';
import type { CompiledResource } from '../../contract/contract.ts';
import type { VisibleRows } from '../visible-rows.ts';

/** Rows per read. */
const PAGE = 1_000;
/** Maximum characters of their values: fewer rows are read if they are large. */
const MAX_SIZE = 16_777_216;

/** A whole collection, whatever the parents of its rows. */
export interface ExportedRows {
  /** Writes them as CSV. */
  readonly csv: CsvWriter;
  /** The number of rows when the export began. */
  readonly total: number;
  /** In the order of their keys, outermost id first, a bounded number per page; the next page is read ahead. */
  readonly pages: AsyncIterable<readonly JsonObject[]>;
}

/**
 * Exports all rows of a resource as GET returns them, without links. Rows that exist throughout are exported once,
 * whatever is written meanwhile.
 *
 * @param rows all rows: an export runs for the system
 */
export async function exportRows(
  compiled: CompiledResource,
  resources: Model['resources'],
  rows: VisibleRows,
): Promise<ExportedRows> {
  const counted = await rows.list({ ...readAfter(compiled, null, 1), count: { kind: 'exact' } });
  return {
    csv: compiled.record.csv,
    total: counted.total?.count ?? 0,
    pages: readExportPages(compiled, resources, rows),
  };
}

/** Reads the rows of a collection page by page. The next page is read while the one before it is written. */
async function* readExportPages(
  compiled: CompiledResource,
  resources: Model['resources'],
  rows: VisibleRows,
): AsyncGenerator<readonly JsonObject[]> {
  const record = parentRecord(compiled.resource, resources);
  const read = async (last: Row | null): Promise<Page> => rows.list(readAfter(compiled, last, PAGE));
  for (let reading: Promise<Page> | null = read(null); reading !== null; ) {
    const page: Page = await reading;
    const last: Row | null = page.rows.at(-1) ?? null;
    reading = page.more && last !== null ? read(last) : null;
    // A consumer that stops here never awaits the page read ahead, whose failure must not go unhandled.
    reading?.catch(() => null);
    if (page.rows.length > 0)
      yield page.rows.map((row) => ({ ...compiled.writeFields(row), ...parentMembers(record, row) }));
  }
}

function readAfter({ resource }: CompiledResource, last: Row | null, limit: number): ListRead {
  const key = keyMembers(resource).toReversed();
  return {
    kind: 'list',
    resource: resource.name,
    within: [],
    filter: [],
    order: key.map((path) => ({ path, descending: false })),
    window: {
      kind: 'seek',
      after: last === null ? null : key.map((name) => last[name] ?? null),
      backward: false,
      limit,
    },
    count: { kind: 'none' },
    effort: 'bounded',
    maxSize: MAX_SIZE,
  };
}
