import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { fileKind } from '../../../src/cli/data-file/data-file.ts';
import { prepareData } from '../../../src/cli/data-file/serve-data.ts';
import { run } from '../../../src/cli/program.ts';
import { recordedTerminal } from '../recorded-terminal.ts';
import { runs } from '../../extent.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'import-law-'));
});
after(() => rm(folder, { recursive: true }));

/** Infers the model of a file, imports it, and exports a collection. @returns the exported rows */
async function roundTrip(name: string, text: string, collection: string): Promise<readonly Record<string, unknown>[]> {
  const file = path.join(await mkdtemp(path.join(folder, 'run-')), name);
  await writeFile(file, text);
  const found = await fileKind(file);
  assert.ok(found.kind === 'data');
  const terminal = recordedTerminal();
  const prepared = await prepareData(found.data, {}, terminal);
  assert.ok(prepared.kind === 'ready', terminal.written().stderr);
  const exporting = recordedTerminal();
  await run(['export', prepared.model, collection, '--database', prepared.database], exporting);
  const lines = exporting
    .written()
    .stdout.split('\n')
    .filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line));
}

const cell = fc.oneof(
  fc.constantFrom(
    '',
    '""',
    '1',
    '2.5',
    'true',
    'FALSE',
    '007',
    '2026-01-31',
    '=1+1',
    "'=1",
    "'-1",
    "'-1.5",
    'a b',
    '-0',
    '1e5',
    ' x ',
    ' 7 ',
  ),
  fc.string({ maxLength: 8 }).map((text) => `"${text.replaceAll('\0', '').replaceAll('"', '""')}"`),
);

describe('every row of a data file is imported into the model that is inferred from it', () => {
  it('of CSV, whatever its cells are', async () => {
    // The cells of a column are few, as in data: columns of one type are frequent.
    const column = fc.tuple(cell, fc.option(cell, { freq: 1 }), fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }));
    const table = fc.tuple(fc.array(column, { minLength: 1, maxLength: 6 }), fc.integer({ min: 0, max: 6 }));
    await fc.assert(
      fc.asyncProperty(table, async ([columns, count]) => {
        const header = columns.map((_, index) => `Column ${index}`);
        const rows = Array.from({ length: count }, (_, row) =>
          columns.map(([usual, other, isUsual]) => (isUsual[row] === true ? usual : (other ?? usual))),
        );
        const lines = rows.filter((row) => row.length > 1 || !/^\s*$/.test(row.join()));
        const text = [header, ...lines].map((row) => `${row.join(',')}\r\n`).join('');
        assert.equal((await roundTrip('rows.csv', text, 'rows')).length, lines.length);
      }),
      { numRuns: runs(4, 60) },
    );
  });

  it('of JSON with references, in the order of these', async () => {
    const ids = fc.uniqueArray(
      fc.oneof(
        fc.integer(),
        fc.string({ minLength: 1, maxLength: 5 }).filter((text) => !/[\p{Cc}]|^\.\.?$/u.test(text)),
      ),
      {
        minLength: 1,
        maxLength: 5,
        selector: String,
      },
    );
    await fc.assert(
      fc.asyncProperty(ids, ids, fc.array(fc.nat(), { minLength: 5, maxLength: 5 }), async (users, posts, picks) => {
        const pick = (index: number): string | number => users[(picks[index] ?? 0) % users.length] ?? 0;
        const data = {
          posts: posts.map((id, index) => ({
            id,
            userId: pick(index),
            parent_id: index === 0 ? null : posts[index - 1],
          })),
          users: users.map((id, index) => ({ id, postId: posts[index] ?? null, manager_id: pick(index) })),
        };
        const rows = await roundTrip('db.json', JSON.stringify(data), 'posts');
        const expected = data.posts.map(({ id, userId }) => JSON.stringify([String(id), String(userId)]));
        const found = rows.map((row) => JSON.stringify([row['id'], String(row['user_id'])]));
        assert.deepEqual(found.toSorted(), expected.toSorted());
      }),
      { numRuns: runs(4, 60) },
    );
  });
});
