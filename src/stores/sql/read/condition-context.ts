import type { BindParameters } from '../dialect.ts';
import type { Table, Tables } from '../tables.ts';

/** The parts from which the conditions of a statement are generated. */
export interface ConditionContext {
  readonly tables: Tables;
  /** The table of the rows that the conditions are on. */
  readonly table: Table;
  readonly parameters: BindParameters;
  readonly deadline: DeadlineCheck;
  /** True if the conditions are of a visibility, and what they read of related rows is looked up for each row. */
  readonly isRule: boolean;
  /** True if a search compares the texts of each row, instead of reading the index of words first. */
  readonly readsTexts: boolean;
}

/**
 * The conditions that check a deadline, at each row of a table, and at each result of a search before them. Without a
 * deadline there are none.
 */
export interface DeadlineCheck {
  readonly row: readonly string[];
  readonly found: string | null;
}

/** For statements of few rows. */
export const NO_DEADLINE: DeadlineCheck = { row: [], found: null };

/** The context of the conditions of a plan. */
export function conditionContext(
  tables: Tables,
  table: Table,
  parameters: BindParameters,
  deadline = NO_DEADLINE,
): ConditionContext {
  return { tables, table, parameters, deadline, isRule: false, readsTexts: false };
}
