import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useConnection } from '../api/connection.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Failure, Loading, Notice } from '../ui/notice.tsx';
import { EventDialog } from './event-dialog.tsx';
import { EventFilters } from './event-filters.tsx';
import { readEventFilter } from './event-log.ts';
import { EventTable } from './event-table.tsx';
import { useEvents } from './use-events.ts';

/** The log of what has changed: `#/events?collection=books&type=book.created&id=…&correlation=…&event=…`. */
export function EventsView() {
  const { schema } = useConnection();
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const { event = null, ...filters } = search;
  const key = JSON.stringify(filters);
  return (
    <>
      <h1>{texts.navigation.events}</h1>
      {schema.hasEvents ? (
        <>
          <EventFilters search={filters} />
          <EventLog key={key} search={filters} />
          <EventDialog id={event} onClose={() => void navigate({ to: '/events', search: filters })} />
        </>
      ) : (
        <p>{texts.events.notServed}</p>
      )}
    </>
  );
}

function EventLog({ search }: { readonly search: Readonly<Record<string, string>> }) {
  const { events: words } = texts;
  // The view makes another log for another filter.
  const filter = useMemo(() => readEventFilter(search), []);
  const { log, feed, events } = useEvents(filter);
  if (log.isPending) return <Loading text={texts.loading} />;
  if (log.error !== null && log.data === undefined)
    return (
      <Failure
        title={texts.failed}
        text={log.error.message}
        retryLabel={texts.retry}
        onRetry={() => void log.refetch()}
      />
    );
  return (
    <>
      <div className="bar">
        <Button look="primary" onClick={feed.toggle}>
          {feed.isLive ? words.pause : feed.events.length > 0 ? words.resume : words.follow}
        </Button>
        {!feed.isLive && <Button onClick={() => void log.refetch()}>{words.refresh}</Button>}
        <span role="status" className="hint">
          {feed.isLive ? words.live(feed.events.length) : words.count(events.length)}
        </span>
      </div>
      {feed.error !== null && <p role="alert">{`${words.feedEnded} ${feed.error.message}`}</p>}
      {log.hasNextPage && !feed.isLive && (
        <Notice>
          {words.later} <Button onClick={() => void log.fetchNextPage()}>{words.loadLater}</Button>
        </Notice>
      )}
      {events.length === 0 ? <p>{words.none}</p> : <EventTable events={events} search={search} />}
    </>
  );
}
