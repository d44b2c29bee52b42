import type { UnitStatement } from '../../sql/write/compile-unit.ts';
import { arrayOf } from '../literals.ts';

/** A statement, and what it must do. */
export interface ExpectingStatement extends Pick<UnitStatement, 'statement' | 'expects'> {
  /** How many rows it must change. Default: 1. */
  readonly rows?: number;
}

/**
 * Makes one statement of those that differ in their values alone: to begin, answer and end a statement costs the database, and this process, more than a row does.
 * Statements that write rows stay in their order: none is refused that would not have been, or the other way round, for one that comes later in the log. Those
 * that add events may move past them, for neither reads the other.
 */
export function mergeStatements(statements: readonly UnitStatement[]): readonly ExpectingStatement[] {
  const merged: ExpectingStatement[] = [];
  /** The statements that may become one: some that write rows, which are expected to, and some that add events. */
  const open = new Map<UnitStatement['expects'], UnitStatement[]>();
  const close = (expects: UnitStatement['expects']): void => {
    merged.push(...mergedOf(open.get(expects) ?? []));
    open.delete(expects);
  };
  for (const each of statements) {
    const { expects, statement } = each;
    const { many } = statement;
    const same = open.get(expects);
    if (many === undefined) {
      for (const kind of open.keys()) close(kind);
      merged.push(each);
    } else if (same?.[0]?.statement.many === many) same.push(each);
    else {
      close(expects);
      open.set(expects, [each]);
    }
  }
  for (const kind of open.keys()) close(kind);
  return merged;
}

function mergedOf(statements: readonly UnitStatement[]): readonly ExpectingStatement[] {
  const [first] = statements;
  const many = first?.statement.many;
  if (first === undefined || many === undefined || statements.length === 1) return statements;
  const values = first.statement.values.map((_, index) =>
    arrayOf(statements.map(({ statement }) => statement.values[index] ?? null)),
  );
  return [{ statement: { text: many, values }, expects: first.expects, rows: statements.length }];
}
