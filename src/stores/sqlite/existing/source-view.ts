import type { ValueType } from '../../../model/model.ts';
import type { ColumnForm } from '../../sql/column-form.ts';
import type { ExistingTable } from '../../sql/existing/existing-table.ts';
import {
  existingTable,
  listShown,
  qualifyShown,
  type RowsQueryRules,
  type ShownColumns,
  writeRowsQuery,
} from '../../sql/existing/source-query.ts';
import { quoteName } from '../../sql/standard-dialect.ts';
import type { FoundSource } from './find-tables.ts';
import { sourceDialect } from './source-dialect.ts';
import { qualifyTable, type SourceColumn, type SourceTable } from './read-tables.ts';
import { REVISION_FUNCTION, digestInParts, rowRevision } from './row-revision.ts';
import { describeTarget } from './table-target.ts';
import { type KnownColumn, valueForm } from './value-form.ts';

/** Reads a value of a column of a table, by which its form is known. */
export type Sample = (table: SourceTable, column: string) => KnownColumn['sample'];

/** A view that shows a table of another program as an own table, and how its columns are read and compared. */
export interface SourceView {
  readonly existing: ExistingTable;
  /** The statement that creates it on a connection. */
  readonly sql: string;
}

const TEXT: ValueType = { kind: 'text', format: null };
const BYTES: ValueType = { kind: 'text', format: null, compact: true };

const RULES: Omit<RowsQueryRules<SourceColumn>, 'revision'> = {
  quote: quoteName,
  show: (_column, name) => name,
  idText: ({ type }, name) => (type === BYTES ? `lower(hex(${name}))` : `cast(${name} as text)`),
};

/** The character after all letters of ASCII. The collation NOCASE compares `Z` as `z`, which `[` does not follow. */
const AFTER_LETTERS = '{';

/** Compiles the view of a table. @param onMisfit called for a column with a value that does not fit its type */
export function compileView(found: FoundSource, sample: Sample, onMisfit: (column: string) => void): SourceView {
  const { resource, table } = found;
  const known = ({ name, affinity, required }: SourceColumn): KnownColumn => ({
    affinity,
    required,
    sample: sample(table, name),
  });
  const shown = listShown(found, (column) => (known(column).sample instanceof Uint8Array ? BYTES : TEXT));
  const target = resource.readOnly ? null : describeTarget(table, { shown, idText: RULES.idText, known });
  const existing = existingTable(
    shown,
    { rows: null, dialect: sourceDialect, target, oid: null, recorded: null },
    {
      key: ({ column }) => keyForm(known({ ...column, required: true })),
      field: ({ type, column }) => valueForm(type, known(column), () => onMisfit(column.name)),
    },
  );
  const names = [...shown.keys, ...shown.fields].map(({ name }) => name);
  const rules = { ...RULES, revision: () => digestInParts(selectValues(existing, shown), callRevision) };
  return {
    existing: {
      ...existing,
      boundPrefix: (next) => next.replace(/\[$/, AFTER_LETTERS),
      computeRevision: (read) =>
        digestInParts(
          names.map((name) => read[name] ?? null),
          rowRevision,
        ),
    },
    sql: `create temp view ${quoteName(resource.name)} as ${writeRowsQuery(qualifyTable(table), shown, rules)}`,
  };
}

/** The form of a column of a key: each of its values is a part of an id. */
function keyForm(column: KnownColumn): ColumnForm {
  const { position: _position, ...form } = valueForm(TEXT, column, () => undefined);
  return { ...form, decode: (value) => form.decode?.(value) ?? Buffer.from(String(value)).toString('hex') };
}

/** Selects the values of a row as they are read. */
function selectValues({ forms }: ExistingTable, { keys, fields }: ShownColumns<SourceColumn>): readonly string[] {
  return [...keys, ...fields].map(({ name, column }) => {
    const qualified = qualifyShown(column);
    return forms.get(name)?.select(qualified) ?? qualified;
  });
}

function callRevision(values: readonly string[]): string {
  return `${REVISION_FUNCTION}(${values.join(', ')})`;
}
