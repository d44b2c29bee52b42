import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { CHUNK_LIMITS, type ImportChunk } from '../../../src/cli/import/import-chunks.ts';
import { importFile, type ImportOutcome } from '../../../src/cli/import/import-file.ts';
import { importJoined, MAX_JOINED } from '../../../src/cli/import/joined-chunks.ts';
import { type ApiUnderTest, apiUnderTest } from '../../pipeline/support/api-under-test.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';

const MODEL = `
name: company
resources:
  employees:
    id: client
    schema: { type: object, properties: { manager_id: { type: string, x-references: employees } } }
`;

/** Imports a file of employees. */
async function imported(context: TestContext, api: ApiUnderTest, rows: readonly object[]): Promise<ImportOutcome> {
  const file = path.join(temporaryDirectory(context), 'employees.ndjson');
  await writeFile(file, rows.map((row) => JSON.stringify(row)).join('\n'));
  return importFile(
    {
      file,
      collection: 'employees',
      importRows: (name, given, bookmark) => api.api.importRows(name, given, bookmark),
      readBookmark: (name) => api.store.bookmarks.get(name),
      source: { format: 'ndjson', limits: { depth: 32, items: 10_000 }, csvReader: () => assert.fail('no CSV here') },
      signal: new AbortController().signal,
      now: () => 0,
    },
    () => {},
  );
}

const named = (index: number): string => `e${String(index).padStart(6, '0')}`;

/** Employees, each with the next one of a number as manager. */
function employees(count: number, managers: Readonly<Record<number, string>>): readonly object[] {
  return Array.from({ length: count }, (_, index) => {
    const manager = managers[index];
    return { id: named(index), ...(manager === undefined ? {} : { manager_id: manager }) };
  });
}

function chunk(number: number): ImportChunk {
  return { lines: [number], rows: [number], errors: [], end: { lines: number, bytes: number, sha256: '' } };
}

describe('an import of rows that refer to rows of later batches', () => {
  it('[MET-10] takes these batches together, and resumes after them', async (context) => {
    await using api = await apiUnderTest(MODEL);
    const count = 4 * CHUNK_LIMITS.rows + 10;
    const rows = employees(count, { 0: named(2_500), 2_500: named(3_100), 4_005: named(0) });
    assert.deepEqual(await imported(context, api, rows), { kind: 'complete', rows: count, resumed: false });
    const { body } = await api.send({ send: `GET /api/v1/employees/${named(0)}` });
    assert.equal(body.manager_id, named(2_500));
    assert.deepEqual(await imported(context, api, rows), { kind: 'complete', rows: 0, resumed: true });
  });

  it('[MET-10] names the line of a reference to nothing, and writes no row of the batches', async (context) => {
    await using api = await apiUnderTest(MODEL);
    const outcome = await imported(context, api, employees(2_500, { 1_200: 'none' }));
    assert.ok(outcome.kind === 'invalid');
    assert.deepEqual([outcome.rows, outcome.from, outcome.to], [1_000, 1_001, 2_500]);
    assert.deepEqual(
      outcome.errors.map(({ line, details }) => [line, details[0]?.field]),
      [[1_201, 'manager_id']],
    );
  });

  it('takes twice as many batches each time, up to a limit, and no more where that does not help', async () => {
    const sizes = async (mayFollow: boolean): Promise<readonly number[]> => {
      const found: number[] = [];
      const following = (async function* () {
        for (let number = 1; ; number += 1) yield chunk(number);
      })();
      await importJoined(chunk(0), following, ({ rows }) => {
        found.push(rows.length);
        return Promise.resolve({ kind: 'refused', errors: [], ...(mayFollow ? { mayFollow } : {}) });
      });
      return found;
    };
    assert.deepEqual(await sizes(true), [1, 2, 4, 8, MAX_JOINED]);
    assert.deepEqual(await sizes(false), [1]);
  });
});
