import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import type { ParentIds, Row } from '../../api/calls.ts';
import { createDraft } from '../../row/draft.ts';
import type { FieldValues } from '../../row/merge-rows.ts';
import { editableFields } from '../../row/row-fields.ts';
import { RowForm } from '../../row/row-form.tsx';
import { useForm } from '../../row/use-form.ts';
import type { ApiCollection, ApiField } from '../../schema/api-schema.ts';
import { texts } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Menu, MenuCheckbox } from '../../ui/menu.tsx';
import { BulkRun } from './bulk-run.tsx';

export interface BulkDialogProps {
  readonly collection: ApiCollection;
  readonly parents: ParentIds;
  readonly rows: readonly Row[];
  /** Called after rows may have been written. */
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Gives the chosen fields of many rows the same values. */
export function BulkEditDialog(props: BulkDialogProps) {
  const { collection, parents } = props;
  // The selection of the moment: a refreshed grid must not change what is written.
  const [rows] = useState(props.rows);
  const [changes, setChanges] = useState<FieldValues | null>(null);
  return (
    <BulkDialog {...props} title={texts.bulk.edit.title(rows.length, collection.title)} hint={texts.bulk.edit.hint}>
      {(onWrite) =>
        changes === null ? (
          <ChangesForm collection={collection} onCheck={setChanges} />
        ) : (
          <BulkRun
            plan={{
              collection,
              parents,
              rows,
              write: (writer, row) => writer.update(row, changes),
              size: JSON.stringify(changes).length + REQUEST_SIZE,
            }}
            texts={texts.bulk.edit}
            onWrite={onWrite}
          />
        )
      }
    </BulkDialog>
  );
}

/** The characters of a write without its body. */
const REQUEST_SIZE = 500;

/** Deletes many rows. */
export function BulkDeleteDialog(props: BulkDialogProps) {
  const { collection, parents } = props;
  const [rows] = useState(props.rows);
  return (
    <BulkDialog {...props} title={texts.bulk.delete.title(rows.length, collection.title)} hint={texts.row.deleteHint}>
      {(onWrite) => (
        <BulkRun
          plan={{ collection, parents, rows, write: (writer, row) => writer.delete(row), size: REQUEST_SIZE }}
          texts={texts.bulk.delete}
          onWrite={onWrite}
        />
      )}
    </BulkDialog>
  );
}

interface DialogFrameProps extends Omit<BulkDialogProps, 'children'> {
  readonly title: string;
  readonly hint: string;
  readonly children: (onWrite: () => void) => ReactNode;
}

function BulkDialog({ title, hint, onDone, onClose, children }: DialogFrameProps) {
  const queries = useQueryClient();
  const isWritten = useRef(false);
  const close = (): void => {
    onClose();
    if (!isWritten.current) return;
    void queries.invalidateQueries();
    onDone();
  };
  return (
    <Dialog isOpen onClose={close} title={title} description={hint} closeLabel={texts.close}>
      {children(() => {
        isWritten.current = true;
      })}
    </Dialog>
  );
}

interface ChangesFormProps {
  readonly collection: ApiCollection;
  readonly onCheck: (changes: FieldValues) => void;
}

function ChangesForm({ collection, onCheck }: ChangesFormProps) {
  const choices = useMemo(() => listChangeable(collection), [collection]);
  const [names, setNames] = useState<ReadonlySet<string>>(new Set());
  const fields = useMemo(() => choices.filter(({ name }) => names.has(name)), [choices, names]);
  const form = useForm(fields, () => ({}));
  return (
    <>
      <div>
        <Menu label={texts.bulk.fields}>
          {choices.map((field) => (
            <MenuCheckbox
              key={field.name}
              isChecked={names.has(field.name)}
              onChange={(isChecked) => {
                setNames(new Set([...names, field.name].filter((name) => isChecked || name !== field.name)));
                form.setDraft(field.name, createDraft(field));
              }}
            >
              {field.title}
            </MenuCheckbox>
          ))}
        </Menu>
      </div>
      <RowForm form={form} onSubmit={() => void form.submit(async (values) => onCheck(values))}>
        <Button type="submit" look="primary" disabled={fields.length === 0}>
          {texts.bulk.check}
        </Button>
      </RowForm>
    </>
  );
}

/** The fields that an update may change, and the state. */
function listChangeable(collection: ApiCollection): readonly ApiField[] {
  const editable = new Set(editableFields(collection, 'update'));
  return collection.fields.filter((field) => editable.has(field) || field.name === collection.states?.field);
}
