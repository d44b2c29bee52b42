import type { Row } from '../api/calls.ts';
import type { ApiCollection } from '../schema/api-schema.ts';
import { texts } from '../texts.ts';
import { Dialog } from '../ui/dialog.tsx';
import { isSameJson } from './json-values.ts';
import { Value } from './value.tsx';

export interface PreviewDialogProps {
  readonly collection: ApiCollection;
  /** The row that is stored; null if there is none yet. */
  readonly before: Row | null;
  readonly after: Row;
  readonly onClose: () => void;
}

/** The result of a dry run: what a save would change. */
export function PreviewDialog({ collection, before, after, onClose }: PreviewDialogProps) {
  const changed = collection.fields.filter(
    ({ name, system, writeOnly }) =>
      !(system && name !== 'id') && !writeOnly && !isSameJson(before?.[name] ?? null, after[name] ?? null),
  );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={texts.row.previewTitle}
      description={texts.row.previewHint}
      closeLabel={texts.close}
    >
      {changed.length === 0 ? (
        <p>{texts.row.previewUnchanged}</p>
      ) : (
        <table className="table">
          <thead>
            <tr>
              <th scope="col">{texts.row.field}</th>
              {before !== null && <th scope="col">{texts.row.before}</th>}
              <th scope="col">{texts.row.after}</th>
            </tr>
          </thead>
          <tbody>
            {changed.map(({ name, title }) => (
              <tr key={name}>
                <th scope="row">{title}</th>
                {before !== null && (
                  <td>
                    <Value value={before[name]} />
                  </td>
                )}
                <td>
                  <Value value={after[name]} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Dialog>
  );
}
