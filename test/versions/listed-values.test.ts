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
        labels: { type: array, items: { type: string, enum: [NEW, SALE, LAST] } }
        levels: { type: array, items: { type: integer } }
        kinds: { type: array, items: { type: string, enum: [TOOL, PART, SPARE] } }
        box: { type: object, properties: { marks: { type: array, items: { type: string, enum: [RED, BLUE] } } } }
versions:
  1.0.0:
    changes:
      - { resource: products, values: { labels: { new: NEW, sale: SALE }, levels: { "1": 10, "2": 20 } } }
      - { resource: products, values: { kinds: { part: PART } }, default_out: { kinds: { SPARE: part } } }
      - { resource: products, values: { box.marks: { red: RED } } }
`;

const MERGE = { 'Content-Type': 'application/merge-patch+json' };
const JSON_PATCH = { 'Content-Type': 'application/json-patch+json' };

/** The lists of a product in both versions. */
const NEWEST = {
  labels: ['NEW', 'LAST', 'SALE', 'NEW'],
  levels: [10, 3, 20],
  kinds: ['SPARE', 'TOOL', 'PART'],
  box: { marks: ['BLUE', 'RED'] },
};
const OLDER = {
  labels: ['new', 'LAST', 'sale', 'new'],
  levels: [1, 3, 2],
  kinds: ['part', 'TOOL', 'part'],
  box: { marks: ['BLUE', 'red'] },
};

async function open() {
  const api = await apiUnderTest(MODEL);
  const send = async (target: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const response = await api.send({ send: target, body, headers });
    assert.ok(response.status < 300, response.text);
    return response.body;
  };
  const lists = async (version: string, id: string) => {
    const { labels, levels, kinds, box } = await send(`GET /api/${version}/products/${id}`);
    return { labels, levels, kinds, box };
  };
  return { api, send, lists, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

describe('values of items that differ in an older contract', () => {
  it('[VER-5a] are mapped in each item of a list when it is read, and what is not listed stays', async () => {
    await using shop = await open();
    await shop.send('POST /api/v2/products', { id: 'a', ...NEWEST });
    assert.deepEqual(await shop.lists('v1', 'a'), OLDER);
    const { data } = await shop.send('GET /api/v1/products');
    assert.deepEqual(data[0].labels, OLDER.labels);
    const [{ payload }] = (await shop.send('GET /api/v1/events')).data;
    assert.deepEqual([payload.data.labels, payload.data.box], [OLDER.labels, OLDER.box]);
  });

  it('[VER-5b] are mapped in each item of a list when it is written', async () => {
    await using shop = await open();
    await shop.send('POST /api/v1/products', { id: 'a', ...OLDER });
    assert.deepEqual(await shop.lists('v2', 'a'), { ...NEWEST, kinds: ['PART', 'TOOL', 'PART'] });
    await shop.send('PATCH /api/v1/products/a', { labels: ['LAST', 'sale'] }, MERGE);
    assert.deepEqual((await shop.lists('v2', 'a')).labels, ['LAST', 'SALE']);
    const added = [{ op: 'add', path: '/labels/-', value: 'new' }];
    await shop.send('PATCH /api/v1/products/a', added, JSON_PATCH);
    assert.deepEqual((await shop.lists('v2', 'a')).labels, ['LAST', 'SALE', 'NEW']);
    await shop.send('PATCH /api/v1/products/a', { box: { marks: ['red'] } }, MERGE);
    assert.deepEqual((await shop.lists('v2', 'a')).box, { marks: ['RED'] });
  });

  it('[VER-5b] keep their stored values where the list is written as it was read', async () => {
    await using shop = await open();
    await shop.send('POST /api/v2/products', { id: 'a', ...NEWEST });
    await shop.send('PUT /api/v1/products/a', OLDER);
    assert.deepEqual(await shop.lists('v2', 'a'), NEWEST);
    await shop.send('PUT /api/v1/products/a', { ...OLDER, kinds: ['TOOL', 'part', 'part'] });
    assert.deepEqual((await shop.lists('v2', 'a')).kinds, ['TOOL', 'PART', 'PART']);
  });

  it('[VER-5a] [REP-4] are mapped in the default of a list, and of a member that is a list', async () => {
    const kinds = 'type: array, items: { type: string, enum: [TOOL, PART, SPARE] }, default: [SPARE, TOOL]';
    const marks = 'type: array, items: { type: string, enum: [RED, BLUE] }, default: [RED]';
    const text = `
name: shop
version: 2.0.0
default_version: 2
resources:
  products:
    id: client
    schema: { type: object, properties: { kinds: { ${kinds} }, box: { type: object, properties: { marks: { ${marks} } } } } }
versions:
  1.0.0:
    changes:
      - { resource: products, values: { kinds: { part: SPARE, tool: TOOL }, box.marks: { red: RED } }, default_out: { kinds: { PART: part } } }
`;
    await using api = await apiUnderTest(text);
    await api.send({ send: 'POST /api/v1/products', body: { id: 'a', box: {} } });
    const older = (await api.send({ send: 'GET /api/v1/products/a' })).body;
    const newest = (await api.send({ send: 'GET /api/v2/products/a' })).body;
    assert.deepEqual([older.kinds, older.box], [['part', 'tool'], { marks: ['red'] }]);
    assert.deepEqual([newest.kinds, newest.box], [['SPARE', 'TOOL'], { marks: ['RED'] }]);
  });

  it('[VER-5a] [REP-4] are mapped in the default of an object, whose members have their older names', async () => {
    const text = `
name: shop
version: 2.0.0
default_version: 2
resources:
  products:
    id: client
    schema:
      type: object
      properties:
        box:
          type: object
          properties:
            kinds: { type: array, items: { type: string, enum: [TOOL, PART] } }
            size: { type: integer }
            code: { type: string }
            in: { type: object, properties: { mark: { type: string, enum: [RED] } } }
          default: { kinds: [TOOL], size: 3, code: x, in: { mark: RED } }
versions:
  1.0.0:
    changes:
      - { resource: products, values: { box.sorts: { tool: TOOL }, box.in.mark: { red: RED } } }
      - { resource: products, rename: { box.sorts: box.kinds }, move: { code: box.code } }
`;
    await using api = await apiUnderTest(text);
    await api.send({ send: 'POST /api/v1/products', body: { id: 'a' } });
    const { box, code } = (await api.send({ send: 'GET /api/v1/products/a' })).body;
    assert.deepEqual({ box, code }, { box: { sorts: ['tool'], size: 3, in: { mark: 'red' } }, code: null });
  });

  it('[VER-5a] [ERR-3] are refused by their names and places where the contract does not have them', async () => {
    await using shop = await open();
    const body = { id: 'a', labels: ['new', 'NEW'], kinds: ['PART'], box: { marks: ['red', 'RED'] } };
    const { status, body: error } = await shop.api.send({ send: 'POST /api/v1/products', body });
    assert.equal(status, 400);
    assert.deepEqual(error.details, [
      { field: 'labels[1]', message: 'must be one of new, sale, LAST' },
      { field: 'kinds[0]', message: 'must be one of TOOL, part' },
      { field: 'box.marks[1]', message: 'must be one of red, BLUE' },
    ]);
  });

  it('[VER-5a] [QRY-1] cannot be filtered by, although the newest contract can', async () => {
    await using shop = await open();
    await shop.send('POST /api/v2/products', { id: 'a', ...NEWEST });
    const found = await shop.send('GET /api/v2/products?labels[contains]=SALE');
    assert.equal(found.data.length, 1);
    for (const filter of ['labels[contains]=sale', 'labels[contains]=SALE', 'labels[exists]=true']) {
      const { status, body } = await shop.api.send({ send: `GET /api/v1/products?${filter}` });
      assert.deepEqual([status, body.errorCode], [400, 'QUERY_FILTER_INVALID'], filter);
    }
  });
});
