// The entry of a thread of the read pool: one connection, on which batches run one after the other. The message null
// ends the thread.
import { parentPort, workerData } from 'node:worker_threads';
import { monotonicNow } from '../../../platform/clock.ts';
import type { StatementBatch } from '../../sql/sql-client.ts';
import { defineFunctions } from '../connection/sql-functions.ts';
import { SqliteConnection } from '../connection/sqlite-connection.ts';
import { loadDriver } from '../driver/select-driver.ts';
import { openViews } from '../existing/open-source.ts';
import { openAgain } from '../health/database-files.ts';
import { packBatch } from './packed-rows.ts';
import { readBatch, type ReadThreadSettings, replyWithError, type ThreadReply } from './statement-batch.ts';
import { StatementDeadline } from './statement-deadline.ts';

const port = parentPort;
if (port === null) throw new Error('This file is the entry of a worker thread, not a program');

const settings: ReadThreadSettings = workerData;
const closing = new Int32Array(settings.closing);
const driver = loadDriver(settings.database.driver);
const connection = openAgain(settings.database, open);
const deadline = new StatementDeadline(connection, {
  now: monotonicNow,
  timeout: settings.timeout,
  isClosing: () => Atomics.load(closing, 0) !== 0,
});

port.on('message', (batch: StatementBatch | null) => {
  if (batch === null) {
    connection.close();
    port.close();
  } else {
    port.postMessage(replyToBatch(batch));
  }
});

function open(path: string): SqliteConnection {
  const { views } = settings;
  if (views !== null) return openViews(path, driver, views);
  const reader = SqliteConnection.reader(path, driver);
  defineFunctions(reader);
  return reader;
}

function replyToBatch(batch: StatementBatch): ThreadReply {
  try {
    deadline.start();
    return { kind: 'rows', rows: packBatch(readBatch(connection, batch)) };
  } catch (error) {
    return replyWithError(error);
  }
}
