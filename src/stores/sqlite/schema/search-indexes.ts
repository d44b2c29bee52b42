import type { Model } from '../../../model/model.ts';
import { sqlite } from '../dialect.ts';
import type { SqliteConnection } from '../connection/sqlite-connection.ts';
import { searchIndex, type SearchIndex, type SearchObject } from './search-schema.ts';
import { SEARCH_PREFIX } from './search-tables.ts';

const { quote } = sqlite;

/** What stands in the database by its name; tables that FTS5 keeps for itself are left out. */
type ExistingObjects = ReadonlyMap<string, Pick<SearchObject, 'type' | 'name' | 'definition'>>;

function existingObjects(connection: SqliteConnection): ExistingObjects {
  const ours = new RegExp(`^${RegExp.escape(SEARCH_PREFIX)}[^.]+\\.(?:words|keys|insert|update|delete)$`);
  const read = connection.all(
    "select type, name, sql from sqlite_schema where name glob ? || '*' and type in ('table', 'trigger')",
    [SEARCH_PREFIX],
  );
  return new Map(
    read
      .map(({ type, name, sql }) => ({ type: String(type), name: String(name), sql: String(sql) }))
      .filter(({ name }) => ours.test(name))
      .map(({ type, name, sql }) => [
        name,
        { type: type === 'trigger' ? type : 'table', name, definition: sql.slice(sql.indexOf(quote(name))) },
      ]),
  );
}

function stands({ objects }: SearchIndex, standing: ExistingObjects): boolean {
  return objects.every(({ name, definition }) => standing.get(name)?.definition === definition);
}

/**
 * What brings the search indexes to the model once its tables are. What a change of tables did to them shows in what stands: a table that was
 * built anew has lost its triggers, and in those of a field or resource that was renamed other names stand than the model's. An index
 * of which not everything stands as the model has it is made and filled anew, for nobody kept it meanwhile.
 */
export function searchChanges(connection: SqliteConnection, model: Model): readonly string[] {
  const standing = existingObjects(connection);
  const wanted = [...model.resources.values()].filter(({ search }) => search.length > 0).map(searchIndex);
  const kept = wanted.filter((index) => stands(index, standing));
  const keptNames = new Set(kept.flatMap(({ objects }) => objects.map(({ name }) => name)));
  const gone = [...standing.values()].filter(({ name }) => !keptNames.has(name));
  const made = wanted.filter((index) => !kept.includes(index));
  return [
    ...gone.map(({ type, name }) => `drop ${type} ${quote(name)}`),
    ...made.flatMap(({ objects, fill }) => [
      ...objects.map(({ kind, definition }) => `create ${kind} ${definition}`),
      ...fill,
    ]),
  ];
}

/**
 * Brings the search indexes to the model once its tables are.
 *
 * @param connection the one that writes, which knows the function that the triggers call
 * @returns the statements that changed something
 */
export function prepareSearch(connection: SqliteConnection, model: Model): readonly string[] {
  const statements = searchChanges(connection, model);
  for (const statement of statements) connection.script(statement);
  return statements;
}
