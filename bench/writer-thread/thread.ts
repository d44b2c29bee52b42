// A writer thread: commits what it is sent, and says so.
import { parentPort, workerData } from 'node:worker_threads';
import { committing, open, type Row } from './commits.ts';

const commit = committing(open(workerData.file), workerData.slow);
parentPort?.on('message', (rows: readonly Row[]) => {
  commit(rows);
  parentPort?.postMessage('committed', []);
});
