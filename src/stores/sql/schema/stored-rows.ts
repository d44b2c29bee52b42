import type { ValueType } from '../../../model/model.ts';
import type { Dialect } from '../dialect.ts';
import { rowValue } from '../operand.ts';

/** Rows that were found, and the ids of the first ones. */
export interface FoundRows {
  readonly rows: number;
  readonly ids: readonly string[];
}

/** A part of a unique key: a column, or a member inside of it. */
export interface KeyPart {
  readonly column: string;
  readonly members: readonly string[];
  readonly type: ValueType;
}

/** Counts the rows of a database before a migration. Tables and columns have their current names. */
export interface StoredRows {
  /** The number of rows of a table. */
  count(table: string): number;

  /** All rows of a table of rows. */
  all(table: string): FoundRows;

  /** The number of rows with a value in a column. */
  countValues(table: string, column: string): number;

  /** The rows for which a condition in SQL is true. */
  matching(table: string, condition: string): FoundRows;

  /** The rows that are NULL in a column. */
  withNull(table: string, column: string): FoundRows;

  /** The rows whose key another row has too. A key that is partly NULL equals no other. */
  duplicates(table: string, key: readonly KeyPart[]): FoundRows;

  /**
   * The rows with a value in a column that is no id of another table.
   *
   * @param target null for a table that does not exist yet
   */
  dangling(table: string, column: string, target: string | null): FoundRows;
}

/** The number of ids that a plan shows. */
const SHOWN = 3;

/** A question about the rows of a table. */
export interface RowQuestion {
  readonly table: string;
  /** null for all rows. */
  readonly condition: string | null;
  /** True if a plan shows their ids. */
  readonly shown: boolean;
}

/** Writes the statements that answer a question. @param order the order of the rows whose ids are shown */
export function questionStatements(
  { quote }: Dialect,
  { table, condition }: RowQuestion,
  order: string,
): { readonly count: string; readonly ids: string } {
  const from = `from ${quote(table)}${condition === null ? '' : ` where ${condition}`}`;
  return {
    count: `select count(*) as number ${from}`,
    ids: `select ${quote('id')} as id ${from} order by ${order} limit ${SHOWN}`,
  };
}

/** Puts questions about stored rows as conditions. @param answer finds the rows that fulfill one */
export function askRows(dialect: Dialect, answer: (question: RowQuestion) => FoundRows): StoredRows {
  const { quote } = dialect;
  const find = (table: string, condition: string | null): FoundRows => answer({ table, condition, shown: true });
  const count = (table: string, condition: string | null): number => answer({ table, condition, shown: false }).rows;
  return {
    count: (table) => count(table, null),
    all: (table) => find(table, null),
    countValues: (table, column) => count(table, `${quote(column)} is not null`),
    matching: find,
    withNull: (table, column) => find(table, `${quote(column)} is null`),
    duplicates(table, key) {
      const parts = key.map(({ column, members, type }) =>
        members.length === 0 ? quote(column) : dialect.member(quote(column), members, type).expression,
      );
      const known = parts.map((part) => `${part} is not null`).join(' and ');
      const list = parts.join(', ');
      const repeated = `select ${list} from ${quote(table)} where ${known} group by ${list} having count(*) > 1`;
      return find(table, `${rowValue(parts)} in (${repeated})`);
    },
    dangling(table, column, target) {
      const existing = target === null ? null : `select ${quote('id')} from ${quote(target)}`;
      const missing = existing === null ? '' : ` and ${quote(column)} not in (${existing})`;
      return find(table, `${quote(column)} is not null${missing}`);
    },
  };
}
