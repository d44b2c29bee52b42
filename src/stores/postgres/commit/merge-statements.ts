import type { UnitStatement } from '../../sql/write/compile-unit.ts';
import { arrayLiteral } from '../dialect/literals.ts';

/** A statement, and what it must do. */
export interface ExpectingStatement extends Pick<UnitStatement, 'statement' | 'expects'> {
  /** The number of rows that it must change. Default: 1. */
  readonly rows?: number;
}

/**
 * Merges statements that differ in their values alone. A statement costs the database and this process more than a row
 * does. Statements that write rows stay in their order, so that the same ones are refused. Those that add events may
 * move past them: neither reads the other.
 */
export function mergeStatements(statements: readonly UnitStatement[]): readonly ExpectingStatement[] {
  const merged: ExpectingStatement[] = [];
  /** The statements that may become one: some that write rows, which are expected to, and some that add events. */
  const open = new Map<UnitStatement['expects'], UnitStatement[]>();
  const close = (expects: UnitStatement['expects']): void => {
    merged.push(...mergeAlike(open.get(expects) ?? []));
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

function mergeAlike(statements: readonly UnitStatement[]): readonly ExpectingStatement[] {
  const [first] = statements;
  const many = first?.statement.many;
  if (first === undefined || many === undefined || statements.length === 1) return statements;
  const values = first.statement.values.map((_, index) =>
    arrayLiteral(statements.map(({ statement }) => statement.values[index] ?? null)),
  );
  return [{ statement: { text: many, values }, expects: first.expects, rows: statements.length }];
}
