import type { Statement } from '../../sql/dialect.ts';
import { type UnavailableReason, StatementTimeout, StoreUnavailable } from '../../store.ts';
import type { SqliteConnection, SqlRow } from '../connection/sqlite-connection.ts';
import { unavailable } from '../busy/unavailable.ts';

/** Statements that are read together. */
export type StatementBatch = readonly Statement[];

/** The rows of each statement of a reading, as the driver gives them. */
export type BatchRows = readonly (readonly SqlRow[])[];

/** Reads several statements in one transaction: no commit of another connection falls between. */
export function readBatch(connection: SqliteConnection, reading: StatementBatch): BatchRows {
  if (reading.length === 1 || connection.inTransaction) return rowsOf(connection, reading);
  connection.run('begin');
  try {
    return rowsOf(connection, reading);
  } finally {
    if (connection.inTransaction) connection.run('commit');
  }
}

function rowsOf(connection: SqliteConnection, reading: StatementBatch): BatchRows {
  return reading.map(({ text, values }) => connection.all(text, values));
}

/** What a thread is started with. */
export interface ReadThreadSettings {
  /** An absolute path. */
  readonly path: string;
  /** Milliseconds that a reading may run. */
  readonly timeout: number;
  /** One integer of 32 bits; anything but 0 ends the readings that run. */
  readonly closing: SharedArrayBuffer;
}

/** What a thread answers to a reading: plain data, for classes of errors do not pass from one thread to another. */
export type ThreadReply =
  | { readonly kind: 'rows'; readonly rows: BatchRows }
  | { readonly kind: 'timeout'; readonly message: string }
  | { readonly kind: 'unavailable'; readonly message: string; readonly reason: UnavailableReason | null }
  | { readonly kind: 'fault'; readonly error: unknown };

/** The answer that tells of an error. */
export function replyWithError(error: unknown): ThreadReply {
  if (error instanceof StatementTimeout) return { kind: 'timeout', message: error.message };
  const failure = error instanceof StoreUnavailable ? error : unavailable(error);
  if (failure === null) return { kind: 'fault', error };
  return { kind: 'unavailable', message: failure.message, reason: failure.reason };
}

/** The error that an answer tells of. */
export function errorOf(answer: Exclude<ThreadReply, { kind: 'rows' }>): unknown {
  switch (answer.kind) {
    case 'timeout':
      return new StatementTimeout(answer.message);
    case 'unavailable':
      return new StoreUnavailable(answer.message, answer);
    case 'fault':
      return answer.error;
  }
}
