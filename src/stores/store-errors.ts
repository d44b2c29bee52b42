import type { DatabaseCaller } from '../plan/write-unit.ts';

/** A read ran past the statement timeout and was stopped. Nothing was changed. */
export class StatementTimeout extends Error {
  override readonly name = 'StatementTimeout';
}

/** The queue of slow reads is full, or a read waited in it for too long. The read did not begin. */
export class StoreOverloaded extends Error {
  override readonly name = 'StoreOverloaded';
}

/** The rows of a read have more characters than the `maxSize` of its plan. */
export class RowsTooLarge extends Error {
  override readonly name = 'RowsTooLarge';
}

/**
 * The reason why a database is unavailable. `locked`: another process has locked it for too long. `full`, `io`: its
 * disk is full, or fails. `lost`: its files are not where they were when it was opened. `away`: its server cannot be
 * reached, or does not answer. `migrated`: it was migrated to another model.
 */
export type UnavailableReason = 'locked' | 'full' | 'io' | 'read-only' | 'corrupt' | 'lost' | 'away' | 'migrated';

/** The database is unavailable. Nothing was changed, other than by a write to files that were `lost` meanwhile. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  /** null for any other reason. */
  readonly reason: UnavailableReason | null;

  constructor(message: string, options: ErrorOptions & { readonly reason?: UnavailableReason | null } = {}) {
    super(message, options);
    this.reason = options.reason ?? null;
  }
}

/**
 * The database did not answer a commit: its connection was lost, or time ran out. Whether the write was made is not
 * known; its idempotency record says so.
 */
export class WriteOutcomeUnknown extends StoreUnavailable {
  constructor(message: string, options: ErrorOptions = {}) {
    super(message, { ...options, reason: 'away' });
  }
}

/** The database does not let the role of a caller read or write a table. Nothing was changed. */
export class RoleForbidden extends Error {
  override readonly name = 'RoleForbidden';
  /** True for a caller without credentials, which may have more rights with some. */
  readonly isAnonymous: boolean;

  constructor({ isAnonymous }: Pick<DatabaseCaller, 'isAnonymous'>, options: ErrorOptions = {}) {
    super('The role of the caller may not do this', options);
    this.isAnonymous = isAnonymous;
  }
}
