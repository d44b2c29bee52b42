// What the thread of checkpoints runs: one connection of its own; each message is answered when the checkpoint is done.
import { parentPort, workerData } from 'node:worker_threads';
import { SqliteConnection, LONG_WAL_PAGES } from '../connection/sqlite-connection.ts';

const port = parentPort;
if (port === null) throw new Error('This file is what a thread runs, and no program of its own');

/** Each pass brings over what was written during the one before: after three, what is left for the writer keeps it for 3 ms in place of 16. */
const PASSES = 3;

/** Milliseconds for which writers may be held up by a log that has become long: more, the longer it is, but less than a write waits in all. */
const WAIT = 500;
const LONGEST_WAIT = 4_000;

const connection = SqliteConnection.checkpointer(String(workerData));

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
  connection.restartWal(Math.min(LONGEST_WAIT, Math.ceil((WAIT * pages) / LONG_WAL_PAGES)));
}
