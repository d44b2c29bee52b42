import type { JsonObject } from '../conventions/json/json.ts';
import { memberNames, safeName } from '../infer/field-name.ts';
import { type MemberDraft, simpleSchema } from '../infer/model-draft.ts';
import { RESERVED_FIELDS } from '../model/compile/fields/names.ts';
import { type ColumnKind, type DescribedTable, isSameName, type DescribedColumn } from './database.ts';
import type { ColumnReference, TableReferences } from './foreign-references.ts';

const KEYWORDS: Readonly<Record<Exclude<ColumnKind, 'unreadable'>, JsonObject>> = {
  integer: { type: 'integer' },
  int64: { type: 'string', format: 'int64' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  text: { type: 'string' },
  date: { type: 'string', format: 'date' },
  'date-time': { type: 'string', format: 'date-time' },
  uuid: { type: 'string', format: 'uuid' },
  binary: { type: 'string', contentEncoding: 'base64' },
  json: { type: 'json' },
};

/** The kinds of values that can be unique. */
const UNIQUE_KINDS: ReadonlySet<ColumnKind> = new Set(['integer', 'int64', 'text', 'date', 'date-time', 'uuid']);

/** A field, and the column whose values it shows. */
export interface ColumnField {
  readonly column: string;
  readonly member: MemberDraft;
}

/**
 * Drafts the fields of columns. A column with the name of a system field is renamed, and so is a reference, whose name
 * ends in `_id`.
 */
export function draftFields(
  table: DescribedTable,
  columns: readonly DescribedColumn[],
  { byColumn }: TableReferences,
): readonly ColumnField[] {
  const rename = (name: string, source: string): string => nameField(name, byColumn.get(source));
  const names = memberNames(
    columns.map(({ name }) => name),
    rename,
  );
  return columns.flatMap((column) => {
    if (column.type.kind === 'unreadable') return [];
    const name = names.get(column.name) ?? column.name;
    const isUnique = table.uniqueKeys.some(
      ([only, another]) => another === undefined && isSameName(only, column.name) && UNIQUE_KINDS.has(column.type.kind),
    );
    const keywords = {
      ...KEYWORDS[column.type.kind],
      ...constraints(column),
      ...(isUnique ? { 'x-unique': true } : {}),
    };
    const schema = simpleSchema(keywords, listNotes(column, name));
    return [{ column: column.name, member: { name, required: column.notNull && !column.isComputed, schema } }];
  });
}

function nameField(name: string, reference: ColumnReference | undefined): string {
  const target = reference?.target ?? null;
  if (target !== null && !name.endsWith('_id')) return name === 'id' ? `${target.singular}_id` : `${name}_id`;
  return RESERVED_FIELDS.has(name) ? `source_${name}` : safeName(name);
}

/** The choices, the default, and the mark of a computed column. */
function constraints(column: DescribedColumn): JsonObject {
  const { choices, type, default: value, isComputed } = column;
  const expected = type.kind === 'integer' ? 'number' : 'string';
  const isListed = hasChoices(type.kind) && choices?.every((choice) => typeof choice === expected) === true;
  const isAllowed = value !== null && (!isListed || choices.some((choice) => choice === value));
  return {
    ...(isListed ? { enum: choices } : {}),
    ...(isAllowed ? { default: value } : {}),
    ...(isComputed ? { readOnly: true } : {}),
  };
}

function hasChoices(kind: ColumnKind): boolean {
  return kind === 'text' || kind === 'integer';
}

function listNotes({ name, type, isComputed }: DescribedColumn, field: string): readonly string[] {
  return [
    ...(field === `source_${name.toLowerCase()}` ? [`renamed: ${name} is the name of a system field`] : []),
    ...(type.note === null ? [] : [type.note]),
    ...(isComputed ? ['computed by the database'] : []),
  ];
}
