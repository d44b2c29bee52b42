import type { CurrentTable } from '../../sql/schema/alteration.ts';
import type { StorageTypes } from '../../sql/schema/migration.ts';
import { UnusableDatabase } from '../../sql/schema/schema-errors.ts';
import { SYSTEM_PREFIX } from '../../sql/schema/system-tables.ts';
import type { SqlRow } from '../../sql/dialect.ts';
import type { PostgresConnection } from '../driver/pg.ts';
import { fieldName } from '../dialect/literals.ts';
import { WORDS_PREFIX } from '../dialect/search-columns.ts';
import { REQUIRED_PREFIX } from './schema-sql.ts';

/** The prefix of the names of search indexes. */
export const SEARCH_INDEX_PREFIX = 'restwright_search.';

/** The table of changes by other programs, which `adopt` creates: it may be there before all others. */
export const FOREIGN_CHANGES = 'restwright_foreign_changes';

/** A name is a comment where it is too long for the database. */
const NAME = "coalesce(obj_description(relation.oid, 'pg_class'), relation.relname)";
const OWN = "relation.relnamespace = current_schema()::regnamespace and relation.relkind in ('r', 'p')";

/** The names of the columns of a constraint or an index, in their order, as JSON. */
export function selectNames(relation: string, numbers: string): string {
  return `(select json_agg(attname order by place)::text from unnest(${numbers}) with ordinality as part(number, place)
    join pg_attribute on attrelid = ${relation} and attnum = part.number)`;
}

const COLUMNS = `select ${NAME} as "table", attribute.attname as name, attribute.attnotnull as required, attribute.atthasdef as defaulted
from pg_class as relation join pg_attribute as attribute on attribute.attrelid = relation.oid
where ${OWN} and attribute.attnum > 0 and not attribute.attisdropped order by attribute.attnum`;

const KEYS = `select ${NAME} as "table", contype as kind, ${selectNames('conrelid', 'conkey')} as columns,
  ${selectNames('confrelid', 'confkey')} as keys, confdeltype = 'c' as cascade,
  (select coalesce(obj_description(target.oid, 'pg_class'), target.relname) from pg_class as target where target.oid = confrelid) as target
from pg_class as relation join pg_constraint on conrelid = relation.oid
where ${OWN} and contype in ('p', 'f') and convalidated order by conname`;

const INDEXES = `select ${NAME} as name,
  (select coalesce(obj_description(owner.oid, 'pg_class'), owner.relname) from pg_class as owner where owner.oid = indrelid) as "table"
from pg_index join pg_class as relation on relation.oid = indexrelid
where relation.relnamespace = current_schema()::regnamespace and not indisprimary and indisvalid order by 1`;

/** Reads the remains of an interrupted migration: incomplete indexes, and keys and checks that were not validated. */
const UNFINISHED = `select format('drop index concurrently %I', relation.relname) as statement
from pg_index join pg_class as relation on relation.oid = indexrelid
where relation.relnamespace = current_schema()::regnamespace and not indisvalid
union all select format('alter table %I drop constraint %I', relation.relname, conname)
from pg_class as relation join pg_constraint on conrelid = relation.oid
where ${OWN} and (contype = 'f' and not convalidated or contype = 'c' and starts_with(conname, '${REQUIRED_PREFIX}')) order by 1`;

/** The names of all tables of the schema that a migration creates, system tables included. */
export async function tableNames(session: PostgresConnection): Promise<readonly string[]> {
  const { rows } = await session.query(
    `select ${NAME} as name from pg_class as relation where ${OWN} and relation.relname <> '${FOREIGN_CHANGES}' order by 1`,
  );
  return rows.map(({ name }) => String(name));
}

/**
 * The tables of rows and links in the database.
 *
 * @throws {UnusableDatabase} where another program created one of their columns
 */
export async function currentTables(
  session: PostgresConnection,
  storage: StorageTypes,
): Promise<readonly CurrentTable[]> {
  const names = await tableNames(session);
  const [columns, keys, indexes] = [
    await byTable(session, COLUMNS),
    await byTable(session, KEYS),
    await byTable(session, INDEXES),
  ];
  return names
    .filter((name) => !name.startsWith(SYSTEM_PREFIX))
    .map((name) => ({
      name,
      kind: name.includes('.') ? 'links' : 'rows',
      columns: currentColumns(name, columns.get(name) ?? [], storage),
      primaryKey: (keys.get(name) ?? []).filter(({ kind }) => kind === 'p').flatMap((key) => list(key['columns'])),
      foreignKeys: (keys.get(name) ?? []).filter(({ kind }) => kind === 'f').map(currentForeignKey),
      indexes: (indexes.get(name) ?? [])
        .map((index) => String(index['name']))
        .filter((index) => !index.startsWith(SEARCH_INDEX_PREFIX)),
    }));
}

/** The statements that remove what an interrupted migration has left. What is still needed of it is planned again. */
export async function unfinishedParts(session: PostgresConnection): Promise<readonly string[]> {
  return (await session.query(UNFINISHED)).rows.map(({ statement }) => String(statement));
}

async function byTable(session: PostgresConnection, text: string): Promise<ReadonlyMap<string, readonly SqlRow[]>> {
  return Map.groupBy((await session.query(text)).rows, (row) => String(row['table']));
}

function currentColumns(table: string, rows: readonly SqlRow[], storage: StorageTypes): CurrentTable['columns'] {
  return rows
    .map((row) => ({
      name: fieldName(String(row['name'])),
      nullable: row['required'] === 0,
      hasDefault: row['defaulted'] === 1,
    }))
    .filter(({ name }) => !name.startsWith(WORDS_PREFIX))
    .map(({ name, ...column }) => {
      const stored = storage[table]?.[name];
      if (stored === undefined) {
        throw new UnusableDatabase(
          `The column ${table}.${name} was not created by Restwright. Remove it, or use a separate schema for the API.`,
        );
      }
      return { name, storageType: stored, ...column };
    });
}

function currentForeignKey(row: SqlRow): CurrentTable['foreignKeys'][number] {
  return {
    columns: list(row['columns']),
    table: String(row['target']),
    keys: list(row['keys']),
    cascade: row['cascade'] === 1,
  };
}

function list(json: SqlRow[string] | undefined): readonly string[] {
  const names: readonly string[] = JSON.parse(String(json));
  return names.map(fieldName);
}
