// What a thread for heavy reads runs: one connection of its own, on which readings come one after the other; null ends the thread.
import { parentPort, workerData } from 'node:worker_threads';
import { monotonicNow } from '../../platform/clock.ts';
import { Deadline } from './deadline.ts';
import { Connection } from './driver.ts';
import { answerOf, type Reading, readTogether, type ThreadAnswer, type ThreadSettings } from './reading.ts';
import { defineFunctions } from './sql-functions.ts';

const port = parentPort;
if (port === null) throw new Error('This file is what a thread runs, and no program of its own');

const settings: ThreadSettings = workerData;
const closing = new Int32Array(settings.closing);
const connection = Connection.reader(settings.path);
defineFunctions(connection);
const deadline = new Deadline(connection, {
  now: monotonicNow,
  timeout: settings.timeout,
  closing: () => Atomics.load(closing, 0) !== 0,
});

port.on('message', (reading: Reading | null) => {
  if (reading === null) {
    connection.close();
    port.close();
  } else {
    port.postMessage(read(reading));
  }
});

function read(reading: Reading): ThreadAnswer {
  try {
    deadline.begin();
    return { kind: 'rows', rows: readTogether(connection, reading) };
  } catch (error) {
    return answerOf(error);
  }
}
