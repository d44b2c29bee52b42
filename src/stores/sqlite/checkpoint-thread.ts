// What the thread of checkpoints runs: one connection of its own; each message is answered when the checkpoint is done.
import { parentPort, workerData } from 'node:worker_threads';
import { Connection } from './driver.ts';

const port = parentPort;
if (port === null) throw new Error('This file is what a thread runs, and no program of its own');

const connection = Connection.checkpointer(String(workerData));

port.on('message', (message: 'checkpoint' | 'end') => {
  if (message === 'end') {
    connection.close();
    port.close();
  } else {
    connection.checkpoint();
    port.postMessage('done');
  }
});
