// The entry of the checkpoint thread: one connection. It replies to each message when the checkpoint is done.
import { parentPort, workerData } from 'node:worker_threads';
import { LONG_WAL_PAGES, SqliteConnection } from '../connection/sqlite-connection.ts';
import { loadDriver } from '../driver/select-driver.ts';
import { type DatabaseFile, openAgain } from '../health/database-files.ts';

const port = parentPort;
if (port === null) throw new Error('This file is the entry of a worker thread, not a program');

/**
 * Each pass copies what was written during the one before. After three, the writer's checkpoint blocks the main thread
 * for 3 ms instead of 16.
 */
const PASSES = 3;

/**
 * Milliseconds for which writers may be blocked to restart a long WAL: more for a longer one, but less than the timeout
 * of a write.
 */
const RESTART_TIMEOUT = 500;
const MAX_RESTART_TIMEOUT = 4_000;

const database: DatabaseFile = workerData;
const driver = loadDriver(database.driver);
const connection = openAgain(database, (path) => SqliteConnection.checkpointer(path, driver));

port.on('message', (message: 'checkpoint' | 'end') => {
  if (message === 'end') {
    connection.close();
    port.close();
  } else {
    checkpoint();
    port.postMessage('done');
  }
});

function checkpoint(): void {
  let pages = 0;
  for (let pass = 0; pass < PASSES; pass += 1) pages = Math.max(pages, connection.checkpoint());
  if (pages < LONG_WAL_PAGES) return;
  connection.restartWal(Math.min(MAX_RESTART_TIMEOUT, Math.ceil((RESTART_TIMEOUT * pages) / LONG_WAL_PAGES)));
}
