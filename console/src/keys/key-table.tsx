import type { Row } from '../api/calls.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { readMember, readScopes } from './new-key.ts';

export interface KeyTableProps {
  readonly rows: readonly Row[];
  /** Revokes a key; null if the API has no method for it. */
  readonly onRevoke: ((row: Row) => void) | null;
}

/** The keys with their scopes and ends. */
export function KeyTable({ rows, onRevoke }: KeyTableProps) {
  return (
    <div className="table-frame" role="region" aria-label={texts.navigation.keys} tabIndex={0}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{texts.keys.name}</th>
            <th scope="col">{texts.keys.prefix}</th>
            <th scope="col">{texts.keys.scopes}</th>
            <th scope="col">{texts.keys.expires}</th>
            {onRevoke !== null && <th scope="col">{texts.keys.actions}</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <th scope="row">{readMember(row, 'name')}</th>
              <td>
                <code>{readMember(row, 'prefix')}…</code>
              </td>
              <td className="long">{readScopes(row).join(', ')}</td>
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
        </tbody>
      </table>
    </div>
  );
}

function KeyEnd({ time }: { readonly time: string }) {
  if (time === '') return texts.keys.never;
  const date = new Date(time);
  const shown = date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  return <time dateTime={time}>{date.getTime() <= Date.now() ? texts.keys.expired(shown) : shown}</time>;
}
