import { formatValue } from './json-values.ts';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useRef, useState } from 'react';
import type { Row } from '../api/calls.ts';
import type { ApiField, ApiStates } from '../schema/api-schema.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Facts } from '../ui/facts.tsx';
import { ConflictDialog } from './conflict-dialog.tsx';
import { LeaveGuard } from './leave-guard.tsx';
import { PreviewDialog } from './preview-dialog.tsx';
import { shownFields } from './row-fields.ts';
import { RowForm, SaveButtons } from './row-form.tsx';
import { RowLinks } from './row-links.tsx';
import { type RowEditorState, type RowPlace, useRowEditor } from './use-row-editor.ts';
import { Value } from './value.tsx';

/** Shows and changes a row that was read. */
export function RowEditor({ collection, parents, read }: RowPlace & { readonly read: Row }) {
  const editor = useRowEditor({ collection, parents, read });
  const navigate = useNavigate();
  const isRemoved = useRef(false);
  const { form, base, conflict, preview } = editor;
  const facts = useMemo(() => shownFields(collection, form.fields), [collection, form.fields]);
  const canUpdate = collection.methods.has('update');
  const canDelete = collection.methods.has('delete');
  const leave = (): void => {
    isRemoved.current = true;
    const search = parents.length === 0 ? {} : { parents: parents.join(',') };
    void navigate({ to: '/collections/$name', params: { name: collection.name }, search });
  };
  return (
    <>
      <LeaveGuard isDirty={() => form.isDirty && !isRemoved.current} />
      {collection.states !== null && <States states={collection.states} editor={editor} canMove={canUpdate} />}
      {(canUpdate || canDelete) && (
        <RowForm form={form} onSubmit={() => void editor.save()}>
          {canUpdate && <SaveButtons form={form} onPreview={() => void editor.check()} />}
          {canDelete && <DeleteButton name={collection.singular} editor={editor} onRemoved={leave} />}
        </RowForm>
      )}
      <ServerFields fields={facts} row={base} />
      <RowLinks collection={collection} parents={parents} row={base} />
      {conflict !== null && (
        <ConflictDialog conflict={conflict} onResolve={(sides) => void editor.resolve(sides)} onClose={editor.close} />
      )}
      {preview !== null && (
        <PreviewDialog collection={collection} before={base} after={preview} onClose={editor.close} />
      )}
    </>
  );
}

interface StatesProps {
  readonly states: ApiStates;
  readonly editor: RowEditorState;
  readonly canMove: boolean;
}

/** The state, with a button for each that may follow. */
function States({ states, editor, canMove }: StatesProps) {
  const state = editor.base[states.field];
  const next = canMove ? states.transitions.filter(({ from }) => from === state) : [];
  return (
    <section className="bar" aria-label={texts.row.state}>
      <span className="label">{texts.row.state}</span>
      <span role="status" className="state">
        {formatValue(state) ?? texts.row.notSet}
      </span>
      {next.map(({ to }) => (
        <Button key={to} disabled={editor.form.isBusy} onClick={() => void editor.move(to)}>
          {texts.row.moveTo(to)}
        </Button>
      ))}
      {canMove && next.length === 0 && <span className="hint">{texts.row.finalState}</span>}
    </section>
  );
}

interface DeleteButtonProps {
  readonly name: string;
  readonly editor: RowEditorState;
  readonly onRemoved: () => void;
}

function DeleteButton({ name, editor, onRemoved }: DeleteButtonProps) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button look="danger" disabled={editor.form.isBusy} onClick={() => setAsking(true)}>
        {texts.row.delete}
      </Button>
      <Dialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={texts.row.deleteTitle(`${name} ${editor.base.id}`)}
        description={texts.row.deleteHint}
      >
        <div className="actions">
          <Button
            look="danger"
            onClick={() => {
              setAsking(false);
              void editor.remove(onRemoved);
            }}
          >
            {texts.row.delete}
          </Button>
          <Button onClick={() => setAsking(false)}>{texts.cancel}</Button>
        </div>
      </Dialog>
    </>
  );
}

function ServerFields({ fields, row }: { readonly fields: readonly ApiField[]; readonly row: Row }) {
  return (
    <section aria-label={texts.row.facts}>
      <h2>{texts.row.facts}</h2>
      <Facts facts={fields.map(({ name, title }) => ({ name, title, value: <Value value={row[name]} /> }))} />
    </section>
  );
}
