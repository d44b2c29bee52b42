import type { MaybePromise } from '../../../platform/maybe-promise.ts';
import type { Statement } from '../../sql/dialect.ts';
import { type ModelGuard, recordedSchema } from '../../sql/schema/model-guard.ts';
import type { SystemStatements } from '../../sql/system-statements.ts';
import { allAnswers } from '../driver/answers.ts';
import type { QueryResult } from '../driver/pg.ts';

/** Runs a statement. */
type RunStatement = (statement: Statement) => Promise<QueryResult>;

/** Decides if statements may run, and finds the cause of those that failed. */
export interface ReadGuard {
  /** @throws {StoreUnavailable} once the database is known to have another model */
  requireMatch(): void;
  /** The error to report for one of unknown cause. */
  explain(error: unknown, run: RunStatement): MaybePromise<unknown>;
}

/** Compares the model that the database was migrated to. */
export function recordedModelGuard(match: ModelGuard, system: SystemStatements): ReadGuard {
  return {
    requireMatch: () => match.requireMatch(),
    explain: async (error, run) => {
      const [types, models] = await allAnswers(recordedSchema(system).map(run));
      return match.explain(error, { types: types?.rows[0] ?? null, models: models?.rows[0] ?? null });
    },
  };
}
