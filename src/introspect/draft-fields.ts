import type { JsonObject } from '../conventions/json/json.ts';
import { memberNames, safeName, snakeName } from '../infer/field-name.ts';
import { type MemberDraft, type SchemaDraft, simpleSchema } from '../infer/model-draft.ts';
import { RESERVED_FIELDS } from '../model/compile/fields/names.ts';
import type { ColumnKind, ColumnType, DescribedColumn, DescribedTable } from './database.ts';
import type { ColumnReference, TableReferences } from './foreign-references.ts';
import { describeComment, isWritable } from './left-out.ts';
import { UNIQUE_KINDS } from './table-key.ts';

/** An unreadable column has no field. */
const KEYWORDS: Readonly<Record<ColumnKind, JsonObject>> = {
  integer: { type: 'integer' },
  int64: { type: 'string', format: 'int64' },
  number: { type: 'number' },
  decimal: { type: 'string', format: 'decimal' },
  boolean: { type: 'boolean' },
  text: { type: 'string' },
  date: { type: 'string', format: 'date' },
  'date-time': { type: 'string', format: 'date-time' },
  duration: { type: 'string', format: 'duration' },
  uuid: { type: 'string', format: 'uuid' },
  binary: { type: 'string', contentEncoding: 'base64' },
  json: { type: 'json' },
  map: { type: 'object' },
  array: { type: 'array' },
  unreadable: {},
};

const MAP_VALUE: SchemaDraft = simpleSchema({ type: ['string', 'null'] });

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
      ([only, another]) => another === undefined && only === column.name && UNIQUE_KINDS.has(column.type.kind),
    );
    const drafted = draftType(column.type, column.choices);
    const keywords = {
      ...drafted.keywords,
      ...constraints(column),
      ...(isUnique ? { 'x-unique': true } : {}),
      ...describeComment(column.comment),
    };
    const schema = { ...drafted, keywords, notes: listNotes(column, name) };
    return [{ column: column.name, member: { name, required: isRequired(column, keywords), schema } }];
  });
}

/** True for a field that a new row needs. A default that its schema does not have is that of the database. */
function isRequired({ notNull, isComputed, hasDefault }: DescribedColumn, keywords: JsonObject): boolean {
  return notNull && !isComputed && (!hasDefault || 'default' in keywords);
}

function nameField(name: string, reference: ColumnReference | undefined): string {
  const target = reference?.target ?? null;
  if (target !== null && !name.endsWith('_id')) return name === 'id' ? `${target.singular}_id` : `${name}_id`;
  return RESERVED_FIELDS.has(name) ? `source_${name}` : safeName(name);
}

/** Drafts the schema of the values of a type. @param choices for an array those of its items */
function draftType({ kind, limits, items }: ColumnType, choices: DescribedColumn['choices']): SchemaDraft {
  if (items !== undefined) return { ...simpleSchema(KEYWORDS[kind]), items: draftType(items, choices) };
  const listed = selectChoices(choices, kind);
  const keywords = { ...KEYWORDS[kind], ...limits, ...(listed === null ? {} : { enum: listed }) };
  return { ...simpleSchema(keywords), values: kind === 'map' ? MAP_VALUE : null };
}

/** The default, and the mark of a computed column. */
function constraints({ choices, type, default: value, isComputed }: DescribedColumn): JsonObject {
  const listed = selectChoices(choices, type.kind);
  const isAllowed =
    value !== null && isWritable(String(value)) && (listed === null || listed.some((each) => each === value));
  return {
    ...(isAllowed ? { default: value } : {}),
    ...(isComputed ? { readOnly: true } : {}),
  };
}

/** The choices of a column, where all of them are values of its kind; else null. */
function selectChoices(choices: DescribedColumn['choices'], kind: ColumnKind): DescribedColumn['choices'] {
  if (kind !== 'text' && kind !== 'integer') return null;
  const expected = kind === 'integer' ? 'number' : 'string';
  return choices?.every((choice) => typeof choice === expected && isWritable(String(choice))) === true ? choices : null;
}

function listNotes({ name, type, isComputed }: DescribedColumn, field: string): readonly string[] {
  const plain = snakeName(name);
  const isNumbered = field.startsWith(plain) && /^_\d+$/.test(field.slice(plain.length));
  return [
    ...(field === `source_${plain}` ? [`renamed: ${name} is a reserved name`] : []),
    ...(isNumbered ? [`renamed: another column is ${plain}`] : []),
    ...(type.note === null ? [] : [type.note]),
    ...(isComputed ? ['computed by the database'] : []),
  ];
}
