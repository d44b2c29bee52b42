import type { Json } from '../json.ts';
import type { QueryPairs, Pagination } from './pagination.ts';

/** What a cursor holds beside the collection it belongs to: the place, the way of the walk, and the query that it continues (PAGE-6). */
export interface CursorState {
  /** Names the collection and the rows above it; a cursor of another one is foreign. */
  readonly collection: string;
  /** What the filters and the sort compare, with the types of it: where a model has other ones by now, the cursor is of another collection. */
  readonly fingerprint: string;
  /** The filters and sort as query parameters, so that the cursor alone restores them (hybrid). */
  readonly query: QueryPairs;
  readonly backward: boolean;
  /** One value for each key of the order; null is the end that the walk starts from. */
  readonly after: readonly Json[] | null;
}

/** Turns text into an opaque token and back: encrypted, authenticated, deterministic. `open` gives null for what it did not seal. */
export interface CursorSeal {
  readonly seal: (plain: string) => string;
  readonly open: (token: string) => string | null;
}

type SealedState = [string, string, QueryPairs, 0 | 1, readonly Json[] | null];

/** The token of a state. The same state gives the same token, whichever instance makes it. */
export function encodeCursor(state: CursorState, { seal }: CursorSeal): string {
  const { collection, fingerprint, query, backward, after } = state;
  return seal(JSON.stringify([collection, fingerprint, query, backward ? 1 : 0, after]));
}

/** The state of a token; null where it was forged, cut or sealed under another key. */
export function decodeCursor(token: string, { open }: CursorSeal): CursorState | null {
  const plain = open(token);
  if (plain === null) return null;
  // What opens was written by `writeCursor`: the seal is authenticated, so the shape is not checked again.
  const [collection, compared, query, backward, after]: SealedState = JSON.parse(plain);
  return { collection, fingerprint: compared, query, backward: backward === 1, after };
}

/**
 * The place that a cursor names, or the start where there is none (PAGE-3).
 *
 * @param cursor the token and what it holds; null for the first page
 * @param end the token of the walk backward from the end: the last page
 */
export function cursorPagination(
  cursor: { readonly token: string; readonly state: CursorState } | null,
  limit: number,
  end: () => string,
): Pagination {
  const after = cursor?.state.after ?? null;
  const backward = cursor?.state.backward ?? false;
  const at = (token: string): QueryPairs => [['after', token]];
  return {
    technique: 'cursor',
    window: { kind: 'seek', after, backward, limit },
    parameters: cursor === null ? [] : at(cursor.token),
    countsByDefault: false,
    links: (walked) => {
      const onward = walked.count > 0;
      // Walking back, the page that the walk came from follows; walking on, it goes before.
      const next = backward ? after !== null : walked.hasMore;
      const prev = backward ? walked.hasMore : after !== null;
      return {
        first: [],
        prev: prev && onward ? at(walked.cursor('before-first')) : null,
        next: next && onward ? at(walked.cursor('after-last')) : null,
        last: walked.total?.exact === true ? at(end()) : null,
      };
    },
    members: (_walked, neighbours) => ({
      after: cursor?.token ?? null,
      next_cursor: tokenOf(neighbours.next),
      prev_cursor: tokenOf(neighbours.prev),
    }),
  };
}

function tokenOf(parameters: QueryPairs | null): string | null {
  const token = parameters?.[0]?.[1];
  return typeof token === 'string' ? token : null;
}
