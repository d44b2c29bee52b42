import type { JsonObject } from '../../conventions/json.ts';
import type { ListPlan, Page } from '../../plan/plan.ts';
import type { CompiledResource } from '../contract.ts';
import type { Surroundings } from '../surroundings.ts';

/** Rows that are read at once. */
const PAGE = 1_000;

/** A whole collection, wherever its rows lie. */
export interface ExportedRows {
  /** Rows at the moment of asking. */
  readonly total: number;
  /** In the order of their ids, a bounded number at a time; of the next ones as many are read ahead. */
  readonly pages: AsyncIterable<readonly JsonObject[]>;
}

/**
 * All rows of a resource as GET shows them, without links. Rows that stand throughout are told once, whatever is written meanwhile.
 */
export async function exportRows(compiled: CompiledResource, surroundings: Surroundings): Promise<ExportedRows> {
  const counted = await surroundings.rows.list({ ...planFrom(compiled, null, 1), count: { kind: 'exact' } });
  return { total: counted.total?.count ?? 0, pages: pagesOf(compiled, surroundings) };
}

/** The next rows are read while those before them are written. */
async function* pagesOf(compiled: CompiledResource, { rows }: Surroundings): AsyncGenerator<readonly JsonObject[]> {
  const read = async (last: string | null): Promise<Page> => rows.list(planFrom(compiled, last, PAGE));
  for (let reading: Promise<Page> | null = read(null); reading !== null; ) {
    const page: Page = await reading;
    const last: string | null = page.rows.at(-1)?.id ?? null;
    reading = page.more && last !== null ? read(last) : null;
    // Where nobody asks for them any more, nobody has to know that they could not be read.
    reading?.catch(() => null);
    if (page.rows.length > 0) yield page.rows.map((row) => compiled.writeFields(row));
  }
}

function planFrom({ resource }: CompiledResource, last: string | null, limit: number): ListPlan {
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
