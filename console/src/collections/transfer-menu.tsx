import { lazy, Suspense, useState } from 'react';
import type { ParentIds } from '../api/calls.ts';
import type { ApiCollection } from '../schema/api-schema.ts';
import { texts } from '../texts.ts';
import { Menu, MenuItem } from '../ui/menu.tsx';
import type { GridSearch } from './grid-search.ts';

const ExportDialog = lazy(async () => ({ default: (await import('./transfer/export-dialog.tsx')).ExportDialog }));
const ImportDialog = lazy(async () => ({ default: (await import('./transfer/import-dialog.tsx')).ImportDialog }));

export interface TransferMenuProps {
  readonly collection: ApiCollection;
  /** The ids of the items above a nested collection. Default: none. */
  readonly parents?: ParentIds;
  readonly search: GridSearch;
  /** Called after rows may have been created. */
  readonly onImported: () => void;
}

/** Moves rows between a collection and files, as far as the caller may. */
export function TransferMenu({ collection, parents = [], search, onImported }: TransferMenuProps) {
  const [dialog, setDialog] = useState<'export' | 'import' | null>(null);
  const close = (): void => setDialog(null);
  const mayExport = collection.methods.has('list');
  const mayImport = collection.methods.has('create');
  if (!mayExport && !mayImport) return null;
  return (
    <>
      <Menu label={texts.transfer.menu}>
        {mayExport && <MenuItem onSelect={() => setDialog('export')}>{texts.transfer.export}</MenuItem>}
        {mayImport && <MenuItem onSelect={() => setDialog('import')}>{texts.transfer.import}</MenuItem>}
      </Menu>
      <Suspense>
        {dialog === 'export' && (
          <ExportDialog collection={collection} parents={parents} search={search} onClose={close} />
        )}
        {dialog === 'import' && (
          <ImportDialog collection={collection} parents={parents} onImported={onImported} onClose={close} />
        )}
      </Suspense>
    </>
  );
}
