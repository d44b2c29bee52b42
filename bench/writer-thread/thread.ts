// A writer thread: commits the rows that it receives and confirms.
import { parentPort, workerData } from 'node:worker_threads';
import { groupCommit, openDatabase, type ProductRow } from './commits.ts';

const commit = groupCommit(openDatabase(workerData.file), workerData.slow);
parentPort?.on('message', (rows: readonly ProductRow[]) => {
  commit(rows);
  parentPort?.postMessage('committed', []);
});
