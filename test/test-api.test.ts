import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient } from '../src/client/client.ts';
import { defineModel, resource } from '../src/model/typescript/define-model.ts';
import { startTestApi, type TestApi } from '../src/test-api.ts';

const notes = resource({
  schema: {
    type: 'object',
    required: ['text'],
    properties: { text: { type: 'string' }, owner: { type: 'string', readOnly: true } },
  },
});
const open = defineModel({ name: 'notes', resources: { notes } });
const auth = {
  issuers: [
    {
      name: 'id',
      issuer: 'https://id.example.com/',
      audience: 'notes',
      hs256_secret: '0123456789abcdef0123456789abcdef',
    },
  ],
};
const owned = defineModel({
  name: 'notes',
  auth,
  resources: { notes: { ...notes, access: { owner: 'owner' } } },
});

const post = (text: string): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ text }),
});

async function createNotes(test: TestApi): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for (const text of ['One', 'Two']) {
    const response = await test.fetch('/api/v1/notes', post(text));
    assert.equal(response.status, 201);
    found.push(await response.json());
    test.clock.advance(1_000);
  }
  return found;
}

describe('an API for tests of a model', () => {
  it('has the same ids and times in every run, on a clock that stands still', async () => {
    await using first = await startTestApi({ model: open });
    await using second = await startTestApi({ model: open });
    const found = await createNotes(first);
    assert.deepEqual(await createNotes(second), found);
    const times = found.map((each) => (each as { readonly created_at: string }).created_at);
    assert.deepEqual(times, ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01.000Z']);
  });

  it('begins at a time, which can be set', async () => {
    await using test = await startTestApi({ model: open, time: '2030-02-03T04:05:06Z' });
    assert.equal(test.clock.now(), Date.parse('2030-02-03T04:05:06Z'));
    test.clock.set('2031-01-01T00:00:00Z');
    assert.match(await (await test.fetch('/api/v1/notes', post('x'))).text(), /"created_at":"2031-01-01T00:00:00/);
    assert.throws(() => test.clock.set('soon'), { message: /'soon' is not a time; use one such as/ });
  });

  it('[AUTH-1b] has callers by name, with the scopes of the model unless others are given', async () => {
    await using test = await startTestApi({ model: owned });
    const [ann, bob] = [test.as('ann'), test.as('bob')];
    const created = await ann.fetch('/api/v1/notes', post('mine'));
    assert.match(await created.text(), /"owner":"ann"/);
    const location = created.headers.get('location') ?? '';
    assert.equal((await ann.fetch(location)).status, 200);
    assert.equal((await bob.fetch(location)).status, 404);
    assert.equal((await test.fetch(location)).status, 401);
    const reader = test.as('ann', { scopes: ['notes:read'] });
    assert.equal((await reader.fetch(location)).status, 200);
    assert.equal((await reader.fetch('/api/v1/notes', post('no'))).status, 403);
  });

  it('[AUTH-1b] accepts the tokens of its callers alone', async () => {
    await using test = await startTestApi({ model: owned });
    await using other = await startTestApi({ model: owned, observe: () => undefined });
    const { token } = test.as('ann');
    const headers = { Authorization: `Bearer ${token}` };
    assert.equal((await test.fetch('/api/v1/notes', { headers })).status, 200);
    assert.equal((await other.fetch('/api/v1/notes', { headers })).status, 401);
  });

  it('gives callers the claims that policies read', async () => {
    const tenant = { type: 'string', 'x-default': '$caller.claims.tenant' } as const;
    const schema = { type: 'object', properties: { text: { type: 'string' }, tenant } } as const;
    const access = { rows: { read: { tenant: '$caller.claims.tenant' } } };
    const model = defineModel({ name: 'notes', auth, resources: { notes: { schema, access } } });
    await using test = await startTestApi({ model });
    const acme = test.as('ann', { claims: { tenant: 'acme' } });
    assert.match(await (await acme.fetch('/api/v1/notes', post('x'))).text(), /"tenant":"acme"/);
    const other = test.as('ann', { claims: { tenant: 'other' } });
    assert.match(await (await other.fetch('/api/v1/notes')).text(), /"data":\[\]/);
  });

  it('is used by the typed client, and shows what was logged', async () => {
    await using test = await startTestApi({ model: owned });
    const client = createClient<typeof owned>({ url: test.url, fetch: test.as('ann').fetch });
    const { id } = await client.notes.create({ text: 'typed' });
    assert.equal((await client.notes.get(id)).owner, 'ann');
    const events = await test.events();
    assert.deepEqual(
      events.map(({ type, metadata }) => [type, metadata.actor]),
      [['note.created', 'ann']],
    );
  });

  it('says why a model without auth has no callers', async () => {
    await using test = await startTestApi({ model: open });
    assert.throws(() => test.as('ann'), { message: /^The model has no callers: add auth to it/ });
  });
});
