import type { Model } from '../../../model/model.ts';
import type { Observe } from '../../../observe/observation.ts';
import type { SqlRow, Statement } from '../dialect.ts';
import { RoleForbidden, RowsTooLarge, StatementTimeout, StoreOverloaded, StoreUnavailable } from '../../store.ts';
import { parseModels } from './current-models.ts';
import { listStorageTypes, type StorageTypes } from './migration.ts';
import { isSameProfile, profileModel } from './model-profile.ts';
import { deriveSchema } from './schema.ts';
import { METADATA, type SystemStatements } from '../system-statements.ts';

/** The statements that read what a database was migrated to: storage types, models. */
export function recordedSchema(system: SystemStatements): readonly Statement[] {
  return [system.metadata(METADATA.storageTypes), system.metadata(METADATA.models)];
}

/** The rows of {@link recordedSchema}; null where there is none. */
interface RecordedSchema {
  readonly types: SqlRow | null;
  readonly models: SqlRow | null;
}

/** Errors that say what is wrong. */
const EXPLAINED = [StoreUnavailable, StatementTimeout, StoreOverloaded, RowsTooLarge, RoleForbidden];

/** True if an error of a statement may be that of a database that was migrated. */
export function isUnexplained(error: unknown): boolean {
  return !EXPLAINED.some((kind) => error instanceof kind);
}

/**
 * Notices that a database was migrated to another model while this one is served (OPS-7). Requests cost nothing until a
 * statement fails for no known reason: then it compares what the database records. From then on nothing is read or
 * written, until a restart: what still succeeds could break rules of the other model.
 */
export class ModelGuard {
  readonly #model: Model;
  readonly #observe: Observe;
  readonly #views: string;
  #migrated: StoreUnavailable | null = null;
  /** The storage types, as JSON, that have been found to match. */
  #matching = '';

  /** @param views precedes the names of tables whose columns the model finds in views; empty for none */
  constructor(model: Model, observe: Observe, views = '') {
    this.#model = model;
    this.#observe = observe;
    this.#views = views;
  }

  /** @throws {StoreUnavailable} once the database is known to have another model */
  requireMatch(): void {
    if (this.#migrated !== null) throw this.#migrated;
  }

  /** The error to report for one that is {@link isUnexplained}. */
  explain(error: unknown, recorded: RecordedSchema): unknown {
    return this.#isServed(recorded) ? error : this.#found(error);
  }

  /**
   * For readiness: compares the columns, before a statement fails.
   *
   * @param types the row of metadata
   * @throws {StoreUnavailable}
   */
  requireColumns(types: SqlRow | null): void {
    if (!this.#hasColumns(types)) throw this.#found(null);
  }

  #found(error: unknown): StoreUnavailable {
    if (this.#migrated !== null) return this.#migrated;
    this.#migrated = new StoreUnavailable('The database was migrated to another model', {
      cause: error,
      reason: 'migrated',
    });
    this.#observe({ kind: 'database-migrated', error });
    return this.#migrated;
  }

  /**
   * True if the model may be served. On PostgreSQL the last steps of a migration run before its model is recorded, and
   * after its columns are.
   */
  #isServed({ types, models }: RecordedSchema): boolean {
    if (!this.#hasColumns(types)) return false;
    const own = profileModel(this.#model);
    return models === null || parseModels(String(models['value'])).some((each) => isSameProfile(each, own));
  }

  #hasColumns(row: SqlRow | null): boolean {
    const json = String(row?.['value'] ?? '');
    if (row === null || json === this.#matching) return true;
    const stored: StorageTypes = JSON.parse(json);
    const declared = Object.entries(listStorageTypes(deriveSchema(this.#model)));
    const found = declared.map(([table]): [string, StorageTypes[string]] => [
      table,
      (this.#views === '' ? undefined : stored[this.#views + table]) ?? stored[table] ?? {},
    ]);
    if (!isPart(Object.fromEntries(declared), Object.fromEntries(found))) return false;
    this.#matching = json;
    return true;
  }
}

/** True if tables have at least some columns, with these types. */
function isPart(some: StorageTypes, all: StorageTypes): boolean {
  return Object.entries(some).every(([table, columns]) =>
    Object.entries(columns).every(([column, type]) => all[table]?.[column] === type),
  );
}
