import type { Model } from '../../../model/model.ts';
import type { CurrentTable } from '../../sql/schema/alteration.ts';
import type { MigrationGoal } from '../../sql/schema/current-models.ts';
import { ownerSteps } from '../../sql/schema/owner-names.ts';
import { uuidSteps } from '../../sql/schema/uuid-conversion.ts';
import { METADATA } from '../../sql/system-statements.ts';
import type { SchemaStep, StepCost, StepLock } from '../../sql/schema/schema-errors.ts';
import type { SqliteConnection } from '../connection/sqlite-connection.ts';
import { sqlite } from '../dialect/sqlite-dialect.ts';
import { readMetadata } from './metadata.ts';
import { writeLock } from './schema-sql.ts';
import { sqliteStoredRows } from './stored-rows.ts';

/** The steps that convert stored values to their present form. Their statements use the present names of tables. */
export function storedValueSteps(
  connection: SqliteConnection,
  model: Model,
  { current, goal }: { readonly current: readonly CurrentTable[]; readonly goal: MigrationGoal },
): readonly SchemaStep[] {
  if (current.length === 0) return [];
  const lock = (_table: string, cost: StepCost): StepLock => writeLock(cost);
  const database = { rows: sqliteStoredRows(connection), tables: current, dialect: sqlite, lock };
  const [owners, uuids] = [METADATA.owners, METADATA.uuids].map((name) => readMetadata(connection, name));
  return [
    ...ownerSteps(model, database, owners ?? null, goal.kind === 'shared'),
    ...uuidSteps(model, database, uuids ?? null, goal.kind === 'shared'),
  ];
}
