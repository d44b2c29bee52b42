import { lazy, Suspense, useState } from 'react';
import type { ParentIds } from '../api/calls.ts';
import type { ApiCollection } from '../schema/api-schema.ts';
import { texts } from '../texts.ts';
import { Menu, MenuItem } from '../ui/menu.tsx';
import type { GridSearch } from './grid-search.ts';

const ExportDialog = lazy(async () => ({ default: (await import('./transfer/export-dialog.tsx')).ExportDialog }));

export interface TransferMenuProps {
  readonly collection: ApiCollection;
  /** The ids of the items above a nested collection. Default: none. */
  readonly parents?: ParentIds;
  readonly search: GridSearch;
}

/** Moves rows between a collection and files. */
export function TransferMenu({ collection, parents = [], search }: TransferMenuProps) {
  const [dialog, setDialog] = useState<'export' | null>(null);
  const close = (): void => setDialog(null);
  if (!collection.methods.has('list')) return null;
  return (
    <>
      <Menu label={texts.transfer.menu}>
        <MenuItem onSelect={() => setDialog('export')}>{texts.transfer.export}</MenuItem>
      </Menu>
      <Suspense>
        {dialog === 'export' && (
          <ExportDialog collection={collection} parents={parents} search={search} onClose={close} />
        )}
      </Suspense>
    </>
  );
}
