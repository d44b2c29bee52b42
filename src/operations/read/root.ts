import type { Total } from '../../conventions/pagination/pagination.ts';
import type { Resource } from '../../model/model.ts';
import { eventsRule } from '../../plan/event-rules.ts';
import type { Caller } from '../caller.ts';
import type { VisibleRows } from '../visible-rows.ts';

/** A read of the root of the API. */
export interface RootRequest {
  readonly kind: 'root';
  /** True for `/`, false for the root of the API itself. */
  readonly isHome: boolean;
  /** True for its page. Other formats have no totals and read no rows. */
  readonly counts: boolean;
}

/** The root of the API for a caller. */
export interface FoundRoot {
  readonly kind: 'root';
  readonly isHome: boolean;
  /** The resources that the caller may read, or know of from public descriptions, in the order of the model. */
  readonly readable: ReadonlyMap<string, Resource>;
  /** True if the caller may read events. */
  readonly readsEvents: boolean;
  /**
   * The number of rows of each collection that is not below another resource, by name; empty if they are not counted,
   * or too many.
   */
  readonly totals: ReadonlyMap<string, Total>;
}

/** The most resources whose collections are counted: each costs a statement for each request. */
const MOST_COUNTED = 100;

/** Reads the root of the API. */
export function readRoot(caller: Caller, { isHome, counts }: RootRequest): FoundRoot | Promise<FoundRoot> {
  const { contract, accessError } = caller;
  const { model } = contract;
  // Public descriptions list the whole contract for every reader (OPS-1).
  const listsAll = isHome && model.descriptions === 'public';
  const readable = new Map(
    [...model.resources].filter(([, { access }]) => listsAll || accessError([access.read]) === null),
  );
  const readsEvents = accessError([eventsRule(model)]) === null;
  const root = { kind: 'root', isHome, readable, readsEvents, totals: new Map<string, Total>() } as const;
  return counts && readable.size <= MOST_COUNTED ? countTotals(caller, root) : root;
}

async function countTotals({ rows, contract }: Caller, root: FoundRoot): Promise<FoundRoot> {
  const { countCap } = contract.model.limits.page;
  const top = [...root.readable.values()].filter(({ parent }) => parent === null);
  const counted = await Promise.all(
    top.map(async ({ name }) => [name, await countRows(rows, name, countCap)] as const),
  );
  return { ...root, totals: new Map(counted.flatMap(([name, total]) => (total === null ? [] : [[name, total]]))) };
}

/** Counts exactly for a caller who may see every row: each commit maintains that number (PAGE-9). */
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
