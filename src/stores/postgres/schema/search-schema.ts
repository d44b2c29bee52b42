import { versions } from 'node:process';
import type { Model, Resource } from '../../../model/model.ts';
import { listOwnResources } from '../../../model/table-source.ts';
import { WORD_RULES_VERSION } from '../../../plan/filter/search.ts';
import type { DerivedColumn, SqlRow } from '../../sql/dialect.ts';
import type { Alteration } from '../../sql/schema/alteration.ts';
import type { SchemaChange } from '../../sql/schema/schema-changes.ts';
import type { Tables } from '../../sql/tables.ts';
import { quoteText } from '../../sql/standard-dialect.ts';
import { postgres } from '../dialect/postgres-dialect.ts';
import { allAnswers } from '../driver/answers.ts';
import type { PostgresConnection } from '../driver/pg.ts';
import { searchColumns, WORDS_PREFIX, wordsExpression } from '../dialect/search-columns.ts';
import { SEARCH_INDEX_PREFIX } from './introspection.ts';

const { quote } = postgres;

/** The rows of one read that fills columns. */
const BATCH = 500;

/** The version of the word rules. It is the comment of each column, so that other rules lead to other columns. */
const RULES = `words ${WORD_RULES_VERSION}, Unicode ${versions['unicode'] ?? ''}`;

/** The columns with words that each table has, with their rules. */
export type SearchState = ReadonlyMap<string, ReadonlyMap<string, string>>;

/**
 * A change of the words of a table: statements that alter it, the words of its rows, and statements that block no one.
 */
export interface SearchChange {
  readonly resource: Resource;
  readonly columns: readonly DerivedColumn[];
  /** In the transaction that alters tables. */
  readonly before: readonly string[];
  /** True if existing rows get their words before the statements in `after`. */
  readonly isFilled: boolean;
  /** Each in a transaction of its own. */
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
  const readRules = (row: SqlRow): readonly [string, string] => [String(row['name']), String(row['rules'])];
  return new Map([...byTable].map(([table, columns]) => [table, new Map(columns.map(readRules))]));
}

/**
 * Plans the changes that migrate searches to a model, once its tables are migrated.
 *
 * @param changes of the tables
 */
export function searchChanges(
  model: Model,
  state: SearchState,
  changes: readonly SchemaChange[],
): readonly SearchChange[] {
  const created = new Set(changes.flatMap((change) => (change.kind === 'create-table' ? [change.table.name] : [])));
  const altered = new Map(
    changes.flatMap((change) =>
      change.kind === 'alter-table' ? [[change.alteration.after.name, change.alteration]] : [],
    ),
  );
  const renamed = new Map(
    changes.flatMap((change) => (change.kind === 'rename-table' ? [[change.to, change.from]] : [])),
  );
  return listOwnResources(model).flatMap((resource) => {
    const earlier = renamed.get(resource.name) ?? resource.name;
    const existing = (created.has(resource.name) ? undefined : state.get(earlier)) ?? new Map<string, string>();
    const columns = searchColumns(resource);
    const isCurrent = columns.length === existing.size && columns.every(({ name }) => existing.get(name) === RULES);
    if (isCurrent && !changesValues(altered.get(resource.name), columns))
      return columns.length === 0 || earlier === resource.name ? [] : [renamedIndex(resource, earlier)];
    return [searchChange(resource, columns, [...existing.keys()], !created.has(resource.name))];
  });
}

/** The index follows its table. @param earlier the name of the table before */
function renamedIndex(resource: Resource, earlier: string): SearchChange {
  const [from, to] = [earlier, resource.name].map((name) => quote(`${SEARCH_INDEX_PREFIX}${name}`));
  const rename = `alter index if exists ${from} rename to ${to}`;
  return { resource, columns: [], before: [rename], isFilled: false, after: [] };
}

/** Checks if an alteration changes values of searched fields. */
function changesValues(alteration: Alteration | undefined, columns: readonly DerivedColumn[]): boolean {
  if (alteration === undefined) return false;
  const { before, after, added, converted, retyped } = alteration;
  const optional = new Set(before.columns.filter(({ nullable }) => nullable).map(({ name }) => name));
  const filled = after.columns.filter(({ name, nullable }) => !nullable && optional.has(name));
  const changed = new Set([...added, ...converted, ...retyped, ...filled].map(({ name }) => name));
  return columns.some(({ field }) => changed.has(field));
}

function searchChange(
  resource: Resource,
  columns: readonly DerivedColumn[],
  existing: readonly string[],
  isFilled: boolean,
): SearchChange {
  const table = quote(resource.name);
  const index = quote(`${SEARCH_INDEX_PREFIX}${resource.name}`);
  const create = `create index ${isFilled ? 'concurrently ' : ''}${index}`;
  return {
    resource,
    columns,
    isFilled: isFilled && columns.length > 0,
    before: [
      `drop index if exists ${index}`,
      ...existing.map((name) => `alter table ${table} drop column ${quote(name)}`),
      ...columns.map(({ name }) => `alter table ${table} add column ${quote(name)} tsvector not null default ''`),
    ],
    after:
      columns.length === 0
        ? []
        : [
            `${create} on ${table} using gin (${wordsExpression(resource, '')})`,
            // Last: columns without it count as not filled.
            ...columns.map(({ name }) => `comment on column ${table}.${quote(name)} is ${quoteText(RULES)}`),
          ],
  };
}

/** Fills the columns of a table with the words of its rows, some rows at a time, which are locked meanwhile. */
export async function fillWords(session: PostgresConnection, tables: Tables, change: SearchChange): Promise<void> {
  const { resource, columns } = change;
  const table = tables.of(resource.name);
  const fields = columns.map(({ field }) => field);
  const key = table.key.map(quote).join(', ');
  const assigned = columns.map(({ name, expression }, index) => `${quote(name)} = ${expression(`$${index + 1}`)}`);
  const found = table.key.map((name, index) => `${quote(name)} = $${columns.length + index + 1}`);
  const write = `update ${table.name} set ${assigned.join(', ')} where ${found.join(' and ')}`;
  const after = table.key.map((_, index) => `$${index + 1}`).join(', ');
  const select = (where: string): string =>
    `select ${table.selection(fields)} from ${table.name}${where} order by ${key} limit ${BATCH} for no key update`;
  for (let last: readonly string[] | null = null; ; ) {
    await session.script('begin');
    const { rows } = await session.query(select(last === null ? '' : ` where (${key}) > (${after})`), last ?? []);
    const written: Promise<unknown>[] = [];
    for (const read of rows) {
      last = table.key.map((name) => String(read[name]));
      const row = table.decode(read);
      written.push(session.query(write, [...columns.map(({ field, encode }) => encode(row[field])), ...last]));
    }
    await allAnswers([...written, session.script('commit')]);
    if (rows.length < BATCH) return;
  }
}
