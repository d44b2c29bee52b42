// A writer thread: commits what it is sent, and says so.
import { parentPort, workerData } from 'node:worker_threads';
import { groupCommit, openDatabase, type ProductRow } from './commits.ts';

const commit = groupCommit(openDatabase(workerData.file), workerData.slow);
parentPort?.on('message', (rows: readonly ProductRow[]) => {
  commit(rows);
  parentPort?.postMessage('committed', []);
});
