import type { ValueType } from '../../../model/model.ts';
import type { ColumnForm } from '../../sql/column-form.ts';
import type { ExistingTable, TableTarget, TargetColumn } from '../../sql/existing/existing-table.ts';
import {
  existingTable,
  listShown,
  qualifyShown,
  type RowsQueryRules,
  type ShownColumns,
  writeId,
  writeRevision,
  writeRowsQuery,
} from '../../sql/existing/source-query.ts';
import { quoteName, quoteText } from '../../sql/standard-dialect.ts';
import { quote } from '../dialect/literals.ts';
import { assigned } from './assigned-values.ts';
import type { FoundRelation } from './find-relations.ts';
import { type RelationColumn, qualifyRelation } from './read-catalogue.ts';
import { writeSource } from './row-digests.ts';
import { sourceDialect } from './source-dialect.ts';
import { columnForm, isComparedAsText } from './value-forms.ts';

const TEXT: ValueType = { kind: 'text', format: null };

/** Hexadecimal digits of the digest that make a revision: 48 bits, whose numbers are written fast as JSON. */
const DIGITS = 12;

/** The number of the transaction that wrote a row. */
const TRANSACTION = 'shown.xmin::text::bigint';

/** The digest of the values of a row. */
function digestRow(names: readonly string[]): string {
  return `('x' || substr(md5(row(${names.join(', ')})::text), 1, ${DIGITS}))::bit(${4 * DIGITS})::bigint`;
}

const RULES: Omit<RowsQueryRules<RelationColumn>, 'revision'> = {
  quote,
  show: ({ type, column }, name) => (isComparedAsText(type, column.type) ? `${name}::text` : name),
  idText: ({ column }, name) => (column.type.kind === 'bytes' ? `encode(${name}, 'hex')` : `${name}::text`),
};

/** Compiles the query of a table. @param onMisfit called for a column with a value that does not fit its type */
export function compileRows(found: FoundRelation, onMisfit: (column: string) => void): ExistingTable {
  const { table } = found;
  const shown = listShown(found, () => TEXT);
  // A role that may read some columns may not read the number of the transaction.
  const revision = table.hasTransactions && table.isReadable ? (): string => TRANSACTION : digestRow;
  const rules = { ...RULES, revision };
  const rows = `(${writeRowsQuery(writeSource(found), shown, rules)})`;
  const target = found.resource.readOnly ? null : describeTarget(qualifyRelation(table), shown, rules);
  return existingTable(
    shown,
    { rows, dialect: sourceDialect, target, oid: table.oid, recorded: describeRecorded(found, shown) },
    {
      key: ({ column }) => keyForm(column),
      field: ({ type, column }) => columnForm(type, column, () => onMisfit(column.name)),
    },
  );
}

/** Describes a table for statements that write its rows. @param name the qualified name of the table */
function describeTarget(
  name: string,
  shown: ShownColumns<RelationColumn>,
  rules: RowsQueryRules<RelationColumn>,
): TableTarget {
  const column = (type: ValueType, { name: own, type: stored }: RelationColumn): TargetColumn => ({
    name: quoteName(own),
    assign: assigned(type, stored),
  });
  return {
    name,
    id: writeId(shown.keys, rules),
    revision: writeRevision(shown, rules),
    keys: shown.keys.map((key) => ({
      ...column(TEXT, key.column),
      compared: rules.show(key, qualifyShown(key.column)),
      isUuid: key.column.type.kind === 'uuid',
    })),
    columns: new Map(shown.fields.map((field) => [field.name, column(field.type, field.column)])),
  };
}

/** Describes a table whose changes are recorded, for statements that read the recorded states of its rows. */
function describeRecorded(
  { source, table }: FoundRelation,
  shown: ShownColumns<RelationColumn>,
): ExistingTable['recorded'] {
  if (source.changes === 'none') return null;
  const maps = table.columns.filter(({ type }) => type.kind === 'hstore');
  const states =
    maps.length === 0
      ? '$1::jsonb'
      : `(select jsonb_agg(${readMaps(maps)}) from jsonb_array_elements($1::jsonb) as state)`;
  const from = `jsonb_populate_recordset(null::${qualifyRelation(table)}, ${states})`;
  return { states: `(${writeRowsQuery(from, shown, { ...RULES, revision: () => '0' })})` };
}

/** The expression of a state in which maps have the form that PostgreSQL reads. That of JSON is another one. */
function readMaps(columns: readonly RelationColumn[]): string {
  const members = columns.map(({ name }) => {
    const value = `state -> ${quoteText(name)}`;
    const pairs = `(select coalesce(hstore(array_agg(key), array_agg(value))::text, '') from jsonb_each_text(${value}))`;
    return `${quoteText(name)}, case jsonb_typeof(${value}) when 'object' then ${pairs} end`;
  });
  return `state || jsonb_build_object(${members.join(', ')})`;
}

/** The form of a column of a key: each of its values is a part of an id. */
function keyForm({ type }: RelationColumn): ColumnForm {
  const { position: _position, ...form } = columnForm(TEXT, { type, required: true }, () => undefined);
  return { ...form, decode: (value) => form.decode?.(value) ?? String(value) };
}
