import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apiUnderTest } from '../../pipeline/support/api-under-test.ts';
import { changeAfterReads, sourceFile } from '../../stores/existing/source-file.ts';

/** More columns than a call of an SQL function of SQLite has arguments. */
const COLUMNS = Array.from({ length: 150 }, (_, at) => `c${at}`);

describe('a table that exists', () => {
  it('[REP-8] with 150 columns has another revision after a change of any of them', async (context) => {
    const columns = COLUMNS.join(', ');
    const file = sourceFile(
      context,
      `create table wide (id integer primary key, ${columns}); insert into wide (id) values (1)`,
    );
    const fields = COLUMNS.map((name) => `${name}: { type: integer }`).join(', ');
    const model = `
name: wide
resources: { wides: { table: wide, schema: { type: object, properties: { ${fields} } } } }`;
    await using api = await apiUnderTest(model, { readOnly: true, database: file });
    const revisions = new Set<number>();
    const read = async (): Promise<void> => {
      const { body } = await api.send({ send: 'GET /api/v1/wides/1' });
      revisions.add(body.revision);
    };
    await read();
    for (const name of ['c0', 'c99', 'c100', 'c149']) {
      await changeAfterReads(file, `update wide set ${name} = 1`);
      await read();
    }
    assert.equal(revisions.size, 5);
  });

  it('[URL-3] with a key of bytes has ids of hexadecimal digits, which find rows and continue pages', async (context) => {
    const file = sourceFile(
      context,
      `create table part (key blob primary key not null, name text);
       insert into part values (x'00ff', 'a'), (x'01', 'b'), (x'0a2c', 'c');`,
    );
    const model = `
name: parts
resources: { parts: { table: part, schema: { type: object, properties: { name: { type: string } } } } }`;
    await using api = await apiUnderTest(model, { readOnly: true, database: file });
    await api.row({ send: 'GET /api/v1/parts/0a2c', status: 200, has: { name: 'c' } });
    for (const id of ['0A2C', '0a', 'x']) await api.row({ send: `GET /api/v1/parts/${id}`, status: 404 });
    const ids: string[] = [];
    for (let last = ''; ; last = `&last_id=${ids.at(-1)}`) {
      const { body } = await api.send({ send: `GET /api/v1/parts?limit=1${last}` });
      if (body.data.length === 0) break;
      ids.push(body.data[0].id);
    }
    assert.deepEqual(ids, ['00ff', '01', '0a2c']);
  });
});
