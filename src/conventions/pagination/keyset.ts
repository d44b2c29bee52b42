import type { QueryPairs } from '../url/query.ts';
import type { Pagination } from './pagination.ts';
import { seekLinks } from './seek.ts';

/**
 * Keyset pagination: the items whose id is greater than `last_id`, or less in descending order (S 4.5, PAGE-7). The
 * item itself need not exist.
 */
export function keysetPagination(lastId: string, limit: number, end: () => string): Pagination {
  const at = (id: string): QueryPairs => [['last_id', id]];
  return {
    technique: 'keyset',
    window: { kind: 'seek', after: [lastId], backward: false, limit },
    parameters: at(lastId),
    countsByDefault: false,
    links: (page) => seekLinks(page, ['id'], ([id = '']) => at(id), end),
    members: () => ({ last_id: lastId }),
  };
}
