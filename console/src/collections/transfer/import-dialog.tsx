import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { ParentIds } from '../../api/calls.ts';
import { useConnection } from '../../api/connection.ts';
import type { ApiCollection } from '../../schema/api-schema.ts';
import { texts } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { Table } from '../../ui/table.tsx';
import { listTargets } from './file-columns.ts';
import { type ChosenFile, ImportForm, type ImportPlan } from './import-form.tsx';
import { type ImportProgress, type RefusedRecord, RowImport } from './import-rows.ts';
import { nameImport, removeInterrupted, storeInterrupted } from './interrupted-imports.ts';
import { RunStatus } from './run-status.tsx';
import { useRun } from './use-run.ts';

/** Refused records that the dialog shows: the file has all. */
const SHOWN_RECORDS = 20;

export interface ImportDialogProps {
  readonly collection: ApiCollection;
  readonly parents: ParentIds;
  readonly onImported: () => void;
  readonly onClose: () => void;
}

const NOTHING: ImportProgress = { created: 0, refused: [], part: 0 };

/** Creates rows from a file. */
export function ImportDialog({ collection, parents, onImported, onClose }: ImportDialogProps) {
  const { calls } = useConnection();
  const queries = useQueryClient();
  const [progress, setProgress] = useState(NOTHING);
  const run = useRun();
  const rows = useRef<{ readonly job: RowImport; readonly name: string } | null>(null);
  const start = (): void =>
    run.start(async (options) => {
      if (rows.current === null) return;
      const { job, name } = rows.current;
      await job.run({ calls, target: calls.collection(collection, parents) }, options, setProgress);
      removeInterrupted(name);
    });
  const begin = ({ file, form }: ChosenFile, { key, mapping }: ImportPlan): void => {
    const name = nameImport([collection.path, ...parents].join('/'), file);
    const source = { file, form, mapping, targets: listTargets(collection), collection: collection.name };
    storeInterrupted(name, { key, mapping, started: Date.now() });
    rows.current = { job: new RowImport(source, key), name };
    start();
  };
  const close = (): void => {
    onClose();
    if (run.state === 'idle') return;
    void queries.invalidateQueries();
    onImported();
  };
  const summary = texts.transfer.imported(progress.created, progress.refused.length);
  return (
    <Dialog
      isOpen
      onClose={close}
      title={texts.transfer.importTitle(collection.title)}
      description={texts.transfer.importHint}
      closeLabel={texts.close}
    >
      {run.state === 'idle' ? (
        <ImportForm collection={collection} parents={parents} onBegin={begin} />
      ) : (
        <progress className="import-progress" aria-label={texts.transfer.importing} value={progress.part} />
      )}
      <RunStatus
        run={run}
        onContinue={start}
        texts={{ progress: summary, stopped: texts.transfer.importStopped(summary), done: summary }}
      />
      {progress.refused.length > 0 && (
        <RefusedRecords
          refused={progress.refused}
          onSave={() => {
            const job = rows.current?.job;
            if (job !== undefined) saveFile(job.refusedName, job.listRefused());
          }}
        />
      )}
    </Dialog>
  );
}

/** The first refused records, and a file with all of them. */
function RefusedRecords({
  refused,
  onSave,
}: {
  readonly refused: readonly RefusedRecord[];
  readonly onSave: () => void;
}) {
  return (
    <>
      <Table label={texts.transfer.refused} columns={[texts.transfer.line, texts.transfer.reason]}>
        {refused.slice(0, SHOWN_RECORDS).map(({ line, message }) => (
          <tr key={line}>
            <th scope="row">{line}</th>
            <td className="wrapped">{message}</td>
          </tr>
        ))}
      </Table>
      <Button className="fit" onClick={onSave}>
        {texts.transfer.saveRefused(refused.length)}
      </Button>
    </>
  );
}
