import type { Parameters, Position, Walked } from './position.ts';

/** Skip `offset` items, then return up to `limit` (S 4.5). Bounds are checked before. */
export function offsetPosition(offset: number, limit: number, maxOffset: number): Position {
  const at = (place: number): Parameters => [['offset', String(place)]];
  return {
    technique: 'offset',
    window: { kind: 'offset', offset, limit },
    parameters: at(offset),
    counts: true,
    members: () => ({ offset }),
    neighbours: (walked) => ({
      first: at(0),
      prev: offset === 0 ? null : at(Math.max(0, Math.min(offset, exactCount(walked, offset)) - limit)),
      next: walked.more ? following(walked, offset + limit, maxOffset, at) : null,
      last: lastOffset(walked, limit, maxOffset, at),
    }),
  };
}

/** How many items there are; where that is not known, at least as many as are passed over. */
export function exactCount({ total }: Walked, passed: number): number {
  return total?.exact === true ? total.count : passed;
}

/** The page after this one. Where its offset would be refused, the walk goes on by cursor, so that no item is out of reach. */
export function following(
  walked: Walked,
  offset: number,
  maxOffset: number,
  at: (offset: number) => Parameters,
): Parameters {
  return offset <= maxOffset ? at(offset) : [['after', walked.cursor('after-last')]];
}

/** The last page, known only from an exact total. */
export function lastOffset(
  walked: Walked,
  limit: number,
  maxOffset: number,
  at: (offset: number) => Parameters,
): Parameters | null {
  if (walked.total === null || !walked.total.exact) return null;
  const offset = Math.max(0, Math.ceil(walked.total.count / limit) - 1) * limit;
  return offset <= maxOffset ? at(offset) : null;
}
