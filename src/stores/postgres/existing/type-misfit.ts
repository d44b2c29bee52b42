import type { ValueType } from '../../../model/model.ts';
import type { PostgresKind, PostgresType } from './column-type.ts';

type FieldKind = ValueType['kind'];

const NUMBERS: readonly FieldKind[] = ['integer', 'number', 'decimal', 'int64'];

/** The types of fields whose values a column can have, besides text. The first is the one to write. */
const FIELDS: Readonly<Partial<Record<PostgresKind, readonly FieldKind[]>>> = {
  boolean: ['boolean'],
  integer: NUMBERS,
  decimal: ['decimal', 'number', 'integer', 'int64'],
  float: ['number', 'integer', 'decimal'],
  date: ['date-time'],
  timestamp: ['date-time'],
  timestamptz: ['date-time'],
  bytes: ['binary'],
  json: ['json', 'object', 'map', 'array'],
  hstore: ['map', 'json'],
  array: ['array', 'json'],
};

/** The declaration of a field of a type in a model. */
const DECLARED: Readonly<Record<FieldKind, string>> = {
  text: 'type: string',
  integer: 'type: integer',
  number: 'type: number',
  boolean: 'type: boolean',
  'date-time': 'type: string, format: date-time',
  decimal: 'type: string, format: decimal',
  int64: 'type: string, format: int64',
  binary: 'type: string, contentEncoding: base64',
  object: 'type: object',
  map: 'type: object',
  array: 'type: array',
  json: 'type: json',
};

/** Describes a column without values of a type: what it holds, and the type to write. Null where it may have some. */
export function describeTypeMisfit(
  field: ValueType,
  column: PostgresType,
  declared: string,
): { readonly holds: string; readonly write: string } | null {
  const fields = FIELDS[column.kind] ?? [];
  const misfit = { holds: declared, write: DECLARED[fields[0] ?? 'text'] };
  if (field.kind === 'text') return null;
  if (!fields.includes(field.kind)) return misfit;
  if (field.kind !== 'array' || column.item === null) return null;
  return describeTypeMisfit(field.item.type, column.item, declared) === null ? null : misfit;
}
