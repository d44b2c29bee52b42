import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { AnyCollection } from '../api/calls.ts';
import { useConnection } from '../api/connection.ts';
import { readJson } from '../api/read-json.ts';
import type { Page, Webhook } from './webhook-types.ts';

/** Pages of a collection in memory. */
const MAX_PAGES = 5;
/** Milliseconds between two looks at deliveries that are on their way. */
const WATCH = 2_000;
/** Milliseconds between two looks at a list that rests. */
const REST = 5_000;

/** A collection below `/webhooks`, page by page. @param isMoving true while its items change by themselves */
export function usePages<T>(path: string, isMoving: (items: readonly T[]) => boolean = () => false) {
  const { calls } = useConnection();
  const query = useInfiniteQuery({
    queryKey: ['webhooks', path],
    queryFn: async ({ pageParam }) => {
      const after = pageParam === null ? '' : `${path.includes('?') ? '&' : '?'}after=${encodeURIComponent(pageParam)}`;
      return await readJson<Page<T>>(await calls.send(path + after));
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ page }) => page.next_cursor,
    maxPages: MAX_PAGES,
    staleTime: 0,
    refetchInterval: ({ state }) => (isMoving((state.data?.pages ?? []).flatMap(({ data }) => data)) ? WATCH : REST),
  });
  return { query, items: (query.data?.pages ?? []).flatMap(({ data }) => data) };
}

/** One webhook. */
export function useWebhook(id: string) {
  const { calls } = useConnection();
  return useQuery({
    queryKey: ['webhooks', id],
    queryFn: async () => readJson<Webhook>(await calls.send(`/webhooks/${encodeURIComponent(id)}`)),
    staleTime: 0,
  });
}

/** The calls of `/webhooks` or, with an id, of a collection below one. */
export type FindCalls = (child?: 'deliveries' | 'replays' | 'secrets', id?: string) => AnyCollection;

/**
 * A write below `/webhooks`, after which all of them are read again.
 *
 * @param write makes it; it is repeated after a sign-in
 */
export function useWebhookWrite<I, R>(write: (find: FindCalls, input: I) => Promise<R>) {
  const { calls, schema } = useConnection();
  const queries = useQueryClient();
  const find: FindCalls = (child, id) => {
    const name = child ?? 'webhooks';
    const path = child === undefined ? '/webhooks' : `/webhooks/{webhook_id}/${child}`;
    const collection = [...schema.collections.values()].find((each) => each.path === path);
    if (collection === undefined) throw new TypeError(`'${name}' is not served.`);
    return calls.collection(collection, id === undefined ? [] : [id]);
  };
  return useMutation({
    mutationFn: (input: I) => calls.run(() => write(find, input)),
    // Also after a failure: the next attempt needs the ETag of what is stored now.
    onSettled: () => queries.invalidateQueries({ queryKey: ['webhooks'] }),
  });
}
