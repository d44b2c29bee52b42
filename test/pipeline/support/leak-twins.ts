import assert from 'node:assert/strict';
import { type ApiUnderTest, apiUnderTest, type Seen } from './api-under-test.ts';
import { as, callerTokens } from './caller-tokens.ts';

const MODEL = `
name: desk
auth: { issuers: [{ name: test, issuer: https://id.example.com, audience: desk, hs256_secret: 0123456789abcdef0123456789abcdef }] }
limits: { rate: false }
resources:
  users:
    id: client
    search: [name]
    schema:
      type: object
      properties:
        tenant: { type: string }
        name: { type: string }
        email: { type: string }
        contact: { type: object, properties: { phone: { type: string } } }
        password_hash: { type: string, writeOnly: true }
        boss_id: { type: string, x-references: { resource: users, as: boss, inverse: reports } }
    access:
      read: authenticated
      write: authenticated
      rows: { read: { tenant: { in: $caller.claims.tenants } } }
      fields: { email: { read: { scope: private } }, contact: { read: { scope: private } } }
  articles:
    id: client
    search: [title]
    schema:
      type: object
      properties:
        tenant: { type: string }
        title: { type: string }
        slug: { type: string }
        margin: { type: string, default: none }
        author_id: { type: string, x-references: { resource: users, as: author, inverse: articles } }
    unique: [[tenant, slug]]
    access:
      read: authenticated
      write: authenticated
      rows: { read: { tenant: { in: $caller.claims.tenants } } }
      fields: { margin: { read: { scope: private } } }
  comments:
    id: client
    parent: articles
    on_parent_delete: cascade
    schema: { type: object, properties: { tenant: { type: string }, text: { type: string } } }
    access:
      read: authenticated
      write: authenticated
      rows: { read: { tenant: { in: $caller.claims.tenants } } }
  labels:
    id: client
    schema: { type: object, properties: { tenant: { type: string }, name: { type: string, x-unique: true } } }
    access:
      read: authenticated
      write: authenticated
      rows: { read: { tenant: { in: $caller.claims.tenants } } }
`;

/** Sees the rows of one tenant, and no private field. */
export const ANN = as({ subject: 'ann', claims: { tenants: ['acme'] } });
/** The same of another tenant, whose rows Ann does not see. */
export const EVE = as({ subject: 'eve', claims: { tenants: ['byte'] } });
/** Sees everything. */
export const ADMIN = as({ subject: 'root', scopes: ['private'], claims: { tenants: ['acme', 'byte'] } });
/** Sees the rows that Ann sees, with their private fields; and every row, without private fields. */
export const BETWEEN = [
  as({ subject: 'boss', scopes: ['private'], claims: { tenants: ['acme'] } }),
  as({ subject: 'sam', claims: { tenants: ['acme', 'byte'] } }),
];
export const MERGE = { 'Content-Type': 'application/merge-patch+json' };

/** In every value that Ann may not see, of the first of two APIs. */
export const SECRET = 'veiled';

/**
 * An API with rows of two tenants. A second API, with another secret, differs only in what one caller may not see.
 * Hidden values have another text there, and hidden rows that no visible row refers to are absent.
 */
export async function tenantsApi(secret: string = SECRET): Promise<ApiUnderTest> {
  const api = await apiUnderTest(MODEL, { tokens: callerTokens() });
  const create = (path: string, body: object) => ({ method: 'POST', path: `/${path}`, body });
  const user = (id: string, tenant: string, name: string, more: object = {}) =>
    create('users', {
      id,
      tenant,
      name,
      email: `${secret}-${id}@x.example`,
      contact: { phone: `${secret}-1` },
      password_hash: `${secret}$${id}`,
      ...more,
    });
  const article = (id: string, tenant: string, title: string, author_id: string) =>
    create('articles', { id, tenant, title, slug: `slug-${id}`, margin: `${secret}-margin`, author_id });
  const both = [
    user('u1', 'acme', 'Amy'),
    user('u2', 'acme', 'Ben', { boss_id: 'u1' }),
    user('u9', 'byte', `${secret} Zoe`),
    ...['Anvil', 'Bolt', 'Cog', 'Drill'].map((title, index) =>
      article(`a${index + 1}`, 'acme', title, index % 2 === 0 ? 'u1' : 'u9'),
    ),
    create('articles/a1/comments', { id: 'c1', tenant: 'acme', text: 'fine' }),
    create('labels', { id: 'l1', tenant: 'acme', name: 'red' }),
  ];
  const hidden = [
    user('u8', 'byte', `${secret} Yan`, { boss_id: 'u1' }),
    ...['h1', 'h2', 'h3'].map((id) => article(id, 'byte', `Bolt ${secret} ${id}`, 'u1')),
    create('articles', { id: 'h4', tenant: 'byte', title: `${secret} h4`, slug: 'wanted', author_id: 'u8' }),
    create('articles/a1/comments', { id: 'c8', tenant: 'byte', text: `${secret} on a visible row` }),
    create('articles/h1/comments', { id: 'c9', tenant: 'byte', text: `${secret} below a hidden row` }),
    create('labels', { id: 'l9', tenant: 'byte', name: `${secret} blue` }),
  ];
  const operations = secret === SECRET ? [...both, ...hidden] : both;
  const body = { atomic: true, operations };
  const { status, text } = await api.send({ send: 'POST /api/v1/batches', headers: ADMIN, body });
  assert.equal(status, 201, text);
  return api;
}

/**
 * Everything of a response but what two requests and two databases always differ in: ids of requests and batches,
 * cursors, ETags, revisions.
 */
export function comparable({ status, headers, text }: Seen): object {
  const masked = (part: string): string =>
    part
      .replaceAll(/[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/g, 'UUID')
      .replaceAll(/[\w-]{60,}/g, 'CURSOR')
      .replaceAll(/("revision":|<revision>|revision: )\d+/g, '$1')
      .replaceAll(/"ETag":"[^,]*"/g, 'ETag');
  const fields = [...headers].filter(([name]) => name !== 'etag').map(([name, value]) => [name, masked(value)]);
  return { status, fields, text: masked(text) };
}
