import { describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest, type ExchangeRow } from '../support/api-under-test.ts';
import { as, callerTokens } from '../support/caller-tokens.ts';

const MODEL = `
name: shop
auth: { issuers: [{ name: test, issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }] }
limits: { rate: false }
resources:
  makers:
    id: client
    schema: { type: object, properties: { country: { type: string } } }
  labels:
    id: client
    schema: { type: object, properties: { name: { type: string } } }
    access: { read: public }
  products:
    id: client
    schema:
      type: object
      properties:
        name: { type: string, x-unique: true }
        maker_id: { type: string, x-references: makers }
        open_id: { type: string, x-references: { resource: makers, as: open, unread: allow } }
        label_id: { type: string, x-references: labels }
        maker_ids: { type: array, items: { type: string, x-references: { resource: makers, as: makers } } }
`;

const writer = as({ subject: 'w', scopes: ['products:write', 'products:read'] });
const reader = as({ subject: 'r', scopes: ['products:write', 'products:read', 'makers:read'] });
const admin = as({ subject: 'a', scopes: ['products:write', 'makers:write', 'labels:write', 'makers:read'] });
const merge = { 'Content-Type': 'application/merge-patch+json' };

async function shop(): Promise<ApiUnderTest> {
  const api = await apiUnderTest(MODEL, { tokens: callerTokens() });
  for (const id of ['m', 'n']) await api.send({ send: 'POST /api/v1/makers', headers: admin, body: { id } });
  await api.send({ send: 'POST /api/v1/labels', headers: admin, body: { id: 'l' } });
  const body = { id: 'p', name: 'Lamp', maker_id: 'm', maker_ids: ['m'] };
  await api.send({ send: 'POST /api/v1/products', headers: admin, body });
  await api.newEvents();
  return api;
}

const refused = (...fields: readonly string[]): Pick<ExchangeRow, 'status' | 'has'> => ({
  status: 400,
  has: {
    errorCode: 'PRODUCT_INVALID',
    details: fields.map((field) => ({
      field,
      message: 'refers to nothing; send the id of a resource that exists',
    })),
  },
});
const post = (body: object): Pick<ExchangeRow, 'send' | 'headers' | 'body'> => ({
  send: 'POST /api/v1/products',
  headers: writer,
  body: { id: 'q', ...body },
});
const patch = (body: object): Pick<ExchangeRow, 'send' | 'headers' | 'body'> => ({
  send: 'PATCH /api/v1/products/p',
  headers: { ...writer, ...merge },
  body,
});
const CREATED = { status: 201, events: ['product.created'] };
const UPDATED = { status: 200, events: ['product.updated'] };

const ROWS: readonly (ExchangeRow & { readonly title: string })[] = [
  { title: 'a reference to an existing row', ...post({ maker_id: 'm' }), ...refused('maker_id') },
  { title: 'a reference to nothing', ...post({ maker_id: 'none' }), ...refused('maker_id') },
  {
    title: 'the items of an array, with and without other errors',
    ...post({ maker_ids: ['m', 'none'], maker_id: 'm' }),
    ...refused('maker_id', 'maker_ids[0]', 'maker_ids[1]'),
  },
  { title: 'a reference before a conflict', ...post({ id: 'p', maker_id: 'm' }), ...refused('maker_id') },
  { title: 'a changed reference', ...patch({ maker_id: 'n' }), ...refused('maker_id') },
  { title: 'an added item', ...patch({ maker_ids: ['m', 'n'] }), ...refused('maker_ids[1]') },
  { title: 'but not an unchanged reference', ...patch({ maker_id: 'm', name: 'Lamp 2' }), ...UPDATED },
  { title: 'nor an unset one', ...patch({ maker_id: null, maker_ids: [] }), ...UPDATED },
  { title: 'nor one of a public collection', ...post({ label_id: 'l' }), ...CREATED },
  { title: 'nor one of a field with unread: allow', ...post({ open_id: 'm' }), ...CREATED },
  { title: 'where that leads to nothing, it is an error', ...post({ open_id: 'none' }), ...refused('open_id') },
  {
    title: 'nor one of a caller that may read the collection',
    ...post({ maker_id: 'm', maker_ids: ['n'] }),
    headers: reader,
    ...CREATED,
  },
  {
    title: 'an operation of a batch alike',
    send: 'POST /api/v1/batches',
    headers: writer,
    body: { atomic: true, operations: [{ method: 'POST', path: '/products', body: { id: 'q', maker_id: 'm' } }] },
    status: 400,
    has: { errorCode: 'PRODUCT_INVALID' },
  },
];

describe('a reference to a row of a collection that the caller may not read', () => {
  for (const { title, ...row } of ROWS) {
    it(`[MET-10] [AUTH-4b] is one to nothing: ${title}`, async () => {
      await using api = await shop();
      await api.row(row);
    });
  }
});
