import type { ApiField } from '../schema/api-schema.ts';
import { type DraftMembers, toDraft } from './draft.ts';
import { createMergePatch, isSameJson } from './json-values.ts';

/** The values of fields by name. */
export type FieldValues = Readonly<Record<string, unknown>>;

/** A field that two editors changed to different values. */
export interface FieldConflict {
  readonly field: ApiField;
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
}

/** The row that another editor wrote, with what that means for the own changes. */
export interface RowConflict<R extends FieldValues = FieldValues> {
  readonly theirs: R;
  readonly fields: readonly FieldConflict[];
  /** The fields that only they changed. */
  readonly others: readonly ApiField[];
}

export type ConflictSide = 'mine' | 'theirs';

/** The members that differ, as a merge patch. A secret that nobody typed is null on both sides. */
export function createRowPatch(fields: readonly ApiField[], base: FieldValues, mine: FieldValues): FieldValues {
  return Object.fromEntries(
    fields
      .filter(({ name }) => !isSameJson(base[name] ?? null, mine[name]))
      .map(({ name }) => [name, createMergePatch(base[name], mine[name])]),
  );
}

/** Compares the row that was read, as it was changed here, with the row that the server has now. */
export function compareRows<R extends FieldValues>(
  fields: readonly ApiField[],
  rows: { readonly base: FieldValues; readonly mine: FieldValues; readonly theirs: R },
): RowConflict<R> {
  const { base, mine, theirs } = rows;
  const changed = fields.filter(({ name }) => !isSameJson(base[name] ?? null, theirs[name] ?? null));
  const isKept = ({ name }: ApiField): boolean => isSameJson(base[name] ?? null, mine[name]);
  return {
    theirs,
    fields: changed
      .filter((field) => !isKept(field) && !isSameJson(mine[field.name], theirs[field.name]))
      .map((field) => ({ field, base: base[field.name], mine: mine[field.name], theirs: theirs[field.name] })),
    others: changed.filter(isKept),
  };
}

/** The drafts on top of another row: own changes stay but where their side is taken. */
export function rebaseDrafts(
  fields: readonly ApiField[],
  edited: { readonly base: FieldValues; readonly drafts: DraftMembers; readonly mine: FieldValues },
  next: { readonly row: FieldValues; readonly sides: ReadonlyMap<string, ConflictSide> },
): DraftMembers {
  return Object.fromEntries(
    fields.map((field) => {
      const { name } = field;
      const isMine = !isSameJson(edited.base[name] ?? null, edited.mine[name]) && next.sides.get(name) !== 'theirs';
      const draft = isMine ? edited.drafts[name] : undefined;
      return [name, draft ?? toDraft(field, next.row[name])];
    }),
  );
}

/**
 * The drafts after the response to a request: those of the stored row, but for fields that were typed into since.
 *
 * @param sent the drafts at the time of the request
 */
export function takeAnswer(sent: DraftMembers, drafts: DraftMembers, next: DraftMembers): DraftMembers {
  const isTyped = (name: string): boolean => drafts[name] !== sent[name];
  return Object.fromEntries(
    Object.entries(next).map(([name, draft]) => [name, isTyped(name) ? (drafts[name] ?? draft) : draft]),
  );
}
