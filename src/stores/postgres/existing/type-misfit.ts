import type { ValueType } from '../../../model/model.ts';
import { DECLARED, declareArray } from '../../sql/existing/declared-type.ts';
import type { ColumnMisfit } from '../../sql/existing/found-table.ts';
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

/** Writes the declaration of a field whose values a column has. */
function declareColumn({ kind, item }: PostgresType): string {
  return item === null ? DECLARED[FIELDS[kind]?.[0] ?? 'text'] : declareArray(declareColumn(item));
}

/** True if a column has no values of a type. All have values as text. */
function isMisfit(field: ValueType, { kind, item }: PostgresType): boolean {
  if (field.kind === 'text') return false;
  if (FIELDS[kind]?.includes(field.kind) !== true) return true;
  return field.kind === 'array' && item !== null && isMisfit(field.item.type, item);
}

/** Describes a column without values of a type: what it holds, and the type to write. Null where it may have some. */
export function describeTypeMisfit(field: ValueType, column: PostgresType, declared: string): ColumnMisfit | null {
  return isMisfit(field, column) ? { holds: declared, write: declareColumn(column) } : null;
}
