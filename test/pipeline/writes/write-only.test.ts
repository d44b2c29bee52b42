import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apiUnderTest } from '../support/api-under-test.ts';
import { create, LAMP, SHOP } from '../models/shop-model.ts';

/** A value that occurs nowhere else, so that a leak can be detected. */
const SECRET = 31_415_926.5;

describe('a write-only field', () => {
  it('[REP-11a] is in no response, event, header or observation', async () => {
    await using shop = await apiUnderTest(SHOP.replaceAll('cache: {', 'events: full\n    cache: {'));
    const sent = { ...LAMP, cost: SECRET };
    const made = await shop.send({ send: 'POST /api/v1/products', body: sent });
    const self = `/api/v1/products/${String(made.body['id'])}`;
    const answers = [made];
    for (const [send, body] of [
      [`GET ${self}`, undefined],
      ['GET /api/v1/products', undefined],
      [`PATCH ${self}`, { cost: SECRET + 1 }],
      [`PUT ${self}`, { ...sent, name: 'Chair' }],
      [`PATCH ${self}`, { cost: `${SECRET}` }],
      ['POST /api/v1/products', { ...sent, sku: '' }],
      [`DELETE ${self}`, undefined],
    ] as const) {
      answers.push(await shop.send({ send, ...(body === undefined ? {} : { body }) }));
    }
    const visible = [
      answers.map(({ text, headers }) => [text, [...headers]]),
      await shop.newEvents(),
      shop.observations,
    ];
    assert.ok(!JSON.stringify(visible).includes('31415926'));
    assert.ok(!JSON.stringify(answers.filter(({ status }) => status < 400).map(({ text }) => text)).includes('cost'));
  });

  it('[REP-11a] is not listed as changed, although its change counts', async () => {
    await using shop = await apiUnderTest(SHOP);
    await shop.send({ send: 'POST /api/v1/products', body: { ...LAMP, cost: 1 } });
    const [created] = await shop.newEvents();
    assert.deepEqual(created?.payload.changed_fields.includes('cost'), false);
    const self = `/api/v1/products/${created?.payload.resource.id ?? ''}`;
    const { body: before } = await shop.row({ send: `GET ${self}`, status: 200 });
    const { body: changed } = await shop.send({ send: `PATCH ${self}`, body: { cost: 2 } });
    const [updated, ...more] = await shop.newEvents();
    assert.deepEqual([updated?.type, updated?.payload.changed_fields, more], ['product.updated', [], []]);
    assert.notEqual(changed['revision'], before['revision']);
  });

  it('[REP-11a] keeps its value when a PUT omits it', async () => {
    await using shop = await apiUnderTest(SHOP);
    const { id } = await create(shop, 'products', { ...LAMP, cost: 1 });
    const send = `PUT /api/v1/products/${id}`;
    await shop.row({ send, body: LAMP, status: 200 });
    await shop.row({ send, body: { ...LAMP, cost: 1 }, status: 200 });
    await shop.row({ send, body: { ...LAMP, cost: null }, status: 200, events: ['product.updated'] });
  });

  const unknown: readonly (readonly [query: string, code: string])[] = [
    ['cost=1', 'REQUEST_PARAMETER_UNKNOWN'],
    ['cost[in]=1,2', 'REQUEST_PARAMETER_UNKNOWN'],
    ['filter[cost]=1', 'REQUEST_PARAMETER_UNKNOWN'],
    ['costs=1', 'REQUEST_PARAMETER_UNKNOWN'],
    ['sort=cost', 'QUERY_SORT_INVALID'],
    ['sort=-name,cost', 'QUERY_SORT_INVALID'],
    ['sort=nothing', 'QUERY_SORT_INVALID'],
  ];
  for (const [query, errorCode] of unknown) {
    it(`[REP-11a] is unknown in ${query}, and never suggested`, async () => {
      await using shop = await apiUnderTest(SHOP);
      const { body } = await shop.row({ send: `GET /api/v1/products?${query}`, status: 400, has: { errorCode } });
      const suggested = String(body['details']?.[0]?.['message']).replace(/"cost"/, '');
      assert.doesNotMatch(suggested, /cost/);
    });
  }

  const patches: readonly (readonly [operation: object, status: number])[] = [
    [{ op: 'test', path: '/cost', value: 1 }, 409],
    [{ op: 'copy', from: '/cost', path: '/weight' }, 409],
    [{ op: 'move', from: '/cost', path: '/weight' }, 409],
    [{ op: 'remove', path: '/cost' }, 409],
    [{ op: 'replace', path: '/cost', value: 2 }, 409],
    [{ op: 'add', path: '/cost', value: 2 }, 200],
  ];
  for (const [operation, status] of patches) {
    it(`[REP-11a] cannot be read by JSON Patch: ${JSON.stringify(operation)} is ${status}`, async () => {
      await using shop = await apiUnderTest(SHOP);
      const { id } = await create(shop, 'products', { ...LAMP, cost: 1 });
      const headers = { 'Content-Type': 'application/json-patch+json' };
      const events = status === 200 ? ['product.updated'] : [];
      await shop.row({ send: `PATCH /api/v1/products/${id}`, headers, body: [operation], status, events });
    });
  }
});
