import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest, type ExchangeRow } from '../support/api-under-test.ts';

const MODEL = `
name: shop
resources:
  makers:
    schema: { type: object, properties: { name: { type: string } } }
  parts:
    parent: makers
    schema: { type: object, properties: { name: { type: string } } }
  codes:
    id: client
    schema: { type: object, properties: { text: { type: string } } }
  products:
    id: client
    schema:
      type: object
      properties:
        device: { type: string, format: uuid, x-unique: true }
        kind: { type: string, format: uuid, enum: [0198c0de-7a1b-7c3d-8e4f-5a6b7c8d9e0f, 0198C0DE-7A1B-7C3D-8E4F-5A6B7C8D9EFF] }
        devices: { type: array, items: { type: string, format: uuid }, uniqueItems: true }
        places: { type: object, additionalProperties: { type: string, format: uuid } }
        nested: { type: object, properties: { key: { type: string, format: uuid } } }
        maker_id: { type: string, x-references: { resource: makers, inverse: products } }
        maker_ids: { type: array, items: { type: string, x-references: { resource: makers, as: makers } } }
        code_id: { type: string, format: uuid, x-references: codes }
`;

const LOWER = 'abcdef01-7a1b-7c3d-8e4f-5a6b7c8d9e0f';
const UPPER = LOWER.toUpperCase();
const OTHER = 'abcdef02-7a1b-7c3d-8e4f-5a6b7c8d9e0f';

/** A shop with a maker, a part of it, and a product; the id of the maker. */
async function shop(): Promise<{ readonly api: ApiUnderTest; readonly maker: string; readonly part: string }> {
  const api = await apiUnderTest(MODEL);
  const made = await api.send({ send: 'POST /api/v1/makers', body: { name: 'm' } });
  const maker: string = made.body['id'];
  const part = await api.send({ send: `POST /api/v1/makers/${maker}/parts`, body: { name: 'p' } });
  await api.send({ send: 'POST /api/v1/products', body: { id: 'p', device: UPPER, maker_id: maker.toUpperCase() } });
  await api.newEvents();
  return { api, maker, part: part.body['id'] };
}

const CREATED = { status: 201, events: ['product.created'] };

describe('a UUID', () => {
  it('[REP-2] is read in any case and written in lower case, in every place of a body', async () => {
    const { api, maker } = await shop();
    await using _ = api;
    const sent = {
      id: 'q',
      device: OTHER.toUpperCase(),
      kind: '0198c0de-7a1b-7c3d-8e4f-5a6b7c8d9eff',
      devices: [UPPER],
      places: { [UPPER]: UPPER },
      nested: { key: UPPER },
      maker_id: maker.toUpperCase(),
      maker_ids: [maker.toUpperCase()],
    };
    const has = {
      device: OTHER,
      kind: '0198c0de-7a1b-7c3d-8e4f-5a6b7c8d9eff',
      devices: [LOWER],
      places: { [UPPER]: LOWER },
      nested: { key: LOWER },
      maker_id: maker,
      maker_ids: [maker],
    };
    await api.row({ send: 'POST /api/v1/products', body: sent, has, ...CREATED });
    await api.row({ send: 'GET /api/v1/products/q', has, status: 200 });
    const xml = `<product><id>x</id><maker_id>${maker.toUpperCase()}</maker_id></product>`;
    const headers = { 'Content-Type': 'application/xml' };
    await api.row({ send: 'POST /api/v1/products', headers, body: xml, has: { maker_id: maker }, ...CREATED });
  });

  it('[MET-10] is unique by value, in a field and in an array', async () => {
    const { api } = await shop();
    await using _ = api;
    const send = 'POST /api/v1/products';
    await api.row({ send, body: { id: 'q', device: LOWER }, status: 409 });
    await api.row({ send, body: { id: 'q', device: UPPER }, status: 409 });
    await api.row({ send, body: { id: 'q', devices: [LOWER, UPPER] }, status: 400 });
  });

  it('[REP-2] does not change a row when it is sent in another case', async () => {
    const { api, maker } = await shop();
    await using _ = api;
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const body = { device: UPPER, maker_id: maker.toUpperCase() };
    await api.row({ send: 'PATCH /api/v1/products/p', headers, body, status: 200, events: [] });
    const own = { id: maker.toUpperCase(), name: 'm' };
    await api.row({ send: `PUT /api/v1/makers/${maker}`, body: own, status: 200, events: [] });
  });

  it('[QRY-7] is compared by value in every operator', async () => {
    const { api, maker } = await shop();
    await using _ = api;
    const found = async (query: string): Promise<number> => {
      const seen = await api.row({ send: `GET /api/v1/products?${query}`, status: 200 });
      return seen.body['data'].length;
    };
    const high = 'ABCDEF02-0000-0000-0000-000000000000';
    for (const query of [
      `device=${UPPER}`,
      `device[in]=${high},${UPPER}`,
      `device[lt]=${high}`,
      `device[gte]=${UPPER}`,
      'device[starts_with]=ABCDEF01',
      'device[contains]=7A1B',
      `device[ne]=${high}`,
      `maker_id=${maker.toUpperCase()}`,
      `maker.id=${maker.toUpperCase()}`,
    ])
      assert.equal(await found(query), 1, query);
    for (const query of [`device[gt]=${high}`, `device[ne]=${UPPER}`, `device[nin]=${UPPER}`])
      assert.equal(await found(query), 0, query);
    const makers = await api.row({ send: `GET /api/v1/makers?id=${maker.toUpperCase()}`, status: 200 });
    assert.equal(makers.body['data'].length, 1);
  });

  it('[URL-1] of the server in a path answers 308 to the one in lower case, with its query', async () => {
    const { api, maker, part } = await shop();
    await using _ = api;
    const [upper, own] = [maker.toUpperCase(), part.toUpperCase()];
    const moved = (send: string, to: string): ExchangeRow => ({
      send,
      status: 308,
      expectHeaders: { Location: `/api/v1/makers/${to}` },
    });
    await api.row(moved(`GET /api/v1/makers/${upper}?fields=name`, `${maker}?fields=name`));
    await api.row(moved(`HEAD /api/v1/makers/${upper}`, maker));
    await api.row(moved(`GET /api/v1/makers/${upper}/parts?limit=1`, `${maker}/parts?limit=1`));
    await api.row({ ...moved(`PATCH /api/v1/makers/${maker}/parts/${own}`, `${maker}/parts/${part}`), body: {} });
    await api.row({ ...moved(`POST /api/v1/makers/${upper}/parts`, `${maker}/parts`), body: {} });
    await api.row(moved(`DELETE /api/v1/makers/${upper}/parts/${own}`, `${maker}/parts/${part}`));
    await api.row({
      send: `GET /api/makers/${upper}`,
      status: 308,
      expectHeaders: { Location: `/api/makers/${maker}` },
    });
    await api.row({ send: `GET /api/v1/makers/${upper.slice(1)}`, status: 404 });
  });

  it('[REP-2] of a client is bytes, also where a field of the format refers to it', async () => {
    const { api } = await shop();
    await using _ = api;
    await api.row({ send: 'POST /api/v1/codes', body: { id: UPPER }, status: 201, events: ['code.created'] });
    await api.row({ send: `GET /api/v1/codes/${UPPER}`, status: 200, has: { id: UPPER } });
    await api.row({ send: `GET /api/v1/codes/${LOWER}`, status: 404 });
    await api.row({
      send: 'POST /api/v1/products',
      body: { id: 'q', code_id: UPPER },
      has: { code_id: UPPER },
      ...CREATED,
    });
    await api.row({ send: 'POST /api/v1/products', body: { id: 'r', code_id: LOWER }, status: 400 });
  });

  it('[MET-13] is read in any case by the operations of a batch', async () => {
    const { api, maker } = await shop();
    await using _ = api;
    const upper = maker.toUpperCase();
    const operations = [
      {
        method: 'PATCH',
        path: `/makers/${upper}`,
        body: { name: 'n' },
        headers: { 'Content-Type': 'application/merge-patch+json' },
      },
      { method: 'POST', path: `/makers/${upper}/parts`, body: { name: 'q' } },
      { method: 'POST', path: '/products', body: { id: 'q', maker_id: upper } },
    ];
    const seen = await api.row({
      send: 'POST /api/v1/batches',
      body: { atomic: true, operations },
      status: 201,
      events: ['maker.updated', 'part.created', 'product.created'],
    });
    const [, part, product] = seen.body['results'];
    assert.deepEqual([part.body.maker_id, product.body.maker_id], [maker, maker]);
  });

  it('[EVT-8a] [REP-2] selects events by value, and the id of a client by its bytes', async () => {
    const { api, maker } = await shop();
    await using _ = api;
    const upper = maker.toUpperCase();
    for (const id of [upper, LOWER]) await api.send({ send: 'POST /api/v1/codes', body: { id } });
    await api.send({ send: `PUT /api/v1/makers/${maker}`, body: { name: 'n' } });
    await api.newEvents();
    const rows: readonly (readonly [query: string, types: readonly string[]])[] = [
      [`resource_id=${maker}`, ['maker.created', 'maker.updated']],
      [`resource_id=${upper}`, ['maker.created', 'code.created', 'maker.updated']],
      [`resource_id=${upper}&resource_type=maker`, ['maker.created', 'maker.updated']],
      [`resource_id=${upper}&type=code.created&type=maker.updated`, ['code.created', 'maker.updated']],
      [`resource_id=${upper}&collection=codes`, ['code.created']],
      [`resource_id=${UPPER}`, []],
    ];
    for (const [query, types] of rows) {
      const seen = await api.row({ send: `GET /api/v1/events?${query}&limit=9`, status: 200 });
      assert.deepEqual(
        seen.body.data.map(({ type }: { type: string }) => type),
        types,
        query,
      );
    }
    const first = await api.row({ send: `GET /api/v1/events?resource_id=${upper}&limit=2`, status: 200 });
    assert.equal(first.body.data.length, 2);
    const next = await api.row({ send: `GET ${first.body.links.next}`, status: 200 });
    assert.deepEqual(
      next.body.data.map(({ type }: { type: string }) => type),
      ['maker.updated'],
    );
  });
});
