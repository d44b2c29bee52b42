import type { Json } from '../../conventions/json/json.ts';
import type { Row } from '../../plan/plan.ts';
import type { TableColumn } from './columns.ts';
import type { Decode, Dialect, Encode, Locate, SqlValue } from './dialect.ts';
import type { Membership } from './operand.ts';

/** The form in which a column holds its values. */
export interface ColumnForm {
  readonly nullable: boolean;
  /** Reads the column without a loss of digits. */
  readonly select: (column: string) => string;
  /** Decodes what `select` reads; null where that is the JSON value. */
  readonly decode: Decode | null;
  readonly encode: Encode;
  readonly locate: Locate;
  /** Reads a column of JSON, without one that would fail the statement. */
  readonly json: (column: string) => string;
  /** Membership in a column of arrays. Absent where items are compared in the JSON of the column. */
  readonly membership?: (column: string) => Membership;
  /** An expression of a bound text with the type of the column. Absent where it has that type already. */
  readonly typed?: (expression: string) => string;
  /**
   * The position of a stored value in an order: JSON that `encode` turns back into it; null where the decoded value is
   * that already. Absent where it always is.
   */
  readonly position?: (stored: SqlValue) => Json;
}

/** The form of a column of an own table of a database. */
export function ownForm(dialect: Dialect, { type, nullable }: TableColumn): ColumnForm {
  return {
    nullable,
    select: (column) => dialect.selection(column, type),
    decode: dialect.decode(type),
    encode: dialect.encode(type),
    locate: dialect.locate(type),
    json: (column) => column,
  };
}

/** True if a row that was read has the columns of every row. The table's types guarantee the others. */
export function isRow(read: Record<string, unknown>): read is Row {
  return typeof read['id'] === 'string' && typeof read['revision'] === 'number';
}
