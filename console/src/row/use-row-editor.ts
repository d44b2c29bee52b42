import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { ParentIds, Row } from '../api/calls.ts';
import { useConnection } from '../api/connection.ts';
import type { ApiCollection } from '../schema/api-schema.ts';
import { texts } from '../texts.ts';
import { useToast } from '../ui/toast.tsx';
import { toDrafts } from './draft.ts';
import {
  compareRows,
  type ConflictSide,
  createRowPatch,
  type FieldValues,
  rebaseDrafts,
  type RowConflict,
} from './merge-rows.ts';
import { sortFailure } from './request-failure.ts';
import { editableFields, readForm } from './row-fields.ts';
import { type FormState, useForm } from './use-form.ts';

export interface RowPlace {
  readonly collection: ApiCollection;
  readonly parents: ParentIds;
}

/** A row while it is edited. */
export interface RowEditorState {
  readonly form: FormState;
  /** The row that was read, or written last. */
  readonly base: Row;
  readonly conflict: RowConflict<Row> | null;
  /** The row that a save would make; null before it was asked. */
  readonly preview: Row | null;
  readonly save: () => Promise<void>;
  readonly check: () => Promise<void>;
  /** Moves the row to another state. What is typed stays. */
  readonly move: (state: string) => Promise<void>;
  readonly remove: (onRemoved: () => void) => Promise<void>;
  readonly resolve: (sides: ReadonlyMap<string, ConflictSide>) => Promise<void>;
  readonly close: () => void;
}

const NO_SIDES: ReadonlyMap<string, ConflictSide> = new Map();

/** Edits a row. A write carries the revision that was read; another one in the meantime opens a conflict. */
export function useRowEditor({ collection, parents, read }: RowPlace & { readonly read: Row }): RowEditorState {
  const { calls } = useConnection();
  const queries = useQueryClient();
  const toast = useToast();
  const fields = useMemo(() => editableFields(collection, 'update'), [collection]);
  const form = useForm(fields, () => toDrafts(fields, read));
  const [base, setBase] = useState(read);
  const [conflict, setConflict] = useState<RowConflict<Row> | null>(null);
  const [preview, setPreview] = useState<Row | null>(null);
  const target = calls.collection(collection, parents);
  const close = (): void => {
    setConflict(null);
    setPreview(null);
  };

  /** Runs a write. Where another one came first, it compares the row with what is typed here. */
  const write = async <T>(from: Row, mine: FieldValues, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await calls.run(work);
    } catch (error) {
      if (sortFailure(error, []).status !== 412) throw error;
      const theirs = await calls.run(() => target.get(from.id));
      setConflict(compareRows(fields, { base: from, mine, theirs }));
      return undefined;
    }
  };

  const accept = async (row: Row, message: string): Promise<void> => {
    toast(message);
    setBase(row);
    await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'row' });
  };

  const store = (from: Row, mine: FieldValues): Promise<void> =>
    form.submit(async () => {
      const patch = createRowPatch(fields, from, mine);
      if (Object.keys(patch).length === 0) return toast(texts.row.unchanged);
      const row = await write(from, mine, () => target.update(from, patch));
      if (row === undefined) return;
      form.restart(toDrafts(fields, row));
      await accept(row, texts.row.saved);
    });

  return {
    form,
    base,
    conflict,
    preview,
    close,
    save: () => store(base, form.values),
    check: () =>
      form.submit(async (mine) => {
        const row = await write(base, mine, () =>
          target.update(base, createRowPatch(fields, base, mine), { dry_run: true }),
        );
        if (row !== undefined) setPreview(row);
      }),
    move: (state) =>
      form.submit(async (mine) => {
        const { field } = collection.states ?? { field: '' };
        const row = await write(base, mine, () => target.update(base, { [field]: state }));
        if (row === undefined) return;
        const drafts = rebaseDrafts(fields, { base, drafts: form.drafts, mine }, { row, sides: NO_SIDES });
        form.restart(drafts, toDrafts(fields, row));
        await accept(row, texts.row.moved(state));
      }),
    remove: (onRemoved) =>
      form.submit(async (mine) => {
        const isRemoved = await write(base, mine, () => target.delete(base).then(() => true));
        if (isRemoved !== true) return;
        toast(texts.row.deleted);
        await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'row' });
        onRemoved();
      }),
    resolve: async (sides) => {
      if (conflict === null) return;
      const row = conflict.theirs;
      const drafts = rebaseDrafts(fields, { base, drafts: form.drafts, mine: form.values }, { row, sides });
      setBase(row);
      setConflict(null);
      form.restart(drafts, toDrafts(fields, row));
      await store(row, readForm(fields, drafts).values);
    },
  };
}
