import { isUnexplained, type ModelGuard, recordedSchema } from '../../sql/schema/model-guard.ts';
import { SystemStatements } from '../../sql/system-statements.ts';
import type { MainConnection } from '../connection/main-connection.ts';
import { sqlite } from '../dialect.ts';

const system = new SystemStatements(sqlite);

/** The error to report for one that a statement ended with: the database may have been migrated to another model meanwhile. */
export function explainFailure(error: unknown, match: ModelGuard, main: MainConnection): unknown {
  if (!isUnexplained(error)) return error;
  try {
    const [types, models] = recordedSchema(system).map(({ text, values }) => main.reader().get(text, values));
    return match.explain(error, { types: types ?? null, models: models ?? null });
  } catch {
    // The database cannot be read at all: the first error says why.
    return error;
  }
}
