import assert from 'node:assert/strict';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, it, mock, type TestContext } from 'node:test';
import fc from 'fast-check';
import type { Store } from '../../../src/stores/store.ts';
import {
  type ApiUnderTest,
  apiUnderTest,
  type ExchangeRow,
  type Seen,
  type Setting,
} from '../support/api-under-test.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { replacing } from '../support/replacing.ts';
import { SHELF } from '../models/shelf-model.ts';
import { runs } from '../../extent.ts';

type Request = Pick<ExchangeRow, 'send' | 'headers' | 'body'>;

const GENRE = '/api/v1/genres/g';
const XML = { Accept: 'application/xml' };

/** An API with one genre, and the number of single-row reads. */
async function watched(context: TestContext, setting: Setting = {}): Promise<ApiUnderTest & { reads(): number }> {
  let reads = 0;
  const breaking = (store: Store): Store =>
    replacing(store, {
      item(plan) {
        reads += 1;
        return store.rows.item(plan);
      },
    });
  const api = await apiUnderTest(SHELF, { breaking, ...setting });
  context.after(() => api.close());
  await api.send({ send: 'PUT /api/v1/genres/g', body: { name: 'Novel' } });
  const since = (): number => {
    const seen = reads;
    reads = 0;
    return seen;
  };
  since();
  await api.newEvents();
  return { ...api, reads: since };
}

/** The body of a response without correlation ids. */
function stable({ status, text, headers }: Seen): unknown {
  if (status !== 200) return status;
  return [status, text, headers.get('etag'), headers.get('last-modified'), headers.get('content-type')];
}

describe('a cached item', () => {
  it('[CACHE-1] is served without a read for GET, HEAD and 304', async (context) => {
    const api = await watched(context);
    api.clock.advance(60_000);
    const first = await api.send({ send: `GET ${GENRE}` });
    assert.deepEqual(stable(await api.send({ send: `GET ${GENRE}` })), stable(first));
    assert.equal(api.reads(), 2);
    assert.deepEqual(stable(await api.send({ send: `GET ${GENRE}` })), stable(first));
    const head = await api.send({ send: `HEAD ${GENRE}` });
    assert.deepEqual(
      ['etag', 'last-modified'].map((name) => head.headers.get(name)),
      ['etag', 'last-modified'].map((name) => first.headers.get(name)),
    );
    const tag = first.headers.get('etag') ?? '';
    const since = first.headers.get('last-modified') ?? '';
    await api.row({ send: `GET ${GENRE}`, headers: { 'If-None-Match': tag }, status: 304 });
    await api.row({ send: `GET ${GENRE}`, headers: { 'If-Modified-Since': since }, status: 304 });
    await api.row({ send: `GET ${GENRE}`, headers: { 'If-Match': '"other"' }, status: 412 });
    assert.equal(api.reads(), 0);
  });

  it('[CACHE-1] [LIM-1] is read again, with the same response, after a minute without requests', async (context) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    context.after(() => mock.timers.reset());
    const plans: string[] = [];
    const breaking = (store: Store): Store =>
      replacing(store, {
        item(plan) {
          plans.push(plan.kind);
          return store.rows.item(plan);
        },
        list(plan) {
          plans.push(plan.kind);
          return store.rows.list(plan);
        },
      });
    const api = await watched(context, { breaking });
    const ask = async (): Promise<unknown> => {
      plans.length = 0;
      return [
        stable(await api.send({ send: `GET ${GENRE}` })),
        stable(await api.send({ send: 'GET /api/v1/genres' })),
        ...plans,
      ];
    };
    await ask();
    const [row, page] = (await ask()) as unknown[];
    assert.deepEqual(await ask(), [row, page]);
    for (let second = 0; second < 60; second += 1) mock.timers.tick(1_000);
    assert.deepEqual(await ask(), [row, page, 'item', 'list']);
  });

  it('[CACHE-1] is not read for conditional requests', async (context) => {
    const api = await watched(context);
    const { headers } = await api.send({ send: `GET ${GENRE}?fields=name` });
    const { headers: whole } = await api.send({ send: `HEAD ${GENRE}` });
    assert.notEqual(headers.get('etag'), whole.get('etag'));
    const tag = whole.get('etag') ?? '';
    await api.row({ send: `GET ${GENRE}`, headers: { 'If-None-Match': tag }, status: 304 });
    api.reads();
    for (let time = 0; time < 3; time += 1) {
      await api.row({ send: `GET ${GENRE}`, headers: { 'If-None-Match': tag }, status: 304 });
    }
    assert.equal(api.reads(), 0);
  });

  it('[CACHE-1] [NEG-3a] is cached per variant', async (context) => {
    const api = await watched(context);
    const forms: readonly Request[] = [
      { send: `GET ${GENRE}` },
      { send: `GET ${GENRE}`, headers: XML },
      { send: 'GET /api/genres/g?api_version=1' },
    ];
    const all = async (): Promise<unknown> => Promise.all(forms.map(async (form) => stable(await api.send(form))));
    const [first, second] = [await all(), await all()];
    api.reads();
    assert.deepEqual([await all(), second], [first, first]);
    assert.equal(api.reads(), 0);
  });

  it('[QRY-4] is not served for other fields, and partial items are not cached', async (context) => {
    const api = await watched(context);
    const members = async (query: string): Promise<readonly string[]> =>
      Object.keys((await api.send({ send: `GET ${GENRE}${query}` })).body);
    const [part, whole] = [await members('?fields=name'), await members('')];
    assert.ok(whole.length > part.length);
    assert.deepEqual([await members('?fields=name'), await members('')], [part, whole]);
  });

  it('[CACHE-2] is not served on a page after a change', async (context) => {
    const { promise: written, resolve: goOn } = Promise.withResolvers<void>();
    const api = await apiUnderTest(SHELF, {
      breaking: (store) =>
        replacing(store, {
          async list(plan) {
            const page = await store.rows.list(plan);
            await written;
            return page;
          },
        }),
    });
    context.after(() => api.close());
    await api.send({ send: 'PUT /api/v1/genres/g', body: { name: 'Novel' } });
    const page = api.send({ send: 'GET /api/v1/genres?filter[name]=Novel' });
    await setImmediate();
    await api.send({ send: `PATCH ${GENRE}`, body: { name: 'Poem' } });
    for (let time = 0; time < 3; time += 1) {
      assert.match((await api.send({ send: `GET ${GENRE}` })).text, /Poem/);
    }
    goOn();
    const { text } = await page;
    assert.match(text, /Novel/);
    assert.doesNotMatch(text, /Poem/);
  });

  const writes: readonly Request[] = [
    { send: `PATCH ${GENRE}`, body: { name: 'Poem' } },
    { send: `PUT ${GENRE}`, body: { name: 'Poem' } },
    { send: `DELETE ${GENRE}` },
    {
      send: 'POST /api/v1/batches',
      body: { operations: [{ method: 'PATCH', path: '/genres/g', body: { name: 'Poem' } }] },
    },
    {
      send: 'POST /api/v1/batches',
      body: { atomic: true, operations: [{ method: 'PATCH', path: '/genres/g', body: { name: 'Poem' } }] },
    },
  ];
  for (const write of writes) {
    it(`[REP-8] [CACHE-1] is current after ${write.send} ${JSON.stringify(write.body ?? '')}`, async (context) => {
      const api = await watched(context);
      for (const headers of [{}, XML]) {
        const before = stable(await api.send({ send: `GET ${GENRE}`, headers }));
        for (let time = 0; time < 3; time += 1) {
          assert.deepEqual(stable(await api.send({ send: `GET ${GENRE}`, headers })), before);
        }
      }
      const written = await api.send(write);
      assert.ok(written.status < 300, written.text);
      for (const headers of [{}, XML]) {
        const after = await api.send({ send: `GET ${GENRE}`, headers });
        if (write.send.startsWith('DELETE')) assert.equal(after.status, 404);
        else assert.match(after.text, /Poem/);
      }
    });
  }

  it('[MET-14] is still served after a dry run', async (context) => {
    const api = await watched(context);
    await api.send({ send: `GET ${GENRE}` });
    const before = await api.send({ send: `GET ${GENRE}` });
    await api.send({ send: `PATCH ${GENRE}?dry_run=true`, body: { name: 'Poem' } });
    api.reads();
    assert.deepEqual(stable(await api.send({ send: `GET ${GENRE}` })), stable(before));
    assert.equal(api.reads(), 0);
  });

  it('[URL-7] is read each time if it is nested', async (context) => {
    const api = await watched(context);
    await api.send({ send: 'PUT /api/v1/books/b', body: { title: 'One' } });
    await api.send({ send: 'PUT /api/v1/books/c', body: { title: 'Two' } });
    await api.send({ send: 'PUT /api/v1/books/b/pages/p', body: { text: 'x' } });
    for (let time = 0; time < 3; time += 1) {
      assert.equal((await api.send({ send: 'GET /api/v1/books/b/pages/p' })).status, 200);
      assert.equal((await api.send({ send: 'GET /api/v1/books/c/pages/p' })).status, 404);
    }
  });
});

describe('an item whose stamp is asked of the database', () => {
  /** Counts the single-row reads of three requests to a store that knows one stamp and answers another one. */
  async function countReads(known: number, answered: number): Promise<number> {
    let reads = 0;
    await using api = await apiUnderTest(SHELF, {
      breaking: (store) =>
        replacing(store, {
          rowStampAhead: () => known,
          rowStamp: () => Promise.resolve(answered),
          item(plan) {
            reads += 1;
            return store.rows.item(plan);
          },
        }),
    });
    await api.send({ send: 'PUT /api/v1/genres/g', body: { name: 'Novel' } });
    reads = 0;
    for (let time = 0; time < 3; time += 1) assert.equal((await api.send({ send: `GET ${GENRE}` })).status, 200);
    return reads;
  }

  it('[CACHE-1] is read ahead of the answer, and cached where its stamp is the one that was known', async () => {
    assert.equal(await countReads(1, 1), 2);
  });

  it('[CACHE-1] is not cached where it may have been changed between its read and the answer', async () => {
    assert.equal(await countReads(1, 2), 3);
  });
});

describe('items in several processes', () => {
  const paths = [
    '/genres/g',
    '/genres/h',
    '/books/b',
    '/books/b/pages/p',
    '/genres',
    '/books?sort=title',
    '/books?limit=1',
  ];
  const reads = paths.flatMap((each): Request[] => [
    { send: `GET /api/v1${each}` },
    { send: `GET /api/v1${each}`, headers: XML },
    { send: `GET /api${each}` },
  ]);
  const target = fc.constantFrom('genres/g', 'genres/h', 'books/b', 'books/c', 'books/b/pages/p');
  const step = fc.record({
    by: fc.constantFrom('one', 'other'),
    method: fc.constantFrom('PUT', 'PUT', 'PATCH', 'DELETE'),
    target,
    value: fc.constantFrom('a', 'b', 'ä', '東京'),
  });

  it('[law] [REP-8] [CACHE-1] are the same with any cache contents', async (context) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
        const database = path.join(temporaryDirectory(context), 'shelf.db');
        const one = await apiUnderTest(SHELF, { database });
        const other = await apiUnderTest(SHELF, { database });
        const plain = await apiUnderTest(SHELF, {
          database,
          breaking: (store) => replacing(store, { rowStamp: () => null }),
        });
        try {
          for (const { by, method, target: name, value } of steps) {
            const member = name.includes('pages') ? 'text' : name.startsWith('books') ? 'title' : 'name';
            const body = method === 'DELETE' ? undefined : { [member]: value };
            await (by === 'one' ? one : other).send({ send: `${method} /api/v1/${name}`, body });
            await setImmediate();
            for (const request of reads) {
              const right = stable(await plain.send(request));
              for (const api of [one, other, one, one])
                assert.deepEqual(stable(await api.send(request)), right, request.send);
            }
          }
        } finally {
          for (const api of [one, other, plain]) await api.close();
        }
      }),
      { numRuns: runs(4, 40) },
    );
  });
});
