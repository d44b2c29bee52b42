import { versions } from 'node:process';
import type { Model, Resource } from '../../../model/model.ts';
import { WORD_RULES_VERSION } from '../../../plan/search.ts';
import type { DerivedColumn, SqlRow } from '../../sql/dialect.ts';
import type { Tables } from '../../sql/tables.ts';
import { postgres } from '../dialect.ts';
import type { PostgresConnection } from '../driver/pg.ts';
import { quoteText } from '../literals.ts';
import { searchColumns, WORDS_PREFIX, wordsExpression } from '../search-columns.ts';
import { SEARCH_INDEX_PREFIX } from './introspection.ts';

const { quote } = postgres;

/** The rows of one read that fills columns. */
const BATCH = 500;

/** The version of the word rules. It is the comment of each column, so that other rules lead to other columns. */
const RULES = `words ${WORD_RULES_VERSION}, Unicode ${versions['unicode'] ?? ''}`;

/** What a table has for searches: its columns with words, with their rules. */
export type SearchState = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** The statements that change how a table is searched, and what has to be filled between them. */
export interface SearchChange {
  readonly resource: Resource;
  readonly before: readonly string[];
  /** The columns to be filled with the words of all rows; empty where rows are not searched. */
  readonly filled: readonly DerivedColumn[];
  readonly after: readonly string[];
}

/** The columns with words that tables have. */
export async function searchState(session: PostgresConnection): Promise<SearchState> {
  const { rows } =
    await session.query(`select relation.relname as "table", attname as name, col_description(attrelid, attnum) as rules
from pg_attribute join pg_class as relation on relation.oid = attrelid
where relation.relnamespace = current_schema()::regnamespace and relation.relkind in ('r', 'p')
  and starts_with(attname, '${WORDS_PREFIX}') and not attisdropped`);
  const byTable = Map.groupBy(rows, (row) => String(row['table']));
  const rulesOf = (row: SqlRow): readonly [string, string] => [String(row['name']), String(row['rules'])];
  return new Map([...byTable].map(([table, columns]) => [table, new Map(columns.map(rulesOf))]));
}

/**
 * What migrates searches to a model, once its tables are migrated.
 *
 * @param altered names of tables whose values have changed
 */
export function searchChanges(model: Model, state: SearchState, altered: ReadonlySet<string>): readonly SearchChange[] {
  return [...model.resources.values()].flatMap((resource) => {
    const existing = state.get(resource.name) ?? new Map<string, string>();
    const columns = searchColumns(resource);
    const isCurrent = columns.length === existing.size && columns.every(({ name }) => existing.get(name) === RULES);
    if (isCurrent && (columns.length === 0 || !altered.has(resource.name))) return [];
    return [searchChange(resource, columns, [...existing.keys()])];
  });
}

function searchChange(
  resource: Resource,
  columns: readonly DerivedColumn[],
  existing: readonly string[],
): SearchChange {
  const table = quote(resource.name);
  const index = quote(`${SEARCH_INDEX_PREFIX}${resource.name}`);
  return {
    resource,
    filled: columns,
    before: [
      `drop index if exists ${index}`,
      ...existing.map((name) => `alter table ${table} drop column ${quote(name)}`),
      ...columns.flatMap(({ name }) => [
        `alter table ${table} add column ${quote(name)} tsvector not null default ''`,
        `comment on column ${table}.${quote(name)} is ${quoteText(RULES)}`,
      ]),
    ],
    after:
      columns.length === 0 ? [] : [`create index ${index} on ${table} using gin (${wordsExpression(resource, '')})`],
  };
}

/** Fills the columns of a table with the words of its rows. */
export async function fillWords(session: PostgresConnection, tables: Tables, change: SearchChange): Promise<void> {
  const { resource, filled } = change;
  if (filled.length === 0) return;
  const table = tables.of(resource.name);
  const fields = filled.map(({ field }) => field);
  const key = table.key.map(quote).join(', ');
  const assigned = filled.map(({ name, expression }, index) => `${quote(name)} = ${expression(`$${index + 1}`)}`);
  const found = table.key.map((name, index) => `${quote(name)} = $${filled.length + index + 1}`);
  const write = `update ${table.name} set ${assigned.join(', ')} where ${found.join(' and ')}`;
  const after = table.key.map((_, index) => `$${index + 1}`).join(', ');
  const select = (where: string): string =>
    `select ${table.selection(fields)} from ${table.name}${where} order by ${key} limit ${BATCH}`;
  for (let last: readonly string[] | null = null; ; ) {
    const { rows } = await session.query(select(last === null ? '' : ` where (${key}) > (${after})`), last ?? []);
    for (const read of rows) {
      last = table.key.map((name) => String(read[name]));
      const row = table.decode(read);
      await session.query(write, [...filled.map(({ field, encode }) => encode(row[field])), ...last]);
    }
    if (rows.length < BATCH) return;
  }
}
