import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useConnection } from '../api/connection.ts';
import { type EventFilter, type LoggedEvent, readLog } from './event-log.ts';

/** Events of the feed in memory. Older ones stay in the log. */
const MAX_LIVE = 500;
/** Parts of the log in memory. */
const MAX_PARTS = 4;

/** Reads the log and follows it, the newest event first. A paused feed resumes after the last event: none is missed. */
export function useEvents(filter: EventFilter) {
  const { calls } = useConnection();
  const log = useInfiniteQuery({
    queryKey: ['events', filter],
    queryFn: ({ pageParam }) => readLog(calls, filter, pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    maxPages: MAX_PARTS,
  });
  const logged = useMemo(() => (log.data?.pages ?? []).flatMap(({ events }) => events).toReversed(), [log.data]);
  const feed = useFeed(filter, logged[0]?.metadata.sequence ?? null);
  const events = useMemo(() => {
    const byId = new Map([...feed.events, ...logged].map((event) => [event.id, event]));
    const { correlation } = filter;
    return [...byId.values()].filter(({ metadata }) => correlation === null || metadata.correlation_id === correlation);
  }, [feed.events, logged, filter]);
  return { log, feed, events };
}

/** Follows the feed after the last event that is known. */
function useFeed({ collection, type, rowId }: EventFilter, lastLogged: string | null) {
  const { calls } = useConnection();
  const [isLive, setLive] = useState(false);
  const [events, setEvents] = useState<readonly LoggedEvent[]>([]);
  const [error, setError] = useState<Error | null>(null);
  const last = events[0]?.metadata.sequence ?? lastLogged;
  useEffect(() => {
    if (!isLive) return;
    const stop = new AbortController();
    const options = {
      signal: stop.signal,
      ...(collection === null ? {} : { resources: [collection] }),
      ...(type === null ? {} : { types: [type] }),
      ...(rowId === null ? {} : { resource_id: rowId }),
      ...(last === null ? {} : { after: last }),
    };
    const follow = async (): Promise<void> => {
      for await (const event of calls.client.$events(options)) {
        setEvents((earlier) => [event, ...earlier].slice(0, MAX_LIVE));
      }
    };
    calls.run(follow).catch((reason: Error) => {
      if (stop.signal.aborted) return;
      setError(reason);
      setLive(false);
    });
    return () => stop.abort();
    // The feed continues by itself: its own events start no other one.
  }, [isLive, calls, collection, type, rowId]);
  const toggle = (): void => {
    setError(null);
    setLive(!isLive);
  };
  return { isLive, events, error, toggle };
}
