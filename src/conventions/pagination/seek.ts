import type { PageLinks, QueryPairs, Pagination, FetchedPage } from './pagination.ts';

/** A moment and an id: what follows comes strictly after the pair (PAGE-7). */
export interface SeekKey {
  /** RFC 3339, as representations show it. */
  readonly timestamp: string;
  readonly id: string;
}

/**
 * The items after a moment and an id, which tells apart those of one moment (S 4.5, PAGE-7). No item needs to stand there.
 *
 * @param timeField the property that holds the moment
 */
export function seekPagination(pair: SeekKey, timeField: string, limit: number, end: () => string): Pagination {
  const at = (timestamp: string, id: string): QueryPairs => [
    ['after_timestamp', timestamp],
    ['after_id', id],
  ];
  return {
    technique: 'seek',
    window: { kind: 'seek', after: [pair.timestamp, pair.id], backward: false, limit },
    parameters: at(pair.timestamp, pair.id),
    countsByDefault: false,
    links: (walked) => seekLinks(walked, (value) => at(value(timeField), value('id')), end),
    members: () => ({ after_timestamp: pair.timestamp, after_id: pair.id }),
  };
}

/** The pages around one that starts after plain values. They know only the way on: back, and to the end, it goes by cursor. */
export function seekLinks(
  walked: FetchedPage,
  following: (value: (path: string) => string) => QueryPairs,
  end: () => string,
): PageLinks {
  const onward = walked.count > 0;
  return {
    first: [],
    prev: onward ? [['after', walked.cursor('before-first')]] : null,
    next: onward && walked.hasMore ? following((path) => walked.last(path)) : null,
    last: walked.total?.exact === true ? [['after', end()]] : null,
  };
}
