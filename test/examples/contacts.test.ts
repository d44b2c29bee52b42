import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import contacts from '../../examples/contacts.ts';
import { type ApiUnderTest, apiUnderTest } from '../pipeline/support/api-under-test.ts';

type Members = Readonly<Record<string, unknown>>;

const ADA = {
  id: 'ada',
  first_name: 'Ada',
  last_name: 'King Lovelace',
  email: 'ada@example.com',
  address: { city: 'London', country: 'GB' },
  company_id: 'mill',
};

async function crm(): Promise<ApiUnderTest> {
  const api = await apiUnderTest(contacts);
  await api.send({ send: 'POST /api/v3/companies', body: { id: 'mill', name: 'Mill' } });
  assert.equal((await api.send({ send: 'POST /api/v3/contacts', body: ADA })).status, 201);
  return api;
}

async function get(api: ApiUnderTest, path: string): Promise<Members> {
  const { body } = await api.send({ send: `GET /api/${path}` });
  const { created_at: _at, updated_at: _on, revision: _revision, ...members } = body;
  return members;
}

describe('the example with three majors', () => {
  it('[VER-5a] shows one row in each of them', async () => {
    await using api = await crm();
    const { links: _links, ...newest } = await get(api, 'v3/contacts/ada');
    assert.deepEqual(newest, { ...ADA, status: 'LEAD', language: 'en' });
    assert.deepEqual(await get(api, 'v2/contacts/ada'), {
      id: 'ada',
      first_name: 'Ada',
      last_name: 'King Lovelace',
      email_address: 'ada@example.com',
      status: 'new',
      address: { country: 'GB' },
      company_id: 'mill',
      city: 'London',
      links: {
        self: '/api/v2/contacts/ada',
        collection: '/api/v2/contacts',
        company: '/api/v2/companies/mill',
      },
    });
    assert.deepEqual(await get(api, 'v1/people/ada'), {
      id: 'ada',
      name: 'Ada King Lovelace',
      email_address: 'ada@example.com',
      status: 'new',
      address: { country: 'GB' },
      company_id: 'mill',
      city: 'London',
      fax: null,
      links: { self: '/api/v1/people/ada', collection: '/api/v1/people' },
    });
  });

  it('[VER-5b] keeps what the oldest one does not know', async () => {
    await using api = await crm();
    const body = { name: 'Ada Byron', city: 'Rome', status: 'active', fax: '1' };
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const { status, text } = await api.send({ send: 'PATCH /api/v1/people/ada', headers, body });
    assert.equal(status, 200, text);
    const { links: _links, ...newest } = await get(api, 'v3/contacts/ada');
    const address = { city: 'Rome', country: 'GB' };
    assert.deepEqual(newest, { ...ADA, last_name: 'Byron', status: 'CUSTOMER', language: 'en', address });
    const created = await api.send({ send: 'POST /api/v1/people', body: { id: 'b', name: 'Bob Dean' } });
    assert.equal(created.status, 201, created.text);
    const { first_name: first, last_name: last, language } = await get(api, 'v3/contacts/b');
    assert.deepEqual([first, last, language], ['Bob', 'Dean', 'de']);
  });

  it('[VER-5a] refuses by the names of each', async () => {
    await using api = await crm();
    const people = { send: 'POST /api/v1/people', body: { id: 'b', name: 'Bob' } };
    const { body } = await api.send(people);
    assert.deepEqual([body.errorCode, body.details[0].field], ['PERSON_INVALID', 'name']);
    const taken = { send: 'POST /api/v1/people', body: { id: 'b', name: 'Bob D', email_address: ADA.email } };
    const conflict = await api.send(taken);
    assert.deepEqual([conflict.status, conflict.body.details[0].field], [409, 'email_address']);
    assert.equal((await api.send({ send: 'GET /api/v1/companies' })).status, 404);
    assert.equal((await api.send({ send: 'GET /api/v1/people?sort=name' })).status, 400);
    assert.equal((await api.send({ send: 'GET /api/v1/people?status=new' })).body.data.length, 1);
  });

  it('[VER-2] [VER-3b] [VER-4b] serves version 2 by default, announces the end of version 1, and no longer has version 0', async () => {
    await using api = await crm();
    const unnamed = await api.send({ send: 'GET /api/contacts/ada' });
    assert.equal(unnamed.headers.get('api-version'), '2.1.0');
    const old = await api.send({ send: 'GET /api/v1/people/ada' });
    assert.deepEqual(
      ['deprecation', 'sunset', 'link'].map((name) => old.headers.get(name)),
      ['@1780272000', 'Tue, 01 Jun 2027 00:00:00 GMT', '</api/v3/contacts/ada>; rel="successor-version"'],
    );
    assert.equal((await api.send({ send: 'GET /api/v0/people' })).status, 410);
  });
});
