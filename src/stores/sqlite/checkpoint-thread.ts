// What the thread of checkpoints runs: one connection of its own; each message is answered when the checkpoint is done.
import { parentPort, workerData } from 'node:worker_threads';
import { Connection } from './driver.ts';

const port = parentPort;
if (port === null) throw new Error('This file is what a thread runs, and no program of its own');

/** Each pass brings over what was written during the one before: after three, what is left for the writer keeps it for 3 ms in place of 16. */
const PASSES = 3;

const connection = Connection.checkpointer(String(workerData));

port.on('message', (message: 'checkpoint' | 'end') => {
  if (message === 'end') {
    connection.close();
    port.close();
  } else {
    for (let pass = 0; pass < PASSES; pass += 1) connection.checkpoint();
    port.postMessage('done');
  }
});
