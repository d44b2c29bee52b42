import type { Statement } from '../sql/dialect.ts';
import { type Obstacle, StatementTimeout, StoreUnavailable } from '../store.ts';
import type { Connection, Read } from './driver.ts';
import { unavailable } from './unavailable.ts';

/** Statements that are read together. */
export type Reading = readonly Statement[];

/** The rows of each statement of a reading, as the driver gives them. */
export type RowsRead = readonly (readonly Read[])[];

/** Reads several statements in one transaction: no commit of another connection falls between. */
export function readTogether(connection: Connection, reading: Reading): RowsRead {
  if (reading.length === 1 || connection.inTransaction) return rowsOf(connection, reading);
  connection.run('begin');
  try {
    return rowsOf(connection, reading);
  } finally {
    if (connection.inTransaction) connection.run('commit');
  }
}

function rowsOf(connection: Connection, reading: Reading): RowsRead {
  return reading.map(({ text, values }) => connection.all(text, values));
}

/** What a thread is started with. */
export interface ThreadSettings {
  /** An absolute path. */
  readonly path: string;
  /** Milliseconds that a reading may run. */
  readonly timeout: number;
  /** One integer of 32 bits; anything but 0 ends the readings that run. */
  readonly closing: SharedArrayBuffer;
}

/** What a thread answers to a reading: plain data, for classes of errors do not pass from one thread to another. */
export type ThreadAnswer =
  | { readonly kind: 'rows'; readonly rows: RowsRead }
  | { readonly kind: 'timeout'; readonly message: string }
  | { readonly kind: 'unavailable'; readonly message: string; readonly obstacle: Obstacle | null }
  | { readonly kind: 'fault'; readonly error: unknown };

/** The answer that tells of an error. */
export function answerOf(error: unknown): ThreadAnswer {
  if (error instanceof StatementTimeout) return { kind: 'timeout', message: error.message };
  const failure = error instanceof StoreUnavailable ? error : unavailable(error);
  if (failure === null) return { kind: 'fault', error };
  return { kind: 'unavailable', message: failure.message, obstacle: failure.obstacle };
}

/** The error that an answer tells of. */
export function errorOf(answer: Exclude<ThreadAnswer, { kind: 'rows' }>): unknown {
  switch (answer.kind) {
    case 'timeout':
      return new StatementTimeout(answer.message);
    case 'unavailable':
      return new StoreUnavailable(answer.message, answer);
    case 'fault':
      return answer.error;
  }
}
