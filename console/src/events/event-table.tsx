import { Link } from '@tanstack/react-router';
import { useConnection } from '../api/connection.ts';
import { texts } from '../texts.ts';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import type { LoggedEvent } from './event-log.ts';

export interface EventTableProps {
  readonly events: readonly LoggedEvent[];
  readonly search: Readonly<Record<string, string>>;
}

/** Events, the newest first. */
export function EventTable({ events, search }: EventTableProps) {
  const { events: words } = texts;
  return (
    <Table label={texts.navigation.events} columns={[words.time, words.type, words.row, words.changed, words.actor]}>
      {events.map((event) => (
        <tr key={event.id}>
          <td>
            <Time value={event.payload.timestamp} />
          </td>
          <td>
            <Link
              to="/events"
              search={{ ...search, event: event.id }}
              aria-label={words.open(event.type, event.payload.resource.id)}
            >
              {event.type}
            </Link>
          </td>
          <td>
            <RowLink event={event} />
          </td>
          <td className="wrapped">{event.payload.changed_fields.join(', ')}</td>
          <td>{event.metadata.actor ?? '–'}</td>
        </tr>
      ))}
    </Table>
  );
}

/** A link to the row of an event; its id alone if it was deleted, or the API has no such collection. */
export function RowLink({ event: { type, payload } }: { readonly event: LoggedEvent }) {
  const { schema } = useConnection();
  const { id } = payload.resource;
  const collection = [...schema.collections.values()].find((each) => each.type === payload.resource.type);
  if (collection === undefined || type.endsWith('.deleted')) return <code>{id}</code>;
  // The outermost first.
  const parents = payload.parents.map((each) => each.id).toReversed();
  return (
    <Link
      to="/collections/$name/$id"
      params={{ name: collection.name, id }}
      search={parents.length === 0 ? {} : { parents: parents.join(',') }}
    >
      <code>{id}</code>
    </Link>
  );
}
