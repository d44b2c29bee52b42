import { existsSync } from 'node:fs';
import path from 'node:path';
import type { DatabaseCatalogue } from '../../introspect/database.ts';
import type { Model } from '../../model/model.ts';
import { displayedUrl, isPostgresUrl } from '../postgres/driver/database-url.ts';
import { postgresCopySource, postgresCopyTarget, postgresNumbers } from '../postgres/copy/postgres-copy.ts';
import { openPostgresCatalogue } from '../postgres/catalogue/postgres-catalogue.ts';
import { compareTables as comparePostgresTables } from '../postgres/existing/existing-store.ts';
import { OWN_SCHEMA } from '../postgres/existing/writable-tables.ts';
import { postgres } from '../postgres/dialect/postgres-dialect.ts';
import { openPostgres, planPostgres, type PostgresOptions } from '../postgres/postgres-store.ts';
import { type Adoption, type AdoptionOptions, adoptTables } from '../postgres/triggers/adopt-tables.ts';
import { type CopySource, type CopyTarget, type LastNumbers, requireEmpty } from '../sql/copy/copy-database.ts';
import type { ConversionCheck } from '../sql/conversion/problem-rows.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { MigrationPhase } from '../sql/schema/current-models.ts';
import { type SchemaStep, UnusableDatabase } from '../sql/schema/schema-errors.ts';
import { openSqliteCatalogue } from '../sqlite/catalogue/sqlite-catalogue.ts';
import { compareFileTables } from '../sqlite/existing/existing-file.ts';
import { sqliteCopySource, sqliteCopyTarget, sqliteNumbers } from '../sqlite/copy/sqlite-copy.ts';
import { sqlite } from '../sqlite/dialect/sqlite-dialect.ts';
import type { DriverName } from '../sqlite/driver/driver.ts';
import { IN_MEMORY, openSqlite, planSqlite, type SqliteOptions } from '../sqlite/sqlite-store.ts';
import type { Store } from '../store.ts';

/** A database and the settings that open it. */
export interface DatabaseReference {
  /** The path of a file of SQLite, {@link IN_MEMORY}, or a URL of PostgreSQL. */
  readonly database: string;
  /** The library that opens a file. */
  readonly driver?: DriverName | undefined;
  /** The password for a server. */
  readonly databasePassword?: string | undefined;
  /** URLs of replicas of the server. */
  readonly replicas?: readonly string[];
}

/** The options that opening a store has for every kind of database. A file also waits for its lock, until `signal`. */
export type StoreOptions = Pick<SqliteOptions, 'signal'> &
  Omit<PostgresOptions, 'url' | 'password' | 'replicas' | 'lockAttempts'>;

/** A kind of database. */
export interface DatabaseKind {
  readonly name: 'sqlite' | 'postgres';
  /** True if the name of a database is one of this kind. */
  readonly matches: (database: string) => boolean;
  /** The name of a database independent of the working directory. */
  readonly resolve: (database: string) => string;
  /** The name of a database for messages, without its password. */
  readonly display: (database: string) => string;
  /** True if the database is a file that does not exist. Only a connection shows the databases of a server. */
  readonly isMissing: (database: string) => boolean;
  readonly dialect: Dialect;
  /** The reason why databases of the kind have no replicas; null if they can have some. */
  readonly noReplicas: string | null;
  /** @throws {UnusableDatabase} for replicas that the kind has not, and as the store throws */
  readonly open: (reference: DatabaseReference, options: StoreOptions) => Promise<Store>;
  /** Plans the migration to a model, without changing the database. */
  readonly plan: (
    reference: DatabaseReference,
    options: { readonly model: Model; readonly phase: MigrationPhase | null } & Partial<ConversionCheck>,
  ) => Promise<readonly SchemaStep[]>;
  readonly copy: CopyAccess;
  /**
   * Compares a model with the tables that it shows, as the start does, without writing anything.
   *
   * @returns the names of the tables in the catalogue, by those of their resources
   * @throws {UnusableDatabase} with everything that does not match
   */
  readonly compareTables: (reference: DatabaseReference, model: Model) => Promise<ReadonlyMap<string, string>>;
  readonly openCatalogue: (reference: DatabaseReference) => Promise<DatabaseCatalogue>;
  /** Lets writes of other programs become events; null for a kind without triggers that record them. */
  readonly adopt: ((reference: DatabaseReference, options: Omit<AdoptionOptions, 'url'>) => Promise<Adoption>) | null;
}

/** Opens databases that rows are copied from and to. Both exist, with the schema of the model. */
interface CopyAccess {
  readonly source: (reference: DatabaseReference) => Promise<CopySource>;
  readonly target: (reference: DatabaseReference) => Promise<CopyTarget>;
  /** Reads the last numbers of changes and events; null if the database is missing or has no schema of Restwright. */
  readonly numbers: (reference: DatabaseReference) => Promise<LastNumbers | null>;
}

const postgresSchemas: DatabaseKind = {
  name: 'postgres',
  matches: isPostgresUrl,
  resolve: (url) => url,
  display: displayedUrl,
  isMissing: () => false,
  dialect: postgres,
  noReplicas: null,
  open: async ({ database: url, databasePassword: password, replicas = [] }, { signal: _signal, ...options }) =>
    openPostgres({ url, password, replicas, ...options }),
  plan: ({ database: url, databasePassword: password }, options) => planPostgres({ url, password, ...options }),
  copy: {
    source: ({ database: url, databasePassword: password }) => postgresCopySource({ url, password }),
    target: ({ database: url, databasePassword: password }) => postgresCopyTarget({ url, password }),
    numbers: ({ database: url, databasePassword: password }) => postgresNumbers({ url, password }),
  },
  compareTables: ({ database: url, databasePassword: password }, model) =>
    comparePostgresTables({ url, password, model }, OWN_SCHEMA),
  openCatalogue: ({ database: url, databasePassword: password }) => openPostgresCatalogue({ url, password }),
  adopt: ({ database: url, databasePassword: password }, options) => adoptTables({ url, password, ...options }),
};

const NO_REPLICAS = 'only a database of PostgreSQL has replicas';

const sqliteFiles: DatabaseKind = {
  name: 'sqlite',
  matches: (database) => !isPostgresUrl(database),
  resolve: (file) => (file === IN_MEMORY ? file : path.resolve(file)),
  display: (file) => file,
  isMissing: (file) => file !== IN_MEMORY && !existsSync(file),
  dialect: sqlite,
  noReplicas: NO_REPLICAS,
  open: async ({ database, driver, replicas = [] }, options) => {
    if (replicas.length > 0) throw new UnusableDatabase(`${database} cannot be opened: ${NO_REPLICAS}.`);
    return openSqlite({ path: database, driver, ...options });
  },
  plan: async ({ database, driver }, { model, ...options }) => planSqlite(database, model, { driver, ...options }),
  copy: {
    source: async ({ database, driver }) => sqliteCopySource(database, driver),
    target: async ({ database, driver }) => sqliteCopyTarget(database, driver),
    numbers: async ({ database, driver }) => (existsSync(database) ? sqliteNumbers(database, driver) : null),
  },
  compareTables: async ({ database, driver }, model) => compareFileTables(database, model, driver),
  openCatalogue: async ({ database, driver }) => openSqliteCatalogue(database, { driver }),
  adopt: null,
};

const KINDS: readonly DatabaseKind[] = [postgresSchemas, sqliteFiles];

/** Selects the kind of a database by its name. A name that no other kind matches is the path of a file. */
export function selectKind(database: string): DatabaseKind {
  return KINDS.find(({ matches }) => matches(database)) ?? sqliteFiles;
}

/**
 * Opens a database that rows are copied to, and creates its schema.
 *
 * @throws {TargetNotEmpty} before anything is changed in it
 */
export async function openEmptyTarget(reference: DatabaseReference, model: Model): Promise<CopyTarget> {
  const { open, copy } = selectKind(reference.database);
  const numbers = await copy.numbers(reference);
  if (numbers !== null) requireEmpty(numbers);
  await (await open(reference, { model })).close();
  return copy.target(reference);
}
