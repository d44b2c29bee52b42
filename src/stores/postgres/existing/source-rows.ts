import type { ValueType } from '../../../model/model.ts';
import type { ColumnForm } from '../../sql/column-form.ts';
import type { ExistingTable } from '../../sql/existing/existing-table.ts';
import { existingTable, listShown, type RowsQueryRules, writeRowsQuery } from '../../sql/existing/source-query.ts';
import { quote } from '../dialect/literals.ts';
import type { FoundRelation } from './find-relations.ts';
import { type RelationColumn, qualifyRelation } from './read-catalogue.ts';
import { columnForm, isComparedAsText } from './value-forms.ts';

const TEXT: ValueType = { kind: 'text', format: null };

/** Hexadecimal digits of the digest that make a revision: 52 bits, which a number holds exactly. */
const DIGITS = 13;

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
  const rows = writeRowsQuery(qualifyRelation(table), shown, { ...RULES, revision });
  return existingTable(shown, `(${rows})`, {
    key: ({ column }) => keyForm(column),
    field: ({ type, column }) => columnForm(type, column, () => onMisfit(column.name)),
  });
}

/** The form of a column of a key: each of its values is a part of an id. */
function keyForm({ type }: RelationColumn): ColumnForm {
  const { position: _position, ...form } = columnForm(TEXT, { type, required: true }, () => undefined);
  return { ...form, decode: (value) => form.decode?.(value) ?? String(value) };
}
