import type { Model } from '../../../model/model.ts';
import type { CurrentTable } from '../../sql/schema/alteration.ts';
import type { MigrationGoal } from '../../sql/schema/current-models.ts';
import { ownerSteps } from '../../sql/schema/owner-names.ts';
import type { SchemaStep, StepCost, StepLock } from '../../sql/schema/schema-errors.ts';
import type { SqliteConnection } from '../connection/sqlite-connection.ts';
import { sqlite } from '../dialect/sqlite-dialect.ts';
import { writeLock } from './schema-sql.ts';
import { sqliteStoredRows } from './stored-rows.ts';

interface StoredOwners {
  readonly current: readonly CurrentTable[];
  /** The record of the form of owners; null where the database has none. */
  readonly recorded: string | null;
  readonly goal: MigrationGoal;
}

/** The steps that change how stored owners name callers. Their statements use the present names of tables. */
export function storedOwnerSteps(
  connection: SqliteConnection,
  model: Model,
  { current, recorded, goal }: StoredOwners,
): readonly SchemaStep[] {
  const lock = (_table: string, cost: StepCost): StepLock => writeLock(cost);
  const database = { rows: sqliteStoredRows(connection), tables: current, dialect: sqlite, lock };
  return ownerSteps(model, database, recorded, goal.kind === 'shared');
}
