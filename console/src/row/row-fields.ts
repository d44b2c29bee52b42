import type { ApiCollection, ApiField } from '../schema/api-schema.ts';
import type { DraftFault, DraftMembers, Problems } from './draft.ts';
import { readDraft, UNSET } from './draft.ts';
import type { FieldValues } from './merge-rows.ts';
import { texts } from '../texts.ts';

/** The fields that a form has. Their state is changed by transitions. */
export function editableFields(collection: ApiCollection, mode: 'create' | 'update'): readonly ApiField[] {
  if (!collection.methods.has(mode)) return [];
  return collection.fields.filter(
    ({ name, readOnly, immutable }) =>
      !readOnly && (mode === 'create' || !immutable) && name !== collection.states?.field,
  );
}

/** The fields that a row shows and its form does not have. */
export function shownFields(collection: ApiCollection, edited: readonly ApiField[]): readonly ApiField[] {
  return collection.fields.filter(
    (field) =>
      !edited.includes(field) && !field.writeOnly && !field.shownOnce && field.name !== collection.states?.field,
  );
}

/** The values of a form, and the parts of it that are none. */
export interface ReadForm {
  readonly values: FieldValues;
  readonly problems: Problems;
}

/** Reads what was typed. */
export function readForm(fields: readonly ApiField[], drafts: DraftMembers): ReadForm {
  const problems = new Map<string, string>();
  const report = (path: string, fault: DraftFault): void => {
    problems.set(path, texts.row.faults[fault]);
  };
  const values = Object.fromEntries(
    fields.map((field) => [field.name, readDraft(field, drafts[field.name] ?? UNSET, field.name, report)]),
  );
  return { values, problems };
}

/** The body of a creation: what is not set is left to the server, but for a default that was cleared. */
export function createBody(fields: readonly ApiField[], values: FieldValues): FieldValues {
  return Object.fromEntries(
    fields.flatMap(({ name, default: initial }) => {
      const value = values[name];
      const isBlank = value === null || (Array.isArray(value) && value.length === 0);
      return isBlank && initial === undefined ? [] : [[name, value]];
    }),
  );
}

/** The field that names an item for people: its first text. */
export function findNameField(collection: ApiCollection): ApiField | null {
  const names = collection.fields.filter(({ kind, system, writeOnly, shownOnce }) => {
    return kind === 'string' && !system && !writeOnly && !shownOnce;
  });
  return names.find(({ name }) => name === 'name' || name === 'title') ?? names[0] ?? null;
}
