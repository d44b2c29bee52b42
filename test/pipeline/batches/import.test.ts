import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RowImportOutcome } from '../../../src/api.ts';
import type { Json } from '../../../src/conventions/json/json.ts';
import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';
import { create, parseIds, LAMP, SHOP } from '../models/shop-model.ts';

/** A collection with references to itself and a nested collection. */
const TREE = `
name: tree
version: 1.0.0
resources:
  nodes:
    id: client
    schema:
      type: object
      required: [name]
      properties:
        name: { type: string, minLength: 1, x-unique: true }
        head_id: { type: string, x-references: nodes }
        phase: { type: string, enum: [NEW, OPEN], default: NEW }
        made_by: { type: string, readOnly: true }
        secret: { type: string, writeOnly: true }
    state: { field: phase, initial: NEW, transitions: { NEW: [OPEN] } }
  leaves: { singular: leaf, parent: nodes, schema: { type: object, required: [size], properties: { size: { type: integer } } } }
  veins: { parent: leaves, schema: { type: object, properties: { size: { type: integer } } } }
`;

/** Lists the row numbers and codes of the errors; empty if all rows were stored. */
function listErrors(outcome: RowImportOutcome): readonly string[] {
  return outcome.kind === 'stored' ? [] : outcome.errors.map(({ row, code }) => `${row} ${code}`);
}

const count = async (api: ApiUnderTest, path: string): Promise<number> =>
  (await api.send({ send: `GET /api/v1/${path}?page=1&include_total=true` })).body['page']['total_count'];

describe('Api.importRows', () => {
  it('[EVT-2] publishes no events where they are left out, and those of later changes', async () => {
    await using api = await apiUnderTest(TREE);
    const bookmark = { name: 'import', value: '1' };
    const outcome = await api.api.importRows('nodes', [{ id: 'a', name: 'A' }], bookmark, { events: false });
    assert.deepEqual(outcome, { kind: 'stored', count: 1 });
    assert.equal(await count(api, 'nodes'), 1);
    assert.deepEqual(await api.newEvents(), []);
    await api.row({ send: 'DELETE /api/v1/nodes/a', status: 204, events: ['node.deleted'] });
  });

  it('[MET-1] stores a row like POST stores a body', async () => {
    await using ingested = await apiUnderTest(SHOP);
    await using posted = await apiUnderTest(SHOP);
    const body = {
      ...LAMP,
      price: '05.5',
      tags: null,
      released_at: '2026-01-01T01:00:00+01:00',
      cost: 3,
      size: { unit: 'mm' },
    };
    assert.deepEqual(await ingested.api.importRows('products', [body]), { kind: 'stored', count: 1 });
    await create(posted, 'products', body);
    const shown = await Promise.all(
      [ingested, posted].map(async (api) => {
        const { id, links, ...rest } = (await api.send({ send: 'GET /api/v1/products' })).body['data'][0];
        assert.ok(links['self'].endsWith(id));
        return rest;
      }),
    );
    assert.deepEqual(shown[0], shown[1]);
  });

  it('[EVT-1] publishes one event per row, in order, with one correlation id', async () => {
    await using api = await apiUnderTest(TREE);
    await api.api.importRows('nodes', [
      { id: 'b', name: 'B' },
      { id: 'a', name: 'A', secret: 's' },
    ]);
    const events = await api.newEvents();
    assert.deepEqual(
      events.map(({ type, payload }) => `${type} ${payload.resource.id}`),
      ['node.created b', 'node.created a'],
    );
    assert.equal(new Set(events.map(({ metadata }) => metadata.correlation_id)).size, 1);
    assert.deepEqual(events[1]?.payload.changed_fields, ['name', 'phase']);
    assert.equal(events[0]?.payload.resource.url, 'http://127.0.0.1:3000/api/v1/nodes/b');
  });

  it('[PAGE-9b] updates the total, and preserves the row order in the default order', async () => {
    await using api = await apiUnderTest(SHOP);
    await api.api.importRows(
      'suppliers',
      Array.from({ length: 250 }, (_, index) => ({ name: String(index) })),
    );
    assert.equal(await count(api, 'suppliers'), 250);
    const { body } = await api.send({ send: 'GET /api/v1/suppliers?limit=100&page=2' });
    assert.deepEqual(
      body['data'].map(({ name }: { name: string }) => name),
      Array.from({ length: 100 }, (_, index) => String(index + 100)),
    );
  });

  it('[ERR-3] reports every invalid row with all its errors, and stores none', async () => {
    await using api = await apiUnderTest(TREE);
    const rows = [
      { id: 'ok', name: 'ok' },
      { id: 'x', name: '', colour: 1 },
      7,
      null,
      [],
      { name: 'no id' },
      { id: 'y', name: 'y', phase: 'GONE' },
    ];
    const outcome = await api.api.importRows('nodes', rows);
    assert.deepEqual(listErrors(outcome), [
      '1 NODE_INVALID',
      '2 NODE_INVALID',
      '3 NODE_INVALID',
      '4 NODE_INVALID',
      '5 NODE_INVALID',
      '6 NODE_INVALID',
    ]);
    const details =
      outcome.kind === 'refused'
        ? outcome.errors.map((error) => error.details.map(({ field }) => field).toSorted())
        : [];
    assert.deepEqual(details, [['colour', 'name'], ['body'], ['body'], ['body'], ['id'], ['phase']]);
    assert.deepEqual(await api.newEvents(), []);
    assert.equal(await count(api, 'nodes'), 0);
  });

  const refusedByStore: readonly (readonly [title: string, rows: readonly Json[], expected: string])[] = [
    [
      'an existing id',
      [
        { id: 'n', name: 'n' },
        { id: 'there', name: 'x' },
      ],
      '1 NODE_ALREADY_EXISTS',
    ],
    ['a duplicate unique value', [{ id: 'n', name: 'There' }], '0 NODE_ALREADY_EXISTS'],
    [
      'a repeated id',
      [
        { id: 'n', name: 'n' },
        { id: 'n', name: 'm' },
      ],
      '1 NODE_ALREADY_EXISTS',
    ],
    [
      'a repeated unique value',
      [
        { id: 'n', name: 'n' },
        { id: 'm', name: 'm' },
        { id: 'o', name: 'n' },
      ],
      '2 NODE_ALREADY_EXISTS',
    ],
    [
      'a missing reference',
      [
        { id: 'n', name: 'n' },
        { id: 'm', name: 'm', head_id: 'missing' },
      ],
      '1 NODE_INVALID',
    ],
  ];
  for (const [title, rows, expected] of refusedByStore) {
    it(`[MET-10] reports the first row that the store refuses, and stores none: ${title}`, async () => {
      await using api = await apiUnderTest(TREE);
      await create(api, 'nodes', { id: 'there', name: 'There' });
      assert.deepEqual(listErrors(await api.api.importRows('nodes', rows)), [expected]);
      assert.deepEqual(await api.newEvents(), []);
      assert.deepEqual(parseIds(await api.send({ send: 'GET /api/v1/nodes' })), ['there']);
    });
  }

  it('[MET-10] allows references to earlier rows and to the row itself', async () => {
    await using api = await apiUnderTest(TREE);
    const outcome = await api.api.importRows('nodes', [
      { id: 'a', name: 'a', head_id: 'a' },
      { id: 'b', name: 'b', head_id: 'a' },
    ]);
    assert.equal(outcome.kind, 'stored');
  });

  it('[URL-7] stores a row below the parent that it names', async () => {
    await using api = await apiUnderTest(TREE);
    for (const id of ['a', 'b']) await create(api, 'nodes', { id, name: id });
    const stored = await api.api.importRows('leaves', [
      { node_id: 'a', size: 1 },
      { node_id: 'b', size: 2 },
    ]);
    assert.equal(stored.kind, 'stored');
    const { body } = await api.send({ send: 'GET /api/v1/nodes/b/leaves' });
    assert.deepEqual(
      body['data'].map((leaf: { size: number }) => leaf.size),
      [2],
    );
    const events = await api.newEvents();
    assert.deepEqual(
      events.map(({ payload }) => payload.parents),
      [[{ type: 'node', id: 'a' }], [{ type: 'node', id: 'b' }]],
    );
  });

  const orphans: readonly (readonly [row: Json, code: string])[] = [
    [{ size: 1 }, 'LEAF_INVALID'],
    [{ node_id: null, size: 1 }, 'LEAF_INVALID'],
    [{ node_id: 7, size: 1 }, 'LEAF_INVALID'],
    [{ node_id: 'missing', size: 1 }, 'NODE_NOT_FOUND'],
  ];
  for (const [row, code] of orphans) {
    it(`[URL-7] rejects a row without a parent: ${JSON.stringify(row)}`, async () => {
      await using api = await apiUnderTest(TREE);
      await create(api, 'nodes', { id: 'a', name: 'a' });
      const outcome = await api.api.importRows('leaves', [{ node_id: 'a', size: 1 }, row]);
      assert.deepEqual(listErrors(outcome), [`1 ${code}`]);
      assert.equal(await count(api, 'nodes/a/leaves'), 0);
      if (code === 'LEAF_INVALID' && outcome.kind === 'refused') {
        assert.deepEqual(
          outcome.errors[0]?.details.map(({ field }) => field),
          ['node_id'],
          'and says which field is missing',
        );
      }
    });
  }

  it('[MET-1] rejects unknown collections, also nested ones', async () => {
    await using api = await apiUnderTest(TREE);
    for (const name of ['nothing', 'node', '', '__proto__']) {
      await assert.rejects(api.api.importRows(name, []), RangeError, name);
    }
  });

  it('restores ids, timestamps, read-only fields and states from the row', async () => {
    await using api = await apiUnderTest(TREE);
    await create(api, 'nodes', { id: 'a', name: 'a' });
    const kept = {
      id: 'b',
      name: 'b',
      made_by: 'me',
      phase: 'OPEN',
      created_at: '2020-01-01T00:00:00.000Z',
      updated_at: '2021-01-01T00:00:00.000Z',
    };
    assert.equal((await api.api.importRows('nodes', [{ ...kept, revision: 99, links: {} }])).kind, 'stored');
    const { body } = await api.send({ send: 'GET /api/v1/nodes/b' });
    assert.deepEqual({ ...body, ...kept }, body);
    assert.notEqual(body['revision'], 99);
    const id = '01980000-0000-7000-8000-000000000000';
    assert.equal((await api.api.importRows('leaves', [{ id, node_id: 'a', size: 1 }])).kind, 'stored');
    await api.newEvents();
    await api.row({ send: `GET /api/v1/nodes/a/leaves/${id}`, status: 200 });
    for (const row of [{ id: 'mine' }, { id: 5 }, { created_at: 'x' }, { updated_at: 5 }]) {
      const refused = await api.api.importRows('leaves', [{ node_id: 'a', size: 1, ...row }]);
      assert.deepEqual(listErrors(refused), ['0 LEAF_INVALID'], JSON.stringify(row));
    }
  });

  it('[EVT-2] [URL-7] finds the ancestors of a nested row, also for its events', async () => {
    await using api = await apiUnderTest(TREE);
    await create(api, 'nodes', { id: 'a', name: 'a' });
    const leaf = await create(api, 'nodes/a/leaves', { size: 1 });
    assert.equal((await api.api.importRows('veins', [{ leaf_id: leaf.id, size: 2 }])).kind, 'stored');
    const [event] = await api.newEvents();
    assert.deepEqual(event?.payload.parents, [
      { type: 'leaf', id: leaf.id },
      { type: 'node', id: 'a' },
    ]);
    assert.deepEqual(listErrors(await api.api.importRows('veins', [{ leaf_id: 'none' }])), ['0 LEAF_NOT_FOUND']);
  });
});

describe('the bookmark of an import', () => {
  const bookmark = { name: 'import nodes', value: '1 line' };

  it('[MET-1] commits with the rows', async () => {
    await using api = await apiUnderTest(TREE);
    assert.equal(await api.store.bookmarks.get(bookmark.name), null);
    await api.api.importRows('nodes', [{ id: 'a', name: 'a' }], bookmark);
    assert.equal(await api.store.bookmarks.get(bookmark.name), bookmark.value);
    await api.api.importRows('nodes', [{ id: 'b', name: 'b' }], { ...bookmark, value: '2 lines' });
    assert.equal(await api.store.bookmarks.get(bookmark.name), '2 lines');
  });

  it('[MET-1] does not change if the rows are rejected by the schema or the store', async () => {
    await using api = await apiUnderTest(TREE);
    await api.api.importRows('nodes', [{ id: 'a', name: 'a' }], bookmark);
    for (const row of [{ id: 'b' }, { id: 'a', name: 'b' }]) {
      const outcome = await api.api.importRows('nodes', [row], { ...bookmark, value: '2 lines' });
      assert.equal(outcome.kind, 'refused');
      assert.equal(await api.store.bookmarks.get(bookmark.name), bookmark.value);
    }
  });

  it('[MET-1] advances without rows', async () => {
    await using api = await apiUnderTest(TREE);
    assert.deepEqual(await api.api.importRows('nodes', [], bookmark), { kind: 'stored', count: 0 });
    assert.equal(await api.store.bookmarks.get(bookmark.name), bookmark.value);
  });
});
