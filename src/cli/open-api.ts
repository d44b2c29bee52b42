import { type Api, createApi } from '../api.ts';
import type { Model } from '../model/model.ts';
import type { Observe } from '../observe/observation.ts';
import { systemClock } from '../platform/clock.ts';
import { createIds } from '../platform/ids.ts';
import { createRandom } from '../platform/random.ts';
import { LossySchemaChange, SchemaViolation, UnusableDatabase } from '../stores/sql/schema-errors.ts';
import { openSqlite } from '../stores/sqlite/sqlite-store.ts';
import type { Store } from '../stores/store.ts';
import { refused } from './command-failure.ts';
import { reason } from './read-model.ts';

/** A model on its database, ready to answer. */
export interface OpenedApi {
  readonly api: Api;
  readonly store: Store;
}

export interface OpenOptions {
  readonly model: Model;
  /** Absolute path of the database file; it and its folder are made where they are missing. */
  readonly database: string;
  readonly observe: Observe;
  /** Whether the server may be reached from other machines without authentication (AUTH-7). */
  readonly open: boolean;
  /** Where clients reach the API where the model does not say: `http://127.0.0.1:3000`. */
  readonly origin: () => string;
  /** Why the server should get no traffic just now; null when it should. */
  readonly unready?: () => string | null;
}

/**
 * Opens the database, brings it to the model and puts the API on top.
 *
 * @throws {CommandFailure} exit 1 where the database cannot be opened, or where bringing it to the model would lose data (OPS-4)
 */
export async function openApi({ database, ...options }: OpenOptions): Promise<OpenedApi> {
  const { model, observe } = options;
  const clock = systemClock;
  const random = createRandom();
  const store = await opened(database, openSqlite({ path: database, model, observe, clock, random }));
  try {
    const ids = createIds({ clock, random });
    return { api: await createApi({ ...options, store, clock, ids, random }), store };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function opened(database: string, store: Promise<Store>): Promise<Store> {
  try {
    return await store;
  } catch (error) {
    // These say by themselves what is wrong with which database.
    const told = [LossySchemaChange, SchemaViolation, UnusableDatabase].some((kind) => error instanceof kind);
    throw refused(
      told && error instanceof Error ? error.message : `cannot open the database ${database}: ${reason(error)}`,
    );
  }
}
