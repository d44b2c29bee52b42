import assert from 'node:assert/strict';
import { type DatabaseFile, locateFile } from '../../../src/stores/sqlite/health/database-files.ts';
import { driverName } from './driver-under-test.ts';

/** The identity of a file that exists. */
export function openFile(path: string): DatabaseFile {
  return { ...(locateFile(path) ?? assert.fail(`${path} does not exist`)), driver: driverName };
}
