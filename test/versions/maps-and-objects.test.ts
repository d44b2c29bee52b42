import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineModel, resource } from '../../src/index.ts';
import { apiUnderTest } from '../pipeline/support/api-under-test.ts';

const MAPS = `
name: shop
version: 2.0.0
default_version: 2
resources:
  products:
    id: client
    schema:
      type: object
      properties:
        name: { type: string }
        labels: { type: object, additionalProperties: { type: [string, 'null'] } }
        sizes:
          type: object
          additionalProperties:
            type: object
            properties: { width: { type: integer, default: 1 }, unit: { type: string } }
versions:
  1.0.0: { changes: [{ resource: products, rename: { title: name } }] }
`;

const MERGE = { 'Content-Type': 'application/merge-patch+json' };
const PATCH = { 'Content-Type': 'application/json-patch+json' };
const LABELS = { a: 'x', b: null };

type Api = Awaited<ReturnType<typeof apiUnderTest>>;
type Row = readonly [send: string, body: unknown, headers: Readonly<Record<string, string>>, labels: unknown];

async function read(api: Api, target: string, ...names: readonly string[]): Promise<unknown> {
  const { status, body, text } = await api.send({ send: `GET ${target}` });
  assert.equal(status, 200, text);
  return Object.fromEntries(names.map((name) => [name, body[name]]));
}

describe('an entry of a map that is null', () => {
  const v1 = '/api/v1/products/p';
  const inBatch = (method: string, path: string, body: unknown, headers = {}) => ({
    atomic: true,
    operations: [{ method, path, body, headers }],
  });
  const rows: readonly Row[] = [
    [`PATCH ${v1}`, [{ op: 'remove', path: '/labels/b' }], PATCH, { a: 'x' }],
    [`PATCH ${v1}`, [{ op: 'add', path: '/labels/c', value: null }], PATCH, { ...LABELS, c: null }],
    [`PATCH ${v1}`, [{ op: 'move', from: '/labels/b', path: '/labels/c' }], PATCH, { a: 'x', c: null }],
    [`PATCH ${v1}`, { labels: { b: null } }, MERGE, { a: 'x' }],
    [`PATCH ${v1}`, { labels: { a: null } }, MERGE, { b: null }],
    [`PUT ${v1}`, { title: 't', labels: { a: 'x' } }, {}, { a: 'x' }],
    [`PUT ${v1}`, { title: 't', labels: { a: 'x', toString: null } }, {}, { a: 'x', toString: null }],
    [`PUT ${v1}`, { title: 't', labels: {} }, {}, {}],
    ['POST /api/v1/batches', inBatch('PUT', '/products/p', { labels: { a: 'x' } }), {}, { a: 'x' }],
    ['POST /api/v1/batches', inBatch('PATCH', '/products/p', { labels: { b: null } }, MERGE), {}, { a: 'x' }],
  ];

  it('[VER-5b] [REP-4] [MET-2] [MET-3] is another map than one without it', async () => {
    await using api = await apiUnderTest(MAPS);
    for (const [send, body, headers, labels] of rows) {
      await api.send({ send: 'PUT /api/v2/products/p', body: { name: 't', labels: LABELS } });
      const { status, text } = await api.send({ send, body, headers });
      assert.ok(status < 300, `${send} ${text}`);
      for (const target of [v1, '/api/v2/products/p'])
        assert.deepEqual(await read(api, target, 'labels'), { labels }, `${send} ${JSON.stringify(body)}`);
    }
    await api.send({ send: 'POST /api/v1/products', body: { id: 'q', labels: LABELS } });
    assert.deepEqual(await read(api, '/api/v2/products/q', 'labels'), { labels: LABELS });
  });

  it('[REP-4] [MET-3] has no part in the members of its object: a removed one gets no default again', async () => {
    await using api = await apiUnderTest(MAPS);
    for (const version of ['v1', 'v2']) {
      const target = `/api/${version}/products/p`;
      const sizes = { s: { width: 3, unit: 'cm' } };
      for (const [body, headers] of [
        [{ sizes: { s: { width: null } } }, MERGE],
        [[{ op: 'remove', path: '/sizes/s/width' }], PATCH],
      ] as const) {
        await api.send({ send: 'PUT /api/v2/products/p', body: { sizes } });
        await api.send({ send: `PATCH ${target}`, body, headers });
        assert.deepEqual(await read(api, target, 'sizes'), { sizes: { s: { width: null, unit: 'cm' } } });
      }
      await api.send({ send: `PATCH ${target}`, body: { sizes: { t: {} } }, headers: MERGE });
      assert.deepEqual((await api.send({ send: `GET ${target}` })).body.sizes.t, { width: 1, unit: null });
    }
  });
});

const string = { type: 'string' } as const;
const place = { type: 'object', properties: { city: string, zip: string } } as const;
const parts = { type: 'array', items: string } as const;

const objects = defineModel({
  name: 'shop',
  version: '3.0.0',
  default_version: 3,
  resources: {
    products: resource({
      id: 'client',
      schema: {
        type: 'object',
        properties: {
          place,
          spot: { type: 'object', properties: { code: { type: 'string', minLength: 1 }, parts }, required: ['code'] },
          box: { type: 'object', properties: { size: string, parts } },
          text: string,
        },
        required: ['box'],
      },
    }),
  },
  versions: {
    '2.0.0': {
      changes: [
        { resource: 'products', move: { city: 'place.city', size: 'box.size', box_parts: 'box.parts' } },
        {
          resource: 'products',
          type: {
            pair: {
              schema: { type: 'object', properties: { one: { type: 'string' }, other: { type: 'string' } } },
              to: 'text',
              up: (pair) => (pair === null ? null : JSON.stringify(pair)),
              down: (text) => (typeof text === 'string' ? JSON.parse(text) : null),
            },
          },
        },
      ],
    },
    '1.0.0': {
      changes: [
        {
          resource: 'products',
          move: { parts: 'spot.parts', code: 'spot.code', one: 'pair.one', other: 'pair.other' },
        },
      ],
    },
  },
});

describe('an object of which an older contract shows the members elsewhere', () => {
  const own = ['place', 'spot', 'box', 'text'];
  const UNSET = { place: null, spot: null, box: { size: null, parts: [] }, text: null };

  it('[VER-5b] [MET-2] [MET-7] is unset by one PUT, whatever the order of its fields is', async () => {
    await using api = await apiUnderTest(objects);
    for (const version of ['v2', 'v1']) {
      const stored = { place: { city: 'Oslo', zip: '1' }, box: { size: 'L', parts: [] }, spot: { code: 'c' } };
      await api.send({ send: 'PUT /api/v3/products/p', body: stored });
      await api.send({ send: `PUT /api/${version}/products/p`, body: {} });
      const first = (await api.send({ send: 'GET /api/v3/products/p' })).body;
      assert.deepEqual(await read(api, '/api/v3/products/p', ...own), UNSET);
      await api.newEvents();
      await api.send({ send: `PUT /api/${version}/products/p`, body: {} });
      assert.equal((await api.send({ send: 'GET /api/v3/products/p' })).body.revision, first.revision);
      assert.deepEqual(await api.newEvents(), []);
    }
  });

  it('[VER-5a] [VER-5b] [REP-4] shows its unset arrays as empty, and is not set by them', async () => {
    await using api = await apiUnderTest(objects);
    await api.send({ send: 'POST /api/v1/products', body: { id: 'p' } });
    const shown = (await api.send({ send: 'GET /api/v1/products/p' })).body;
    assert.deepEqual([shown.parts, shown.box_parts, shown.code], [[], [], null]);
    assert.deepEqual(await read(api, '/api/v3/products/p', ...own), UNSET);
    const { links: _links, ...sent } = shown;
    await api.send({ send: 'PUT /api/v1/products/p', body: sent });
    assert.equal((await api.send({ send: 'GET /api/v1/products/p' })).body.revision, shown.revision);
    await api.send({ send: 'POST /api/v1/products', body: { ...sent, id: 'q' } });
    assert.deepEqual(await read(api, '/api/v3/products/q', ...own), UNSET);
  });

  it('[VER-5b] [MET-3] is unset with the last member that is set, and kept by the contract that shows it', async () => {
    await using api = await apiUnderTest(objects);
    const patch = (version: string, body: unknown) =>
      api.row({
        send: `PATCH /api/${version}/products/p`,
        headers: MERGE,
        body,
        status: 200,
        events: ['product.updated'],
      });
    await api.send({
      send: 'PUT /api/v3/products/p',
      body: { box: {}, spot: { code: 'c', parts: ['a'] }, place: { city: 'x' } },
    });
    await api.newEvents();
    await patch('v1', { code: null, parts: [] });
    assert.deepEqual(await read(api, '/api/v3/products/p', 'spot'), { spot: null });
    // The second version shows the place without its city.
    await patch('v2', { city: null });
    assert.deepEqual(await read(api, '/api/v2/products/p', 'place', 'city'), { place: { zip: null }, city: null });
    await patch('v2', { place: null });
    assert.deepEqual(await read(api, '/api/v3/products/p', 'place'), { place: null });
  });

  it('[VER-5b] takes all members of a converted value that one write has', async () => {
    await using api = await apiUnderTest(objects);
    await api.send({ send: 'POST /api/v1/products', body: { id: 'p', one: 'a', other: 'b' } });
    assert.deepEqual(await read(api, '/api/v2/products/p', 'pair'), { pair: { one: 'a', other: 'b' } });
    await api.send({ send: 'PUT /api/v1/products/p', body: { one: 'c', other: 'd' } });
    assert.deepEqual(await read(api, '/api/v1/products/p', 'one', 'other'), { one: 'c', other: 'd' });
    await api.send({ send: 'PUT /api/v1/products/p', body: {} });
    assert.deepEqual(await read(api, '/api/v3/products/p', 'text'), { text: null });
  });
});
