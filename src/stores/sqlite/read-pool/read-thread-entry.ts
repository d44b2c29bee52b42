// What a thread for heavy reads runs: one connection of its own, on which readings come one after the other; null ends the thread.
import { parentPort, workerData } from 'node:worker_threads';
import { monotonicNow } from '../../../platform/clock.ts';
import { StatementDeadline } from './statement-deadline.ts';
import { SqliteConnection } from '../connection/sqlite-connection.ts';
import {
  replyWithError,
  type StatementBatch,
  readBatch,
  type ThreadReply,
  type ReadThreadSettings,
} from './statement-batch.ts';
import { defineFunctions } from '../connection/sql-functions.ts';

const port = parentPort;
if (port === null) throw new Error('This file is what a thread runs, and no program of its own');

const settings: ReadThreadSettings = workerData;
const closing = new Int32Array(settings.closing);
const connection = SqliteConnection.reader(settings.path);
defineFunctions(connection);
const deadline = new StatementDeadline(connection, {
  now: monotonicNow,
  timeout: settings.timeout,
  isClosing: () => Atomics.load(closing, 0) !== 0,
});

port.on('message', (reading: StatementBatch | null) => {
  if (reading === null) {
    connection.close();
    port.close();
  } else {
    port.postMessage(read(reading));
  }
});

function read(reading: StatementBatch): ThreadReply {
  try {
    deadline.start();
    return { kind: 'rows', rows: readBatch(connection, reading) };
  } catch (error) {
    return replyWithError(error);
  }
}
