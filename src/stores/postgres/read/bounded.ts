import type { Statement } from '../../sql/dialect.ts';
import { quote } from '../literals.ts';

/**
 * A statement whose rows end at its bound (LIM-1): with the first that exceeds it, or the second where the first alone does. The database counts code points and
 * bytes, of which there are at most as many as characters: no row of a page is missing. The order of the rows stays.
 */
export function boundedStatement(statement: Statement): Statement {
  const { text, values, bound } = statement;
  if (bound === undefined || bound.columns.length === 0 || !Number.isFinite(bound.size)) return statement;
  const size = bound.columns.map((name) => `coalesce(length(found.${quote(name)}), 0)`).join(' + ');
  const before = `sum(${size}) over (rows between unbounded preceding and 1 preceding)`;
  const sized = `select found, row_number() over () as place, ${before} as before from (${text}) as found`;
  return {
    text: `select (sized.found).* from (${sized}) as sized where place <= 2 or before <= $${values.length + 1}`,
    values: [...values, bound.size],
  };
}
