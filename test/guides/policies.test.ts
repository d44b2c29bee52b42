import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../../scripts/command.ts';
import { loadModel } from '../../src/model/compile/load-model.ts';
import { type ApiUnderTest, apiUnderTest, type Seen } from '../pipeline/support/api-under-test.ts';
import { as, callerTokens } from '../pipeline/support/caller-tokens.ts';
import { readBlocks, readPage } from './guide-pages.ts';

const AUTH = `name: guide
auth: { issuers: [{ name: test, issuer: https://id.example.com, audience: a, hs256_secret: 0123456789abcdef0123456789abcdef }] }
limits: { rate: false }
`;
const open = (text: string): Promise<ApiUnderTest> => apiUnderTest(text, { tokens: callerTokens() });

describe('the guide to policies', () => {
  const blocks = readBlocks(readPage('docs/guides/policies.md'), 'yaml').filter((each) =>
    each.startsWith('resources:'),
  );
  const [owners = '', fills = '', rules = ''] = blocks;

  for (const [index, block] of blocks.entries()) {
    it(`shows models without warnings: ${index}`, () => {
      const { unsupported } = loadModel({ file: 'guide.yaml', text: `${AUTH}${block}`, env: {} });
      assert.deepEqual(unsupported, []);
    });
  }

  it('says what owners are', async () => {
    await using api = await open(`${AUTH}${owners}`);
    const [ann, bob] = [as({ subject: 'ann' }), as({ subject: 'bob' })];
    const { body } = await api.send({ send: 'POST /api/v1/notes', headers: ann, body: { text: 'x' } });
    assert.equal(body.owner_id, 'ann');
    assert.equal((await api.send({ send: `GET /api/v1/notes/${body.id}`, headers: ann })).status, 200);
    assert.equal((await api.send({ send: `GET /api/v1/notes/${body.id}`, headers: bob })).status, 404);
  });

  it('says what is filled from the caller', async () => {
    await using api = await open(`${AUTH}${fills}`);
    const scopes = ['tickets:read', 'tickets:write'];
    const ann = as({ subject: 'ann', scopes, claims: { tenant: 'acme' } });
    const post = (headers: Record<string, string>, body: object): Promise<Seen> =>
      api.send({ send: 'POST /api/v1/tickets', headers, body });
    const { body: made } = await post(ann, { title: 'x', tenant: 'byte' });
    assert.deepEqual([made.tenant, made.author], ['acme', 'ann']);
    assert.equal((await post(ann, { title: 'x', author: 'bob' })).body.author, 'bob');
    assert.equal((await post(as({ subject: 'ann', scopes }), { title: 'x' })).status, 403);
  });

  it('says what the rules hold for', async () => {
    await using api = await open(`${AUTH}${rules}`);
    const ann = as({ subject: 'ann', claims: { tenant: 'a' } });
    const bob = as({ subject: 'bob', claims: { tenant: 'b' } });
    const send = (headers: Record<string, string>, what: string, body?: object): Promise<Seen> =>
      api.send({ send: what, headers: { ...headers, 'Content-Type': 'application/merge-patch+json' }, body });
    const post = (headers: Record<string, string>, body: object): Promise<Seen> =>
      api.send({ send: 'POST /api/v1/articles', headers, body });
    const draft = (await post(ann, { tenant: 'a', editor: 'ann' })).body;
    const item = `/api/v1/articles/${draft.id}`;
    assert.equal((await send(bob, `PATCH ${item}`, { status: 'LIVE' })).status, 404);
    assert.equal((await send(ann, `PATCH ${item}`, { editor: 'eve' })).status, 403);
    assert.equal((await send(ann, `PATCH ${item}`, { status: 'LIVE' })).status, 200);
    assert.equal((await send(bob, `GET ${item}`)).status, 200);
    assert.equal((await send(bob, `PATCH ${item}`, { status: 'DRAFT' })).status, 403);
    assert.equal((await send(ann, `DELETE ${item}`)).status, 403);
    assert.equal((await post(bob, { tenant: 'a' })).status, 403);
  });
});

describe('the example with tenants', () => {
  const text = readFileSync(path.join(root, 'examples/tenants.yaml'), 'utf8')
    .replace('"${CRM_SECRET}"', '0123456789abcdef0123456789abcdef')
    .replace('version: 1.0.0', 'version: 1.0.0\nlimits: { rate: false }');
  const scopes = ['accounts', 'contacts', 'notes', 'api-keys'].flatMap((name) => [`${name}:read`, `${name}:write`]);
  const caller = (subject: string, tenant: string): Record<string, string> =>
    as({ subject, scopes, claims: { tenant } });
  const [ann, bob] = [caller('ann', 'acme'), caller('bob', 'byte')];

  const create = async (api: ApiUnderTest, headers: Record<string, string>, to: string, body: object) => {
    const { status, body: made, text: shown } = await api.send({ send: `POST /api/v1/${to}`, headers, body });
    assert.equal(status, 201, shown);
    return made;
  };

  it('[AUTH-5a] keeps tenants from each other, below their rows too', async () => {
    await using api = await open(text);
    const theirs = await create(api, bob, 'accounts', { name: 'Same' });
    const own = await create(api, ann, 'accounts', { name: 'Same', tenant: 'byte' });
    assert.deepEqual([theirs.tenant, own.tenant], ['byte', 'acme']);
    await create(api, bob, `accounts/${theirs.id}/contacts`, { name: 'Kim' });
    const seen = await api.send({ send: 'GET /api/v1/accounts?include_total=true&expand=contacts', headers: ann });
    assert.deepEqual([seen.body.data.length, seen.body.page.total_count], [1, 1]);
    assert.ok(!seen.text.includes('Kim'));
    for (const to of [`accounts/${theirs.id}`, `accounts/${theirs.id}/contacts`])
      assert.equal((await api.send({ send: `GET /api/v1/${to}`, headers: ann })).status, 404);
  });

  it('[AUTH-5c] lets authors alone change their notes', async () => {
    await using api = await open(text);
    const note = await create(api, ann, 'notes', { text: 'x' });
    const colleague = caller('al', 'acme');
    assert.equal((await api.send({ send: `GET /api/v1/notes/${note.id}`, headers: colleague })).status, 200);
    assert.equal((await api.send({ send: `DELETE /api/v1/notes/${note.id}`, headers: colleague })).status, 403);
    const forged = await create(api, colleague, 'notes', { author: 'ann', text: 'y' });
    assert.equal(forged.author, 'al');
  });

  it('[AUTH-8b] has keys that belong to one tenant', async () => {
    await using api = await open(text);
    await create(api, ann, 'accounts', { name: 'A' });
    await create(api, bob, 'accounts', { name: 'B' });
    const body = { name: 'ci', scopes: ['accounts:read'], claims: { tenant: 'acme' } };
    const { key } = await create(api, ann, 'api-keys', body);
    const seen = await api.send({ send: 'GET /api/v1/accounts', headers: { Authorization: `Bearer ${key}` } });
    assert.deepEqual(
      seen.body.data.map(({ name }: { name: string }) => name),
      ['A'],
    );
    const { key: bare } = await create(api, ann, 'api-keys', { name: 'bare', scopes: ['accounts:read'] });
    const none = await api.send({ send: 'GET /api/v1/accounts', headers: { Authorization: `Bearer ${bare}` } });
    assert.deepEqual(none.body.data, []);
    const other = { ...body, claims: { tenant: 'byte' } };
    assert.equal((await api.send({ send: 'POST /api/v1/api-keys', headers: ann, body: other })).status, 403);
  });
});
