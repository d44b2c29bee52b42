import type { ValueType } from '../../../model/model.ts';
import type { TableTarget, TargetColumn } from '../../sql/existing/existing-table.ts';
import {
  qualifyShown,
  type RowsQueryRules,
  type ShownColumn,
  type ShownColumns,
  writeId,
} from '../../sql/existing/source-query.ts';
import { quoteName } from '../../sql/standard-dialect.ts';
import { qualifyTable, type SourceColumn, type SourceTable } from './read-tables.ts';
import { findTimeForm, utcZone } from './time-form.ts';
import type { KnownColumn } from './value-form.ts';

type ShownSource = ShownColumn<SourceColumn>;

interface TargetParts {
  readonly shown: ShownColumns<SourceColumn>;
  readonly idText: RowsQueryRules<SourceColumn>['idText'];
  readonly known: (column: SourceColumn) => KnownColumn;
}

/** Describes a table for statements that write its rows. */
export function describeTarget(table: SourceTable, { shown, idText, known }: TargetParts): TableTarget {
  const column = ({ type, column: own }: ShownSource): TargetColumn => ({
    name: quoteName(own.name),
    assign: assignment(type, known(own)),
  });
  return {
    name: qualifyTable(table),
    // No alias is known after `returning`.
    id: writeId(shown.keys, { idText: (key) => idText(key, quoteName(key.column.name)) }),
    revision: null,
    keys: shown.keys.map((key) => ({
      ...column(key),
      compared: qualifyShown(key.column),
      isUuid: holdsUuids(key.column, known(key.column)),
    })),
    columns: new Map(shown.fields.map((field) => [field.name, column(field)])),
  };
}

const UUID_TYPE = /^(?:uuid|guid|uniqueidentifier)\b/i;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** True if a column holds UUIDs as text: by its declared type, or by one of its values. */
function holdsUuids({ declared }: SourceColumn, { sample }: KnownColumn): boolean {
  return typeof sample === 'string' ? UUID.test(sample) : sample === null && UUID_TYPE.test(declared);
}

const WHOLE = (placeholder: string): string => `cast(${placeholder} as integer)`;

/** Characters of a time up to its seconds. */
const SECONDS = 19;

/**
 * Makes the expression that is assigned to a column for a bound value of a field. Drivers bind whole numbers as real
 * ones. A column whose times have no fractions of a second gets none.
 */
function assignment(type: ValueType, { affinity, sample }: KnownColumn): TargetColumn['assign'] {
  if (type.kind === 'integer' || type.kind === 'boolean') return WHOLE;
  if (type.kind !== 'date-time') return (placeholder) => placeholder;
  const form = findTimeForm(sample, affinity);
  if (form.kind !== 'text') return WHOLE;
  if (sample === null || !form.hasTime || form.digits > 0) return (placeholder) => placeholder;
  const zone = form.zone === '' ? '' : ` || '${utcZone(form.zone)}'`;
  return (placeholder) => `substr(${placeholder}, 1, ${SECONDS})${zone}`;
}
