import type { Model } from '../../../model/model.ts';
import { listOwnResources } from '../../../model/table-source.ts';
import { sqlite } from '../dialect/sqlite-dialect.ts';
import type { SqliteConnection } from '../connection/sqlite-connection.ts';
import { searchIndex, type SearchIndex, type SearchObject } from './search-schema.ts';
import { SEARCH_PREFIX } from '../dialect/search-tables.ts';

const { quote } = sqlite;

/** The search objects of a database by name, without FTS5's own tables. */
type ExistingObjects = ReadonlyMap<string, Pick<SearchObject, 'type' | 'name' | 'definition'>>;

function existingObjects(connection: SqliteConnection): ExistingObjects {
  const systemNames = new RegExp(`^${RegExp.escape(SEARCH_PREFIX)}[^.]+\\.(?:words|keys|insert|update|delete)$`);
  const read = connection.all(
    "select type, name, sql from sqlite_schema where name glob ? || '*' and type in ('table', 'trigger')",
    [SEARCH_PREFIX],
  );
  return new Map(
    read
      .map(({ type, name, sql }) => ({ type: String(type), name: String(name), sql: String(sql) }))
      .filter(({ name }) => systemNames.test(name))
      .map(({ type, name, sql }) => [
        name,
        { type: type === 'trigger' ? type : 'table', name, definition: sql.slice(sql.indexOf(quote(name))) },
      ]),
  );
}

function isCurrent({ objects }: SearchIndex, existing: ExistingObjects): boolean {
  return objects.every(({ name, definition }) => existing.get(name)?.definition === definition);
}

interface SearchOptions {
  /** For a plan before the tables are migrated: those that will lose their triggers. */
  readonly rebuilt?: ReadonlySet<string>;
  /** Resources of another model that is served, too, whose searches stay. */
  readonly foreign?: readonly string[];
}

/**
 * The statements that migrate the search indexes to the model, once its tables are migrated. The existing objects show
 * what a change of tables did to them. A rebuilt table has lost its triggers, and those of a renamed field or resource
 * have other names than the model's. An index with missing or different objects is created and filled again, because it
 * was not maintained meanwhile.
 */
export function searchChanges(
  connection: SqliteConnection,
  model: Model,
  { rebuilt = new Set(), foreign = [] }: SearchOptions = {},
): readonly string[] {
  const existing = existingObjects(connection);
  const searched = listOwnResources(model).filter(({ search }) => search.length > 0);
  const indexes = searched.map((resource) => ({ rebuilt: rebuilt.has(resource.name), index: searchIndex(resource) }));
  const wanted = indexes.map(({ index }) => index);
  const kept = indexes.filter((each) => !each.rebuilt && isCurrent(each.index, existing)).map(({ index }) => index);
  const keptNames = new Set(kept.flatMap(({ objects }) => objects.map(({ name }) => name)));
  const dropped = [...existing.values()].filter(
    ({ name }) => !keptNames.has(name) && !foreign.some((resource) => name.startsWith(`${SEARCH_PREFIX}${resource}.`)),
  );
  const created = wanted.filter((index) => !kept.includes(index));
  return [
    ...dropped.map(({ type, name }) => `drop ${type} ${quote(name)}`),
    ...created.flatMap(({ objects, fill }) => [
      ...objects.map(({ kind, definition }) => `create ${kind} ${definition}`),
      ...fill,
    ]),
  ];
}

/**
 * Migrates the search indexes to the model, once its tables are migrated.
 *
 * @param connection the writer, which has the SQL function that the triggers call
 * @param foreign resources of another model that is served, too
 * @returns the statements that changed the schema
 */
export function prepareSearch(
  connection: SqliteConnection,
  model: Model,
  foreign: readonly string[],
): readonly string[] {
  const statements = searchChanges(connection, model, { foreign });
  for (const statement of statements) connection.script(statement);
  return statements;
}
