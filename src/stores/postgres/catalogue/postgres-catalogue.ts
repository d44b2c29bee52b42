import {
  type CatalogueEntry,
  type ClosedReason,
  type DatabaseCatalogue,
  type DescribedTable,
  unqualifiedName,
} from '../../../introspect/database.ts';
import type { SqlRow } from '../../sql/dialect.ts';
import { UnusableDatabase } from '../../sql/schema/schema-errors.ts';
import { quoteName } from '../../sql/standard-dialect.ts';
import { SYSTEM_PREFIX } from '../../sql/schema/system-tables.ts';
import { type DatabaseAccess, openSession } from '../connection/open-session.ts';
import { requireVersion, SERVER_VERSION } from '../connection/server-version.ts';
import { arrayLiteral } from '../dialect/literals.ts';
import { displayedUrl, parseDatabaseUrl } from '../driver/database-url.ts';
import type { PostgresConnection } from '../driver/pg.ts';
import { sqlState, storeError } from '../driver/postgres-errors.ts';
import { COLUMNS, CONSTRAINTS, ENTRIES, INDEXES, TYPES, VIEWS } from './catalogue-queries.ts';
import { describeRelation } from './describe-relation.ts';

const SESSION = { name: 'restwright init', statementTimeout: 20_000, lockTimeout: 2_000, readOnly: true };

/** All statements see the same catalogue. */
const BEGIN = 'begin isolation level repeatable read, read only';

/** A table of the list. */
interface ListedRelation {
  readonly id: string;
  readonly schema: string;
  readonly comment: string | null;
  readonly rowCount: number | null;
  readonly isWritable: boolean;
  readonly isStored: boolean;
}

/**
 * Opens the catalogue of a database, in which nothing is written or locked. The schema of the URL is the default one.
 *
 * @throws {UnusableDatabase} for a database that cannot be opened or read, or whose server is too old
 * @throws {InvalidDatabaseUrl} {PostgresDriverMissing}
 */
export async function openPostgresCatalogue(access: DatabaseAccess): Promise<DatabaseCatalogue> {
  const session = await openSession(access, SESSION);
  const explained = <T>(read: () => Promise<T>): Promise<T> => explainError(access.url, read);
  const { schema: defaultSchema } = parseDatabaseUrl(access.url, access.password);
  const relations = new Map<string, ListedRelation>();
  try {
    await explained(() => beginReading(session));
  } catch (error) {
    await session.close();
    throw error;
  }
  return {
    defaultSchema,
    list: () => explained(async () => listEntries((await session.query(ENTRIES, [defaultSchema])).rows, relations)),
    describe: (names) => explained(() => describeRelations(session, names, relations)),
    writeIndex,
    close: () => session.close(),
  };
}

/** Sorts have NULL first. */
const writeIndex: DatabaseCatalogue['writeIndex'] = (table, [first = '', ...others]) => {
  const isNullable = table.columns.some(({ name, notNull }) => name === first && !notNull);
  const columns = [`${quoteName(first)}${isNullable ? ' nulls first' : ''}`, ...others.map(quoteName)];
  return `create index on ${quoteName(table.schema ?? '')}.${quoteName(unqualifiedName(table))} (${columns.join(', ')});`;
};

/** @throws {UnusableDatabase} for a server that is too old */
async function beginReading(session: PostgresConnection): Promise<void> {
  const [row] = await session.script(`${BEGIN}; select ${SERVER_VERSION} as version`);
  requireVersion(row?.['version'] ?? null);
}

/** Names the database in an error of reading it. */
async function explainError<T>(url: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const known = storeError(error);
    const isOfDatabase = known !== error || sqlState(error) !== '' || error instanceof UnusableDatabase;
    if (!isOfDatabase || !(known instanceof Error)) throw error;
    const problem = known.message.replace(/\.$/, '');
    throw new UnusableDatabase(`${displayedUrl(url)} cannot be used. ${problem}.`, { cause: error });
  }
}

/** @param relations receives the tables */
function listEntries(rows: readonly SqlRow[], relations: Map<string, ListedRelation>): readonly CatalogueEntry[] {
  const owned = new Set(rows.filter(({ name }) => name === `${SYSTEM_PREFIX}meta`).map((row) => row['schema']));
  return rows.map((row) => {
    const { id, grant, comment = null, rows: count = null } = row;
    const schema = String(row['schema']);
    const name = `${schema}.${String(row['name'])}`;
    if (!relations.has(name))
      relations.set(name, {
        id: String(id),
        schema,
        comment: comment === null ? null : String(comment),
        rowCount: count === null ? null : Number(count),
        isWritable: row['writable'] === 1,
        isStored: row['stored'] === 1,
      });
    const closed = findReason(row, owned.has(schema));
    const kind = row['view'] === 1 ? 'view' : 'table';
    return { name, schema, kind, closed, ...(closed === 'denied' ? { grant: String(grant) } : {}) };
  });
}

/** @param isOwned true for a table in a schema of Restwright, which has no others */
function findReason({ name, system, extension, grant }: SqlRow, isOwned: boolean): ClosedReason | null {
  if (system === 1) return 'system';
  if (extension === 1) return 'extension';
  if (String(name).startsWith(SYSTEM_PREFIX)) return 'restwright';
  if (isOwned) return 'model';
  return grant === '' ? null : 'denied';
}

async function describeRelations(
  session: PostgresConnection,
  names: readonly string[],
  relations: ReadonlyMap<string, ListedRelation>,
): Promise<readonly DescribedTable[]> {
  const listed = names.flatMap((name) => {
    const relation = relations.get(name);
    return relation === undefined ? [] : [{ name, ...relation }];
  });
  const ids = arrayLiteral(listed.map(({ id }) => id));
  const read = async (text: string): Promise<readonly SqlRow[]> => (await session.query(text, [ids])).rows;
  const byTable = async (text: string): Promise<ReadonlyMap<string, readonly SqlRow[]>> =>
    Map.groupBy(await read(text), (row) => String(row['table']));
  const [columns, indexes, constraints, views, types] = await Promise.all([
    byTable(COLUMNS),
    byTable(INDEXES),
    byTable(CONSTRAINTS),
    byTable(VIEWS),
    read(TYPES),
  ]);
  const typesById = new Map(types.map((row) => [String(row['id']), row]));
  return listed.map(({ id, ...relation }) =>
    describeRelation(
      {
        ...relation,
        columns: columns.get(id) ?? [],
        indexes: indexes.get(id) ?? [],
        constraints: constraints.get(id) ?? [],
        view: views.get(id)?.[0] ?? null,
      },
      typesById,
    ),
  );
}
