import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';

const MODEL = `
name: staff
version: 4.0.0
default_version: 4
resources:
  people:
    id: client
    schema:
      type: object
      required: [first_name, last_name, rank]
      properties:
        first_name: { type: string, minLength: 1 }
        last_name: { type: string, minLength: 1 }
        rank: { type: integer, minimum: 1 }
        address: { type: string, maxLength: 30 }
        pay: { type: string, format: decimal, x-precision: 12, x-scale: 2 }
        born: { type: string, format: date }
        active: { type: boolean }
versions:
  3.0.0:
    changes:
      - resource: people
        split: { name: { schema: { type: string }, into: [first_name, last_name], separator: " " } }
        join: { address: { from: { street: { type: string }, city: { type: string } }, separator: ", " } }
        type:
          rank: { schema: { type: string } }
          salary: { to: pay, schema: { type: number } }
          born: { schema: { type: string, format: date-time } }
          active: { schema: { type: string } }
  2.0.0:
    changes: [{ resource: people, rename: { whole: name, grade: rank }, without: [street] }]
  1.0.0:
    changes: [{ resource: people, collection: staff, singular: member, rename: { label: whole } }]
`;

const PERSON = {
  id: 'a',
  name: 'Ada King Byron',
  rank: '7',
  street: 'Main 1',
  city: 'Oslo, N',
  salary: 12.5,
  born: '1815-12-10T00:00:00.000Z',
  active: 'true',
};
const STORED = {
  id: 'a',
  first_name: 'Ada',
  last_name: 'King Byron',
  rank: 7,
  address: 'Main 1, Oslo, N',
  pay: '12.50',
  born: '1815-12-10',
  active: true,
};

async function staff(): Promise<ApiUnderTest> {
  const api = await apiUnderTest(MODEL);
  const { status, text } = await api.send({ send: 'POST /api/v3/people', body: PERSON });
  assert.equal(status, 201, text);
  return api;
}

type Members = Readonly<Record<string, unknown>>;

/** A body without what all versions have. */
function own({ created_at: _at, updated_at: _on, revision: _revision, links: _links, ...members }: Members): Members {
  return members;
}

async function get(api: ApiUnderTest, path: string): Promise<Members> {
  return own((await api.send({ send: `GET /api/${path}` })).body);
}

const MERGE = { 'Content-Type': 'application/merge-patch+json' };

async function patch(api: ApiUnderTest, path: string, body: object) {
  return api.send({ send: `PATCH /api/${path}`, headers: MERGE, body });
}

describe('a conversion as data, through an older contract', () => {
  it('[VER-5a] stores what a create sends in the form of the newest one, and shows it again', async () => {
    await using api = await staff();
    assert.deepEqual(await get(api, 'v4/people/a'), STORED);
    assert.deepEqual(await get(api, 'v3/people/a'), PERSON);
    const { street: _street, name, rank, ...rest } = PERSON;
    assert.deepEqual(await get(api, 'v2/people/a'), { ...rest, whole: name, grade: rank });
    assert.deepEqual(await get(api, 'v1/staff/a'), { ...rest, label: name, grade: rank });
  });

  it('[VER-5a] shows what the newest one wrote', async () => {
    await using api = await staff();
    const body = { id: 'b', first_name: 'Mary Ann', last_name: 'Lee', rank: 1, address: 'Bergen', pay: '0.1' };
    assert.equal((await api.send({ send: 'POST /api/v4/people', body })).status, 201);
    const shown = { name: 'Mary Ann Lee', rank: '1', street: 'Bergen', city: null, salary: 0.1, born: null };
    assert.deepEqual(await get(api, 'v3/people/b'), { id: 'b', ...shown, active: null });
    assert.equal((await api.send({ send: 'PUT /api/v3/people/b', body: { ...shown, rank: '2' } })).status, 200);
    const { first_name: first, last_name: last, rank } = await get(api, 'v4/people/b');
    assert.deepEqual([first, last, rank], ['Mary Ann', 'Lee', 2]);
  });

  it('[VER-5b] changes by a patch what it names, and keeps the rest', async () => {
    await using api = await staff();
    assert.equal((await patch(api, 'v3/people/a', { city: 'Bergen' })).status, 200);
    assert.deepEqual(await get(api, 'v4/people/a'), { ...STORED, address: 'Main 1, Bergen' });
    assert.equal((await patch(api, 'v3/people/a', { city: null, name: 'A  B', active: null })).status, 200);
    const changed = { first_name: 'A', last_name: ' B', address: 'Main 1', active: null };
    assert.deepEqual(await get(api, 'v4/people/a'), { ...STORED, ...changed });
    assert.equal((await patch(api, 'v3/people/a', { street: null })).status, 200);
    assert.equal((await get(api, 'v4/people/a'))['address'], null);
  });

  for (const [body, field, message] of [
    [{ name: 'Ada' }, 'name', 'must have at least 2 parts with " " between them'],
    [{ rank: 'high' }, 'rank', 'must be an integer as text, such as "12"'],
    [{ rank: '07' }, 'rank', 'must be an integer as text, such as "12"'],
    [{ rank: '0' }, 'rank', 'must be at least 1'],
    [{ salary: 0.125 }, 'salary', 'must have at most 2 decimals'],
    [{ born: '1815-12-10T00:00:01Z' }, 'born', 'must be 00:00:00 in UTC, such as 2026-05-17T00:00:00Z'],
    [{ active: 'yes' }, 'active', 'must be "true" or "false"'],
    [{ street: 'Main 1, back' }, 'street', 'must not contain ", ", nor end with a part of it'],
    [{ street: null }, 'street', 'must have a value where a field after it has one'],
    [{ rank: 7 }, 'rank', 'must be a string, not a number'],
  ] as const) {
    it(`[VER-5a] [ERR-3] refuses ${JSON.stringify(body)}, and changes nothing`, async () => {
      await using api = await staff();
      const refused = await patch(api, 'v3/people/a', body);
      assert.deepEqual([refused.status, refused.body.errorCode], [400, 'PERSON_INVALID']);
      assert.deepEqual(refused.body.details, [{ field, message }]);
      assert.deepEqual(await get(api, 'v4/people/a'), STORED);
      const created = await api.send({ send: 'POST /api/v3/people', body: { ...PERSON, id: 'b', ...body } });
      assert.equal(created.status, 400);
      assert.equal((await api.send({ send: 'GET /api/v4/people/b' })).status, 404);
    });
  }

  it('[VER-5a] [ERR-2] names the field of a refused value as the contract of the request does', async () => {
    await using api = await staff();
    for (const [path, body, code, field] of [
      ['v2/people/a', { whole: 'Ada' }, 'PERSON_INVALID', 'whole'],
      ['v1/staff/a', { label: 'Ada' }, 'MEMBER_INVALID', 'label'],
      ['v1/staff/a', { grade: 'x' }, 'MEMBER_INVALID', 'grade'],
    ] as const) {
      const refused = await patch(api, path, body);
      assert.deepEqual([refused.status, refused.body.errorCode], [400, code]);
      assert.equal(refused.body.details[0].field, field);
    }
  });

  it('[VER-5b] does not name a field that the contract of the request does not have', async () => {
    await using api = await staff();
    const { street: _street, name, rank, ...rest } = PERSON;
    const body = { ...rest, id: 'b', label: name, grade: rank };
    const refused = await api.send({ send: 'POST /api/v1/staff', body });
    assert.deepEqual(refused.body.details, [{ field: 'body', message: 'is not valid' }]);
  });

  it('[VER-5a] [MET-13] [MET-12] refuses the operation of a batch, and the line of an upload, as the request', async () => {
    await using api = await staff();
    const operations = [{ method: 'PATCH', path: '/people/a', body: { rank: 'x' } }];
    const batch = await api.send({ send: 'POST /api/v3/batches', body: { atomic: false, operations } });
    assert.match(batch.text, /must be an integer as text/);
    const headers = { 'Content-Type': 'application/x-ndjson' };
    const lines = [
      { ...PERSON, id: 'b', rank: 'x' },
      { ...PERSON, id: 'c' },
    ].map((line) => JSON.stringify(line));
    const upload = await api.send({ send: 'POST /api/v3/people', headers, body: lines.join('\n') });
    assert.match(upload.text, /must be an integer as text/);
    assert.equal((await api.send({ send: 'GET /api/v4/people/b' })).status, 404);
    assert.equal((await api.send({ send: 'GET /api/v4/people/c' })).status, 200);
    assert.deepEqual(await get(api, 'v4/people/a'), STORED);
  });

  it('[VER-5a] [REP-4] has its default where a create does not send it', async () => {
    await using api = await apiUnderTest(MODEL.replace('minimum: 1', 'minimum: 1, default: 5'));
    for (const path of ['v3/people', 'v4/people']) {
      const names = path.startsWith('v3') ? { name: 'A B' } : { first_name: 'A', last_name: 'B' };
      assert.equal((await api.send({ send: `POST /api/${path}`, body: { id: path[1], ...names } })).status, 201);
      assert.equal((await get(api, `v4/people/${path[1]}`))['rank'], 5);
    }
  });

  it('[VER-5a] [QRY-2] is unknown to filters and sorts', async () => {
    await using api = await staff();
    for (const query of ['name=x', 'rank=7', 'sort=rank', 'salary[gt]=1', 'city=Oslo'])
      assert.equal((await api.send({ send: `GET /api/v3/people?${query}` })).status, 400, query);
    assert.equal((await api.send({ send: 'GET /api/v3/people?fields=name,rank' })).body.data[0].rank, '7');
  });
});
