import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useConnection } from '../api/connection.ts';
import { readJson } from '../api/read-json.ts';
import { texts } from '../texts.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Failure, Loading } from '../ui/notice.tsx';
import { CopyButton } from '../ui/shown-once.tsx';
import type { LoggedEvent } from './event-log.ts';
import { RowLink } from './event-table.tsx';

export interface EventDialogProps {
  /** The id of the event; null if none is open. */
  readonly id: string | null;
  readonly onClose: () => void;
}

/** The whole envelope of one event. */
export function EventDialog({ id, onClose }: EventDialogProps) {
  return (
    <Dialog isOpen={id !== null} onClose={onClose} title={texts.events.one} closeLabel={texts.close}>
      {id !== null && <Envelope id={id} />}
    </Dialog>
  );
}

function Envelope({ id }: { readonly id: string }) {
  const { calls } = useConnection();
  const { events: words } = texts;
  const { data, error, refetch } = useQuery({
    queryKey: ['event', id],
    queryFn: async () => readJson<LoggedEvent>(await calls.send(`/events/${encodeURIComponent(id)}`)),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error !== null)
    return (
      <Failure title={texts.failed} text={error.message} retryLabel={texts.retry} onRetry={() => void refetch()} />
    );
  if (data === undefined) return <Loading text={texts.loading} />;
  const json = JSON.stringify(data, null, 2);
  const { resource } = data.payload;
  return (
    <>
      <p className="wrapped">
        {`${data.type} · ${words.row} `}
        <RowLink event={data} />
      </p>
      <pre role="region" aria-label={words.envelope} tabIndex={0}>
        {json}
      </pre>
      <div className="bar">
        <CopyButton text={json} label={words.copy} copiedLabel={words.copied} />
        <Link to="/events" search={{ id: resource.id }}>
          {words.ofRow}
        </Link>
        <Link
          to="/events"
          search={{ correlation: data.metadata.correlation_id, from: shortlyBefore(data.payload.timestamp) }}
        >
          {words.ofRequest}
        </Link>
      </div>
    </>
  );
}

/** The log has no filter for requests: it is read from a minute before the event. */
function shortlyBefore(timestamp: string): string {
  return new Date(Date.parse(timestamp) - 60_000).toISOString();
}
