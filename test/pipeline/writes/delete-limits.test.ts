import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Row } from '../../../src/plan/plan.ts';
import type { Store } from '../../../src/stores/store.ts';
import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';
import { collection, fill, composeModel } from '../models/references-model.ts';
import { replacing } from '../support/replacing.ts';
import { before } from '../support/rival.ts';
import { create, parseIds } from '../models/shop-model.ts';

const FAMILY = composeModel(collection('as'), collection('bs', { a: 'as cascade', spouse: 'bs nullify' }));
const MANY = (onDelete: string): string => composeModel(collection('as'), collection('bs', { a: `as ${onDelete}` }));

describe('DELETE', () => {
  it('[MET-4e] deletes rows that refer to each other in a nullify cycle', async () => {
    await using api = await apiUnderTest(FAMILY);
    await fill(api, { 'as/1': {}, 'bs/1': { a: '1' }, 'bs/2': { a: '1', spouse: '1' } });
    await api.row({ send: 'PATCH /api/v1/bs/1', body: { spouse: '2' }, status: 200, events: ['b.updated'] });
    const { status, text } = await api.send({ send: 'DELETE /api/v1/as/1' });
    assert.equal(status, 204, text);
    const gone = (await api.newEvents()).filter(({ type }) => type.endsWith('.deleted'));
    assert.deepEqual(gone.map(({ type, payload }) => `${type} ${payload.resource.id}`).toSorted(), [
      'a.deleted 1',
      'b.deleted 1',
      'b.deleted 2',
    ]);
  });

  it('[MET-4d] deletes rows that refer to each other by references that can be unset', async () => {
    for (const onDelete of ['cascade', 'restrict']) {
      await using api = await apiUnderTest(
        composeModel(collection('as', { next: `as ${onDelete}`, lead: 'as cascade' })),
      );
      await fill(api, { 'as/1': {}, 'as/2': { next: '1', lead: '1' }, 'as/3': { next: '2', lead: '1' } });
      await api.row({ send: 'PATCH /api/v1/as/1', body: { next: '3' }, status: 200, events: ['a.updated'] });
      const { status, text } = await api.send({ send: 'DELETE /api/v1/as/1' });
      assert.equal(status, 204, text);
      const gone = (await api.newEvents()).map(({ type, payload }) => `${type} ${payload.resource.id}`);
      assert.deepEqual(gone.toSorted(), ['a.deleted 1', 'a.deleted 2', 'a.deleted 3']);
      assert.equal((await api.send({ send: 'GET /api/v1/as' })).body.data.length, 0);
    }
  });

  it('[MET-4a] returns 204 without a body, then 404, and allows the id again', async () => {
    await using api = await apiUnderTest(MANY('restrict'));
    const first = await create(api, 'as', { id: '1', text: 'x' });
    const expectHeaders = { 'Content-Type': null, ETag: null, 'Cache-Control': 'no-store' };
    const gone = await api.row({ send: 'DELETE /api/v1/as/1', status: 204, expectHeaders, events: ['a.deleted'] });
    assert.equal(gone.text, '');
    for (const method of ['DELETE', 'GET', 'HEAD', 'PATCH']) {
      const body = method === 'PATCH' ? {} : undefined;
      await api.row({ send: `${method} /api/v1/as/1`, body, status: 404, has: { errorCode: 'A_NOT_FOUND' } });
    }
    const again = await create(api, 'as', { id: '1', text: 'x' });
    assert.ok(again.body['revision'] > first.body['revision'], '[REP-8] no revision is used twice');
  });

  it('[MET-4a] finds a row only below the parent in the path', async () => {
    await using api = await apiUnderTest(composeModel(collection('as'), collection('bs', {}, 'parent: as')));
    await fill(api, { 'as/1': {}, 'as/2': {}, 'as/1/bs/1': {} });
    await api.row({ send: 'DELETE /api/v1/as/2/bs/1', status: 404, has: { errorCode: 'B_NOT_FOUND' } });
    await api.row({ send: 'DELETE /api/v1/as/3/bs/1', status: 404, has: { errorCode: 'A_NOT_FOUND' } });
    await api.row({ send: 'DELETE /api/v1/as/1/bs/1', status: 204, events: ['b.deleted'] });
  });

  it('[MET-4a] ignores any request body', async () => {
    await using api = await apiUnderTest(MANY('restrict'));
    await create(api, 'as', { id: '1' });
    const headers = { 'Content-Type': 'a/b' };
    await api.row({ send: 'DELETE /api/v1/as/1', headers, body: '{', status: 204, events: ['a.deleted'] });
  });

  it('[MET-4d] publishes events only for collections that have them', async () => {
    await using api = await apiUnderTest(
      composeModel(
        collection('as'),
        collection('bs', { a: 'as cascade' }, 'events: none'),
        collection('cs', { b: 'bs cascade' }),
      ),
    );
    await fill(api, { 'as/1': {}, 'bs/1': { a: '1' }, 'cs/1': { b: '1' } });
    await api.row({ send: 'DELETE /api/v1/as/1', status: 204, events: ['c.deleted', 'a.deleted'] });
    await api.row({ send: 'GET /api/v1/bs/1', status: 404 });
  });

  it('[PAGE-9b] keeps the totals of all affected collections exact', async () => {
    await using api = await apiUnderTest(MANY('cascade'));
    await fill(api, { 'as/1': {}, 'as/2': {}, 'bs/1': { a: '1' }, 'bs/2': { a: '1' }, 'bs/3': { a: '2' } });
    await api.send({ send: 'DELETE /api/v1/as/1' });
    for (const name of ['as', 'bs']) {
      const { body } = await api.send({ send: `GET /api/v1/${name}?page=1` });
      assert.deepEqual([body['page']['total_count'], parseIds({ text: JSON.stringify(body) }).length], [1, 1], name);
    }
  });
});

describe('DELETE of a row with very many dependents', () => {
  const rows = (count: number): readonly { a: string }[] =>
    Array.from({ length: count }, (_, index) => ({ id: `${index}`, a: '1' }));

  it('[MET-4d] deletes 9,999 dependents, each with its event', async () => {
    await using api = await apiUnderTest(MANY('cascade'));
    await create(api, 'as', { id: '1' });
    await api.api.importRows('bs', rows(9_999));
    await api.newEvents();
    await api.send({ send: 'DELETE /api/v1/as/1' });
    assert.equal((await api.newEvents()).length, 10_000);
    assert.deepEqual(parseIds(await api.send({ send: 'GET /api/v1/bs' })), []);
  });

  for (const onDelete of ['cascade', 'nullify']) {
    it(`[MET-4d] is rejected above 10,000 rows with ${onDelete}, and names the resource`, async () => {
      let writes = 0;
      // Rows without events are imported in half the time.
      const model = composeModel(collection('as'), collection('bs', { a: `as ${onDelete}` }, 'events: none'));
      await using api = await apiUnderTest(model, {
        breaking: (store) => before(store, () => void (writes += 1)),
      });
      await create(api, 'as', { id: '1' });
      await api.api.importRows('bs', rows(10_002));
      await api.newEvents();
      writes = 0;
      const { body } = await api.row({
        send: 'DELETE /api/v1/as/1',
        status: 409,
        has: { errorCode: 'A_HAS_DEPENDENTS' },
      });
      assert.match(body['errorMessage'], /10,?000/);
      assert.equal(writes, 0);
    });
  }
});

/** A store whose lists of the rows of a resource are recorded. */
function readingRows(store: Store, resource: string, read: Row[]): Store {
  return replacing(store, {
    async list(plan) {
      const page = await store.rows.list(plan);
      if (plan.resource === resource) read.push(...page.rows);
      return page;
    },
  });
}

describe('DELETE of a row with large dependents', () => {
  const LARGE = 1_000_000;
  /** A row, dependents of a megabyte each, and what is read of these from now on. */
  async function withLarge(
    { onDelete, rest = '' }: { readonly onDelete: string; readonly rest?: string },
    count: number,
    use: (api: ApiUnderTest, read: readonly Row[]) => Promise<void>,
  ): Promise<void> {
    const read: Row[] = [];
    const model = composeModel(collection('as'), collection('bs', { a: `as ${onDelete}` }, rest));
    await using api = await apiUnderTest(model, { breaking: (store) => readingRows(store, 'bs', read) });
    await create(api, 'as', { id: '1' });
    const rows = Array.from({ length: count }, (_, index) => ({ id: `${index}`, a: '1', text: 'x'.repeat(LARGE) }));
    await api.api.importRows('bs', rows);
    await api.newEvents();
    read.length = 0;
    await use(api, read);
  }
  const refused = { send: 'DELETE /api/v1/as/1', status: 409, has: { errorCode: 'A_HAS_DEPENDENTS' }, events: [] };

  it('[MET-4d] reads of those that it deletes only what their events need', async () => {
    await withLarge({ onDelete: 'cascade' }, 70, async (api, read) => {
      assert.equal((await api.send({ send: 'DELETE /api/v1/as/1?dry_run=true' })).status, 200);
      assert.equal((await api.send({ send: 'DELETE /api/v1/as/1' })).status, 204);
      assert.equal((await api.newEvents()).length, 71);
      assert.equal(read.length, 140);
      assert.deepEqual(
        read.filter((row) => 'text' in row),
        [],
      );
    });
  });

  it('[MET-4c] reads of those that forbid it only their keys', async () => {
    await withLarge({ onDelete: 'restrict' }, 2, async (api, read) => {
      await api.row(refused);
      assert.deepEqual(
        read.flatMap(Object.keys).filter((name) => name === 'text' || name === 'a'),
        [],
      );
    });
  });

  it('[MET-4d] has their values in events that have data', async () => {
    await withLarge({ onDelete: 'cascade', rest: 'events: full' }, 1, async (api) => {
      assert.equal((await api.send({ send: 'DELETE /api/v1/as/1' })).status, 204);
      const [event] = await api.newEvents();
      assert.equal(event?.type, 'b.deleted');
      assert.equal(event?.payload.data?.['text'], 'x'.repeat(LARGE));
    });
  });

  for (const [onDelete, rest, clause] of [
    ['cascade', 'events: full', 'MET-4d'],
    ['nullify', '', 'MET-4e'],
  ] as const) {
    it(`[${clause}] is rejected above 64 MiB that it would read of them: ${onDelete} ${rest}`, async () => {
      await withLarge({ onDelete, rest }, 70, async (api, read) => {
        const { body } = await api.row(refused);
        assert.match(body['errorMessage'], /64 MiB.*delete some of them first/);
        assert.ok(read.length < 70, `${read.length} rows were read`);
      });
    });
  }
});
