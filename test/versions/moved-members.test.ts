import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apiUnderTest } from '../pipeline/support/api-under-test.ts';

const MODEL = `
name: shop
version: 2.0.0
default_version: 2
resources:
  products:
    id: client
    events: full
    schema:
      type: object
      properties:
        name: { type: string }
        code: { type: string }
        place: { type: object, properties: { city: { type: string }, shelf: { type: integer } } }
        size:
          type: object
          properties: { width: { type: integer }, parts: { type: array, items: { type: integer } } }
versions:
  1.0.0:
    changes:
      - { resource: products, move: { city: place.city, size.code: code } }
`;

type Values = Readonly<Record<string, unknown>>;

const MERGE = { 'Content-Type': 'application/merge-patch+json' };
const UNSET = { name: null, code: null, place: null, size: null };
const OLDER_UNSET = { name: null, city: null, place: null, size: null };

async function open() {
  const api = await apiUnderTest(MODEL);
  const send = async (target: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const response = await api.send({ send: target, body, headers });
    assert.ok(response.status < 300, response.text);
    return response.body;
  };
  /** The own fields of a product in a version. */
  const read = async (version: string, id: string): Promise<Values> => {
    const {
      created_at: _at,
      updated_at: _on,
      revision: _revision,
      links: _links,
      id: _id,
      ...own
    } = await send(`GET /api/${version}/products/${id}`);
    return own;
  };
  return { send, read, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

describe('unset members of a moved field', () => {
  const shown: readonly (readonly [stored: Values, older: Values])[] = [
    [{}, OLDER_UNSET],
    [{ code: 'X' }, { ...OLDER_UNSET, size: { width: null, parts: [], code: 'X' } }],
    [{ size: { width: 3 } }, { ...OLDER_UNSET, size: { width: 3, parts: [], code: null } }],
    [{ place: { city: 'Oslo' } }, { ...OLDER_UNSET, city: 'Oslo', place: { shelf: null } }],
    [{ place: { shelf: 2 } }, { ...OLDER_UNSET, place: { shelf: 2 } }],
  ];

  it('[VER-5a] [REP-4] make no object, and are complete in one that has a set member', async () => {
    await using shop = await open();
    for (const [index, [stored, older]] of shown.entries()) {
      await shop.send('POST /api/v2/products', { id: `p${index}`, ...stored });
      assert.deepEqual(await shop.read('v1', `p${index}`), older, JSON.stringify(stored));
    }
  });

  it('[VER-5b] change nothing where they are written as they were read', async () => {
    await using shop = await open();
    for (const [index, [stored, older]] of shown.entries()) {
      const [id, copy] = [`p${index}`, `copy${index}`];
      await shop.send('POST /api/v2/products', { id, ...stored });
      const before = await shop.read('v2', id);
      await shop.send(`PUT /api/v1/products/${id}`, older);
      assert.deepEqual(await shop.read('v2', id), before, JSON.stringify(stored));
      await shop.send('POST /api/v1/products', { id: copy, ...older });
      assert.deepEqual(await shop.read('v1', copy), older, JSON.stringify(stored));
    }
  });

  it('[VER-5b] are written where the newest contract has them, and set no object there', async () => {
    await using shop = await open();
    const created: readonly (readonly [older: Values, stored: Values])[] = [
      [{}, UNSET],
      [{ city: null, size: null }, UNSET],
      [{ city: 'Oslo' }, { ...UNSET, place: { city: 'Oslo', shelf: null } }],
      [
        { city: null, place: { shelf: 1 } },
        { ...UNSET, place: { city: null, shelf: 1 } },
      ],
      [{ size: { code: null, width: 1 } }, { ...UNSET, size: { width: 1, parts: [] } }],
    ];
    for (const [index, [older, stored]] of created.entries()) {
      await shop.send('POST /api/v1/products', { id: `p${index}`, ...older });
      assert.deepEqual(await shop.read('v2', `p${index}`), stored, JSON.stringify(older));
    }
  });

  it('[VER-5b] [MET-3] are unset by a patch, which keeps the members beside them', async () => {
    await using shop = await open();
    const stored = { ...UNSET, code: 'X', place: { city: 'Oslo', shelf: 2 }, size: { width: 3, parts: [1] } };
    await shop.send('POST /api/v2/products', { id: 'a', ...stored });
    const patched: readonly (readonly [patch: Values, after: Values])[] = [
      [{ city: null }, { ...stored, place: { city: null, shelf: 2 } }],
      [{ size: { code: null } }, { ...stored, place: { city: null, shelf: 2 }, code: null }],
      [{ size: null }, { ...stored, place: { city: null, shelf: 2 }, code: null, size: null }],
      [{ place: null }, UNSET],
    ];
    for (const [patch, after] of patched) {
      await shop.send('PATCH /api/v1/products/a', patch, MERGE);
      assert.deepEqual(await shop.read('v2', 'a'), after, JSON.stringify(patch));
    }
  });
});
