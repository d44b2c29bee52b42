import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { describe, it } from 'node:test';
import { apiUnderTest } from '../../pipeline/support/api-under-test.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';

const MODEL = `
name: places
resources:
  places:
    schema: { type: object, required: [name], properties: { name: { type: string } } }
    search: [name]
`;
const ROWS = 2_000;

/** Bytes that this process has written to files so far. */
function writtenBytes(): number {
  return Number(/^wchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
}

describe('an import into a collection with a search index', () => {
  it('[OPS-4a] writes no temporary file for each row, only the database', {
    skip: process.platform !== 'linux' && 'only Linux counts what a process writes',
  }, async (context) => {
    await using api = await apiUnderTest(MODEL, { database: path.join(temporaryDirectory(context), 'places.db') });
    const rows = Array.from({ length: ROWS }, (_, index) => ({ name: `Place ${index} of the north ${index % 97}` }));
    const before = writtenBytes();
    await api.api.importRows('places', rows, undefined, { events: false });
    const perRow = (writtenBytes() - before) / ROWS;
    // With statement journals in files it is 22 kB per row here, and more as the index grows.
    assert.ok(perRow < 8_000, `${perRow} bytes per row`);
  });
});
