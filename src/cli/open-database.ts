import { type OpenApiOptions, openApi, type OpenedApi } from '../open-api.ts';
import { LossySchemaChange, SchemaViolation, UnusableDatabase } from '../stores/sql/schema/schema-errors.ts';
import { commandFailed } from './command-error.ts';
import { describeFileError } from './model-file/read-model.ts';

export type { OpenedApi } from '../open-api.ts';

/**
 * Opens the API of a model on its database.
 *
 * @throws {CommandFailure} exit 1 where the database cannot be opened, or where bringing it to the model would lose data (OPS-4); the reason of
 *   `stop` where that came first
 */
export async function openDatabase(options: OpenApiOptions): Promise<OpenedApi> {
  try {
    return await openApi(options);
  } catch (error) {
    options.signal?.throwIfAborted();
    // These say by themselves what is wrong with which database.
    const told = [LossySchemaChange, SchemaViolation, UnusableDatabase].some((kind) => error instanceof kind);
    throw commandFailed(
      told && error instanceof Error
        ? error.message
        : `cannot open the database ${options.database}: ${describeFileError(error)}`,
    );
  }
}
