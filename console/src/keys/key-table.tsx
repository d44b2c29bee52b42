import type { Row } from '../api/calls.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Table } from '../ui/table.tsx';
import { readMember, readScopes } from './new-key.ts';

export interface KeyTableProps {
  readonly rows: readonly Row[];
  /** Revokes a key; null if the API has no method for it. */
  readonly onRevoke: ((row: Row) => void) | null;
}

/** The keys with their scopes and ends. */
export function KeyTable({ rows, onRevoke }: KeyTableProps) {
  const { name, prefix, scopes, expires, actions } = texts.keys;
  const columns = [name, prefix, scopes, expires, ...(onRevoke === null ? [] : [actions])];
  return (
    <Table label={texts.navigation.keys} columns={columns}>
      {rows.map((row) => (
        <tr key={row.id}>
          <th scope="row">{readMember(row, 'name')}</th>
          <td>
            <code>{readMember(row, 'prefix')}…</code>
          </td>
          <td className="wrapped">{readScopes(row).join(', ')}</td>
          <td>
            <KeyEnd time={readMember(row, 'expires_at')} />
          </td>
          {onRevoke !== null && (
            <td>
              <Button
                look="danger"
                aria-label={texts.keys.revokeOne(readMember(row, 'name'))}
                onClick={() => onRevoke(row)}
              >
                {texts.keys.revoke}
              </Button>
            </td>
          )}
        </tr>
      ))}
    </Table>
  );
}

function KeyEnd({ time }: { readonly time: string }) {
  if (time === '') return texts.keys.never;
  const date = new Date(time);
  const shown = date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  return <time dateTime={time}>{date.getTime() <= Date.now() ? texts.keys.expired(shown) : shown}</time>;
}
