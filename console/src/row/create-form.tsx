import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useRef, useState } from 'react';
import type { Row } from '../api/calls.ts';
import { useConnection } from '../api/connection.ts';
import type { ApiField } from '../schema/api-schema.ts';
import { texts } from '../texts.ts';
import { useToast } from '../ui/toast.tsx';
import { createDraft, toDraft } from './draft.ts';
import { LeaveGuard } from './leave-guard.tsx';
import { PreviewDialog } from './preview-dialog.tsx';
import { createBody, editableFields } from './row-fields.ts';
import { RowForm, SaveButtons } from './row-form.tsx';
import { SecretsDialog, type ShownSecret } from './secrets-dialog.tsx';
import { useForm } from './use-form.ts';
import type { RowPlace } from './use-row-editor.ts';
import { useWriteKeys } from './write-keys.ts';

/** Creates a row. Secrets of it are shown before its page opens. */
export function CreateForm({ collection, parents }: RowPlace) {
  const { calls } = useConnection();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const toast = useToast();
  const [created, setCreated] = useState<Row | null>(null);
  const [preview, setPreview] = useState<Row | null>(null);
  const isStored = useRef(false);
  const fields = useMemo(() => editableFields(collection, 'create'), [collection]);
  const form = useForm(fields, () =>
    Object.fromEntries(
      fields.map((field) => [field.name, field.required ? createDraft(field) : toDraft(field, field.default)]),
    ),
  );
  const target = calls.collection(collection, parents);
  const findKey = useWriteKeys();
  const send = (isDry: boolean): Promise<void> =>
    form.submit(async (values, signal) => {
      const body = createBody(fields, values);
      const key = isDry ? { dry_run: true } : { idempotencyKey: findKey(body) };
      const row = await calls.run(() => target.create(body, { ...key, signal }));
      if (isDry) return setPreview(row);
      isStored.current = true;
      toast(texts.row.created);
      void queries.invalidateQueries();
      if (shownSecrets(collection.fields, row).length > 0) setCreated(row);
      else await open(row);
    });
  const open = (row: Row): Promise<void> =>
    navigate({
      to: '/collections/$name/$id',
      params: { name: collection.name, id: row.id },
      search: parents.length === 0 ? {} : { parents: parents.join(',') },
      replace: true,
    });
  return (
    <>
      <LeaveGuard isDirty={() => form.isDirty && !isStored.current} />
      <RowForm form={form} onSubmit={() => void send(false)}>
        <SaveButtons form={form} onPreview={() => void send(true)} />
      </RowForm>
      {preview !== null && (
        <PreviewDialog collection={collection} before={null} after={preview} onClose={() => setPreview(null)} />
      )}
      {created !== null && (
        <SecretsDialog secrets={shownSecrets(collection.fields, created)} onClose={() => void open(created)} />
      )}
    </>
  );
}

function shownSecrets(fields: readonly ApiField[], row: Row): readonly ShownSecret[] {
  return fields.flatMap(({ name, title, shownOnce }) => {
    const value = row[name];
    return shownOnce && typeof value === 'string' ? [{ title, value }] : [];
  });
}
