import assert from 'node:assert/strict';
import { locateFile, type OpenFile } from '../../../src/stores/sqlite/health/database-files.ts';

/** The identity of a file that exists. */
export function openFile(path: string): OpenFile {
  return locateFile(path) ?? assert.fail(`${path} does not exist`);
}
