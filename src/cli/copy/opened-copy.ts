import type { Model } from '../../model/model.ts';
import { isPostgresUrl } from '../../stores/postgres/connection/database-url.ts';
import { postgresCopySource, postgresCopyTarget, postgresNumbers } from '../../stores/postgres/copy/postgres-copy.ts';
import { postgres } from '../../stores/postgres/dialect.ts';
import { openPostgres, planPostgres } from '../../stores/postgres/postgres-store.ts';
import {
  type CopySource,
  type CopyTarget,
  type LastNumbers,
  requireEmpty,
} from '../../stores/sql/copy/copy-database.ts';
import type { Dialect } from '../../stores/sql/dialect.ts';
import type { MigrationPhase } from '../../stores/sql/schema/current-models.ts';
import type { SchemaStep } from '../../stores/sql/schema/schema-errors.ts';
import { sqliteCopySource, sqliteCopyTarget, sqliteNumbers } from '../../stores/sqlite/copy/sqlite-copy.ts';
import { sqlite } from '../../stores/sqlite/dialect.ts';
import { openSqlite, planSqlite } from '../../stores/sqlite/sqlite-store.ts';
import { isMissingFile, type UsedDatabase } from '../database-settings.ts';

/** The steps that migrate a database to a model. */
export function planSteps(
  used: UsedDatabase,
  model: Model,
  phase: MigrationPhase | null = null,
): Promise<readonly SchemaStep[]> {
  const { database, driver, databasePassword: password } = used;
  return isPostgresUrl(database)
    ? planPostgres({ url: database, password, model, phase })
    : Promise.resolve(planSqlite(database, model, { driver, phase }));
}

/** The dialect of a database. */
export function findDialect({ database }: UsedDatabase): Dialect {
  return isPostgresUrl(database) ? postgres : sqlite;
}

/** Opens a database whose rows are copied. */
export async function openSource({ database, driver, databasePassword: password }: UsedDatabase): Promise<CopySource> {
  return isPostgresUrl(database) ? postgresCopySource({ url: database, password }) : sqliteCopySource(database, driver);
}

/**
 * Opens a database that rows are copied to, and creates its schema.
 *
 * @throws {TargetNotEmpty} before anything is changed in it
 */
export async function openTarget(used: UsedDatabase, model: Model): Promise<CopyTarget> {
  const { database, driver, databasePassword: password } = used;
  if (isPostgresUrl(database)) {
    const options = { url: database, password };
    requireNothing(await postgresNumbers(options));
    await (await openPostgres({ ...options, model })).close();
    return postgresCopyTarget(options);
  }
  if (!isMissingFile(used)) requireNothing(sqliteNumbers(database, driver));
  await (await openSqlite({ path: database, driver, model })).close();
  return sqliteCopyTarget(database, driver);
}

function requireNothing(numbers: LastNumbers | null): void {
  if (numbers !== null) requireEmpty(numbers);
}
