import type { QueryPairs, Pagination } from './pagination.ts';
import { seekLinks } from './seek.ts';

/** The items whose id is greater than `last_id`, or less in a descending order (S 4.5, PAGE-7). No item needs to have that id. */
export function keysetPagination(lastId: string, limit: number, end: () => string): Pagination {
  const at = (id: string): QueryPairs => [['last_id', id]];
  return {
    technique: 'keyset',
    window: { kind: 'seek', after: [lastId], backward: false, limit },
    parameters: at(lastId),
    countsByDefault: false,
    links: (walked) => seekLinks(walked, (value) => at(value('id')), end),
    members: () => ({ last_id: lastId }),
  };
}
