import type { BatchRows, StatementBatch } from '../../sql/sql-client.ts';
import { StatementTimeout, StoreUnavailable, type UnavailableReason } from '../../store.ts';
import type { SqliteConnection } from '../connection/sqlite-connection.ts';
import type { TableViews } from '../existing/open-source.ts';
import type { DatabaseFile } from '../health/database-files.ts';
import { unavailable } from '../health/unavailable.ts';
import type { PackedBatch } from './packed-rows.ts';

/** Reads the statements of a batch in one transaction: no commit of another connection falls between. */
export function readBatch(connection: SqliteConnection, batch: StatementBatch): BatchRows {
  if (batch.length === 1 || connection.inTransaction) return readStatements(connection, batch);
  connection.run('begin');
  try {
    return readStatements(connection, batch);
  } finally {
    if (connection.inTransaction) connection.run('commit');
  }
}

function readStatements(connection: SqliteConnection, batch: StatementBatch): BatchRows {
  return batch.map(({ text, values, bound }) =>
    bound === undefined ? connection.all(text, values) : connection.upTo(text, values, bound),
  );
}

/** The settings of a thread, as its `workerData`. */
export interface ReadThreadSettings {
  readonly database: DatabaseFile;
  /** The views of tables of another program; null for a database of own rows. */
  readonly views: TableViews | null;
  /** Milliseconds that a batch may run. */
  readonly timeout: number;
  /** One 32-bit integer. Any value other than 0 stops the batches that run. */
  readonly closing: SharedArrayBuffer;
}

/** The reply of a thread to a batch: plain data, because structured cloning loses the classes of errors. */
export type ThreadReply =
  | { readonly kind: 'rows'; readonly rows: PackedBatch }
  | { readonly kind: 'timeout'; readonly message: string }
  | { readonly kind: 'unavailable'; readonly message: string; readonly reason: UnavailableReason | null }
  | { readonly kind: 'error'; readonly error: unknown };

/** The reply that carries an error. */
export function replyWithError(error: unknown): ThreadReply {
  if (error instanceof StatementTimeout) return { kind: 'timeout', message: error.message };
  const failure = error instanceof StoreUnavailable ? error : unavailable(error);
  if (failure === null) return { kind: 'error', error };
  return { kind: 'unavailable', message: failure.message, reason: failure.reason };
}

/** The error of a reply. */
export function rebuildError(reply: Exclude<ThreadReply, { kind: 'rows' }>): unknown {
  switch (reply.kind) {
    case 'timeout':
      return new StatementTimeout(reply.message);
    case 'unavailable':
      return new StoreUnavailable(reply.message, reply);
    case 'error':
      return reply.error;
  }
}
