import type { Total } from '../../conventions/pagination/pagination.ts';
import type { Resource } from '../../model/model.ts';
import type { Negotiated } from '../../pipeline/negotiate.ts';
import type { VisibleRows } from '../visible-rows.ts';

/** The root of the API. */
export interface FoundRoot {
  readonly kind: 'root';
  /** The number of rows of each collection that is not below another resource, by name: for people, who see it. Empty for programs. */
  readonly totals: ReadonlyMap<string, Total>;
}

const WITHOUT_TOTALS: FoundRoot = { kind: 'root', totals: new Map() };

/** The root of the API for a request. Only its page has totals: its other formats stay without a read of rows. */
export function readRoot({ offer, rows, contract, accessError }: Negotiated): FoundRoot | Promise<FoundRoot> {
  if (offer.format !== 'html') return WITHOUT_TOTALS;
  const { resources, limits } = contract.model;
  const top = [...resources.values()].filter(
    ({ parent, access }) => parent === null && accessError([access.read]) === null,
  );
  return countAll(top, rows, limits.page.countCap);
}

async function countAll(resources: readonly Resource[], rows: VisibleRows, cap: number): Promise<FoundRoot> {
  const counted = await Promise.all(
    resources.map(async ({ name }) => [name, await countRows(rows, name, cap)] as const),
  );
  return { kind: 'root', totals: new Map(counted.flatMap(([name, total]) => (total === null ? [] : [[name, total]]))) };
}

/** Exact for a caller who may see every row: each commit maintains that number (PAGE-9). */
async function countRows(rows: VisibleRows, resource: string, cap: number): Promise<Total | null> {
  const page = await rows.list({
    kind: 'list',
    resource,
    within: [],
    filter: [],
    order: [{ path: 'id', descending: false }],
    window: { kind: 'seek', after: null, backward: false, limit: 1 },
    count: { kind: 'capped', cap },
    effort: 'light',
  });
  return page.total;
}
