import type { Parameters, Position } from './position.ts';
import { seekNeighbours } from './seek.ts';

/** The items whose id is greater than `last_id`, or less in a descending order (S 4.5, PAGE-7). No item needs to have that id. */
export function keysetPosition(lastId: string, limit: number, end: () => string): Position {
  const at = (id: string): Parameters => [['last_id', id]];
  return {
    technique: 'keyset',
    window: { kind: 'seek', after: [lastId], backward: false, limit },
    parameters: at(lastId),
    counts: false,
    neighbours: (walked) => seekNeighbours(walked, (value) => at(value('id')), end),
    members: () => ({ last_id: lastId }),
  };
}
