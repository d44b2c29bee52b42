import type { Json } from '../json/json.ts';
import type { QueryPairs } from '../url/query.ts';
import type { Pagination } from './pagination.ts';

/** The content of a cursor (PAGE-6). */
export interface CursorState {
  /** The collection and its parent rows. A cursor of another collection is rejected. */
  readonly collection: string;
  /** The contract that it belongs to; empty for the newest one. */
  readonly scope: string;
  /**
   * The fields that filters and sort compare, with their types. If the model has changed them, the cursor is rejected.
   */
  readonly fingerprint: string;
  /** Filters and sort as query parameters: a cursor alone restores them (hybrid). */
  readonly query: QueryPairs;
  readonly backward: boolean;
  /** One value for each sort key; null is the first page, or with `backward` the last one. */
  readonly after: readonly Json[] | null;
}

/** Deterministic authenticated encryption. `open` returns null for a token that `seal` did not return. */
export interface CursorSeal {
  readonly seal: (plain: string) => string;
  readonly open: (token: string) => string | null;
}

type SealedState = [string, string, QueryPairs, 0 | 1, readonly Json[] | null, scope?: string];

/** The token of a cursor. All instances return the same token for the same state. */
export function encodeCursor(state: CursorState, { seal }: CursorSeal): string {
  const { collection, scope, fingerprint, query, backward, after } = state;
  const sealed: SealedState = [collection, fingerprint, query, backward ? 1 : 0, after];
  if (scope !== '') sealed.push(scope);
  return seal(JSON.stringify(sealed));
}

/** The state of a token; null if it was forged, truncated or sealed with another key. */
export function decodeCursor(token: string, { open }: CursorSeal): CursorState | null {
  const plain = open(token);
  if (plain === null) return null;
  // The seal is authenticated: `encodeCursor` wrote the JSON, so its shape needs no check.
  const [collection, fingerprint, query, backward, after, scope = '']: SealedState = JSON.parse(plain);
  return { collection, scope, fingerprint, query, backward: backward === 1, after };
}

/**
 * Cursor pagination; without a cursor the first page (PAGE-3).
 *
 * @param cursor the token and its state; null for the first page
 * @param end returns the cursor of the last page: backward from the end
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
    links: (page) => {
      const hasItems = page.count > 0;
      // In a backward read the page that the client came from is the next one, in a forward read the previous one.
      const next = backward ? after !== null : page.hasMore;
      const prev = backward ? page.hasMore : after !== null;
      return {
        first: [],
        prev: prev && hasItems ? at(page.cursor('before-first')) : null,
        next: next && hasItems ? at(page.cursor('after-last')) : null,
        last: page.total?.exact === true ? at(end()) : null,
      };
    },
    members: (_page, links) => ({
      after: cursor?.token ?? null,
      next_cursor: findToken(links.next),
      prev_cursor: findToken(links.prev),
    }),
  };
}

function findToken(parameters: QueryPairs | null): string | null {
  const token = parameters?.[0]?.[1];
  return typeof token === 'string' ? token : null;
}
