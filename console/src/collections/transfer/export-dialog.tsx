import { useRef, useState } from 'react';
import type { ParentIds } from '../../api/calls.ts';
import { useConnection } from '../../api/connection.ts';
import type { ApiCollection } from '../../schema/api-schema.ts';
import { texts } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Select } from '../../ui/field.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { chosenColumns, type GridSearch, readGridFilters } from '../grid-search.ts';
import { FILE_FORMATS, type FileFormat } from './file-format.ts';
import { type ExportedSize, type ExportSource, RowExport } from './row-export.ts';
import { RunStatus } from './run-status.tsx';
import { useRun } from './use-run.ts';

export interface ExportDialogProps {
  readonly collection: ApiCollection;
  readonly parents: ParentIds;
  readonly search: GridSearch;
  readonly onClose: () => void;
}

/** Saves the rows of a grid to a file, whatever their number. */
export function ExportDialog({ collection, parents, search, onClose }: ExportDialogProps) {
  const { calls } = useConnection();
  const [format, setFormat] = useState<FileFormat>('csv');
  const [isShownOnly, setShownOnly] = useState(false);
  const [size, setSize] = useState<ExportedSize>({ rows: 0, bytes: 0 });
  const run = useRun();
  const rows = useRef<RowExport | null>(null);
  const file = `${collection.name}.${format}`;
  const start = (): void =>
    run.start(async (options) => {
      rows.current ??= new RowExport(calls, findSource(collection, parents, { search, format, isShownOnly }));
      saveFile(file, await rows.current.run(options, setSize));
    });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={texts.transfer.exportTitle(collection.title)}
      description={texts.transfer.exportHint}
      closeLabel={texts.close}
    >
      {run.state === 'idle' && (
        <>
          <Field label={texts.transfer.format}>
            <Select
              value={format}
              onValue={(value) => setFormat(FILE_FORMATS.find((each) => each === value) ?? 'csv')}
              options={FILE_FORMATS.map((value) => ({ value, label: texts.transfer.formats[value] }))}
            />
          </Field>
          <label className="choice">
            <input
              type="checkbox"
              checked={isShownOnly}
              onChange={({ currentTarget }) => setShownOnly(currentTarget.checked)}
            />
            {texts.transfer.shownColumns}
          </label>
          <Button className="fit" look="primary" onClick={start}>
            {texts.transfer.start}
          </Button>
        </>
      )}
      <RunStatus
        run={run}
        onContinue={start}
        texts={{
          progress: texts.transfer.progress(size.rows, size.bytes),
          stopped: texts.transfer.stopped(size.rows),
          done: texts.transfer.exported(file, size.rows),
        }}
      />
    </Dialog>
  );
}

/** The rows that a grid shows. */
function findSource(
  collection: ApiCollection,
  parents: ParentIds,
  { search, format, isShownOnly }: { search: GridSearch; format: FileFormat; isShownOnly: boolean },
): ExportSource {
  const { q, sort } = search;
  const query = {
    ...Object.fromEntries(readGridFilters(collection, search).map(({ name, value }) => [name, value])),
    ...(q === undefined ? {} : { q }),
    ...(sort === undefined ? {} : { sort }),
    ...(isShownOnly ? { fields: ['id', ...chosenColumns(collection, search).map(({ name }) => name)].join(',') } : {}),
  };
  const ids = [...parents];
  const path = collection.path.replaceAll(/\{[^}]+\}/g, () => encodeURIComponent(ids.shift() ?? ''));
  return { path, query, format };
}
