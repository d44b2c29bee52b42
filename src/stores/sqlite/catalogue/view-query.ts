import type { DescribedView } from '../../../introspect/database.ts';
import { splitSql, unquoteName } from './check-choices.ts';

/** Words of a query that makes one row of several. */
const GROUPS: ReadonlySet<string> = new Set(['group', 'distinct']);
/** Words of a query that may repeat rows: of unions and of functions that return tables. */
const REPEATS: ReadonlySet<string> = new Set(['union', 'json_each', 'json_tree', 'generate_series']);

/** Tokens after which a query names a table. */
const BEFORE_TABLE: ReadonlySet<string> = new Set(['from', 'join', ',', '(', '.']);

/**
 * Describes a view by the words of its statement: it reads each table that it names.
 *
 * @param names those of all tables and views, by their names in lower case
 */
export function describeView(sql: string, names: ReadonlyMap<string, string>): DescribedView {
  const words = splitSql(sql).map((token) => unquoteName(token).toLowerCase());
  const tables = words.filter((_, at) => BEFORE_TABLE.has(words[at - 1] ?? ''));
  const sources = new Set(tables.flatMap((word) => names.get(word) ?? []));
  return {
    isMaterialized: false,
    sources: [...sources],
    isGrouped: words.some((word) => GROUPS.has(word)),
    repeatsRows: words.some((word) => REPEATS.has(word)),
  };
}
