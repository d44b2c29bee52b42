import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { ParentIds, Row } from '../api/calls.ts';
import { useConnection } from '../api/connection.ts';
import type { ApiCollection } from '../schema/api-schema.ts';
import { texts } from '../texts.ts';
import { useToast } from '../ui/toast.tsx';
import { type DraftMembers, toDrafts } from './draft.ts';
import {
  compareRows,
  type ConflictSide,
  createRowPatch,
  type FieldValues,
  rebaseDrafts,
  type RowConflict,
} from './merge-rows.ts';
import { isGone, sortFailure } from './request-failure.ts';
import { editableFields, readForm } from './row-fields.ts';
import { type FormState, useForm } from './use-form.ts';
import { useWriteKeys } from './write-keys.ts';

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
  const findKey = useWriteKeys();
  const close = (): void => {
    setConflict(null);
    setPreview(null);
  };

  /** Runs a write. Where another one came first, it compares the row with what is typed here. */
  const write = async <T>(from: Row, mine: FieldValues, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await calls.run(work);
    } catch (error) {
      if (isGone(error)) throw new Error(texts.row.gone, { cause: error });
      if (sortFailure(error, []).status !== 412) throw error;
      const theirs = await calls.run(() => target.get(from.id));
      setConflict(compareRows(fields, { base: from, mine, theirs }));
      return undefined;
    }
  };

  const update = (from: Row, mine: FieldValues, patch: FieldValues, signal: AbortSignal): Promise<Row | undefined> => {
    const idempotencyKey = findKey([from.revision, patch]);
    return write(from, mine, () => target.update(from, patch, { idempotencyKey, signal }));
  };

  const announce = (message: string): void => {
    toast(message);
    void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'row' });
  };

  const store = (from: Row, drafts: DraftMembers): Promise<void> =>
    form.submit(async (_values, signal) => {
      const mine = readForm(fields, drafts).values;
      const patch = createRowPatch(fields, from, mine);
      if (Object.keys(patch).length === 0) return toast(texts.row.unchanged);
      const row = await update(from, mine, patch, signal);
      if (row === undefined) return;
      form.rebase(drafts, toDrafts(fields, row));
      setBase(row);
      announce(texts.row.saved);
    });

  return {
    form,
    base,
    conflict,
    preview,
    close,
    save: () => store(base, form.drafts),
    check: () =>
      form.submit(async (mine, signal) => {
        const patch = createRowPatch(fields, base, mine);
        const row = await write(base, mine, () => target.update(base, patch, { dry_run: true, signal }));
        if (row !== undefined) setPreview(row);
      }),
    move: (state) =>
      form.submit(async (mine, signal) => {
        const { field } = collection.states ?? { field: '' };
        const { drafts } = form;
        const row = await update(base, mine, { [field]: state }, signal);
        if (row === undefined) return;
        const next = rebaseDrafts(fields, { base, drafts, mine }, { row, sides: NO_SIDES });
        form.rebase(drafts, next, toDrafts(fields, row));
        setBase(row);
        announce(texts.row.moved(state));
      }),
    remove: (onRemoved) =>
      form.submit(async (mine, signal) => {
        // A row that is gone is deleted, by a request without a response or by somebody else.
        const removal = async (): Promise<true> => {
          await target.delete(base, { signal }).catch((error: unknown) => {
            if (!isGone(error)) throw error;
          });
          return true;
        };
        if ((await write(base, mine, removal)) === undefined) return;
        announce(texts.row.deleted);
        onRemoved();
      }),
    resolve: async (sides) => {
      if (conflict === null) return;
      const row = conflict.theirs;
      const { drafts, values: mine } = form;
      const next = rebaseDrafts(fields, { base, drafts, mine }, { row, sides });
      setBase(row);
      setConflict(null);
      form.rebase(drafts, next, toDrafts(fields, row));
      await store(row, next);
    },
  };
}
