import { lazy, Suspense, useState } from 'react';
import type { ParentIds, Row } from '../api/calls.ts';
import type { ApiCollection } from '../schema/api-schema.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';

const BulkEditDialog = lazy(async () => ({ default: (await import('./bulk/bulk-dialogs.tsx')).BulkEditDialog }));
const BulkDeleteDialog = lazy(async () => ({ default: (await import('./bulk/bulk-dialogs.tsx')).BulkDeleteDialog }));

export interface BulkBarProps {
  readonly collection: ApiCollection;
  /** The ids of the items above a nested collection. Default: none. */
  readonly parents?: ParentIds;
  /** The selected rows, as they were read. */
  readonly rows: readonly Row[];
  /** Called after rows may have been written. */
  readonly onDone: () => void;
  readonly onClear: () => void;
}

/** The actions on selected rows, as far as the caller may. */
export function BulkBar({ collection, parents = [], rows, onDone, onClear }: BulkBarProps) {
  const [action, setAction] = useState<'edit' | 'delete' | null>(null);
  const dialog = { collection, parents, rows, onDone, onClose: () => setAction(null) };
  const mayEdit = collection.methods.has('update');
  const mayDelete = collection.methods.has('delete');
  if ((rows.length === 0 && action === null) || (!mayEdit && !mayDelete)) return null;
  return (
    <div className="bar bulk-bar" role="group" aria-label={texts.bulk.label}>
      <span role="status">{texts.bulk.selected(rows.length)}</span>
      {mayEdit && <Button onClick={() => setAction('edit')}>{texts.bulk.edit.open}</Button>}
      {mayDelete && (
        <Button look="danger" onClick={() => setAction('delete')}>
          {texts.bulk.delete.open}
        </Button>
      )}
      <Button look="quiet" onClick={onClear}>
        {texts.bulk.clear}
      </Button>
      <Suspense>
        {action === 'edit' && <BulkEditDialog {...dialog} />}
        {action === 'delete' && <BulkDeleteDialog {...dialog} />}
      </Suspense>
    </div>
  );
}
