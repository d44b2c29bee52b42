import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apiUnderTest } from '../../pipeline/support/api-under-test.ts';
import { changeAfterReads, SHOP, SHOP_MODEL, sourceFile } from '../../stores/existing/source-file.ts';

describe('a write of another process to a table that exists', () => {
  for (const mode of ['delete', 'wal'])
    it(`is seen by the next request, with the journal mode ${mode}`, async (context) => {
      const file = sourceFile(context, `pragma journal_mode = ${mode}; ${SHOP}`);
      const api = await apiUnderTest(SHOP_MODEL, { readOnly: true, database: file });
      context.after(() => api.close());
      const read = async (target: string, etag = ''): ReturnType<typeof api.send> =>
        api.send({ send: `GET /api/v1/${target}`, headers: etag === '' ? {} : { 'If-None-Match': etag } });
      // The third read would be served from a cache.
      for (let count = 0; count < 3; count += 1) await read('films/1');
      const [item, page] = [await read('films/1'), await read('films')];
      await changeAfterReads(
        file,
        `update film set title = 'New' where film_id = 1; insert into film (film_id, title) values (9, 'z')`,
      );
      const after = await read('films/1', item.headers.get('etag'));
      assert.equal(after.status, 200);
      assert.equal(after.body.title, 'New');
      assert.notEqual(after.body.revision, item.body.revision);
      const others = await read('films', page.headers.get('etag'));
      assert.deepEqual(
        others.body.data.map(({ id }: { id: string }) => id),
        ['1', '2', '3', '9'],
      );
      await changeAfterReads(file, 'delete from film where film_id = 1');
      assert.equal((await read('films/1', after.headers.get('etag'))).status, 404);
    });

  it('that removes a column makes its reads 503, with the cause in the log', async (context) => {
    const file = sourceFile(context, SHOP);
    const api = await apiUnderTest(SHOP_MODEL, { readOnly: true, database: file });
    context.after(() => api.close());
    await api.row({ send: 'GET /api/v1/films/1', status: 200 });
    await changeAfterReads(file, 'alter table film rename column rented to lent');
    await api.row({ send: 'GET /api/v1/films/1', status: 503 });
  });
});
