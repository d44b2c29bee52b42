import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';
import { as, callerTokens } from '../support/caller-tokens.ts';
import { create } from '../models/shop-model.ts';

const MODEL = `
name: desk
resources:
  folders:
    id: client
    schema: { type: object, properties: { name: { type: string } } }
  notes:
    id: client
    sort: title
    indexes: [[place.city, kind], [folder_id, kind]]
    unique: [[code, area]]
    schema:
      type: object
      properties:
        title: { type: string }
        text: { type: string }
        code: { type: string }
        area: { type: string }
        kind: { type: string }
        place: { type: object, properties: { city: { type: string } } }
        folder_id: { type: string, x-references: folders }
`;

/** Text that no compression shortens. @param length in bytes */
const noise = (length: number): string => randomBytes(length).toString('base64url').slice(0, length);

const MOST = 2_500;
const TOO_LONG =
  'is too long: it is indexed, and the values of an index have at most 2500 bytes together; send a shorter one';

/** The response to a note whose values are too long. */
const refused = (...fields: string[]) => ({
  status: 400,
  has: { errorCode: 'NOTE_INVALID', details: fields.map((field) => ({ field, message: TOO_LONG })) },
});

async function desk(): Promise<ApiUnderTest> {
  const api = await apiUnderTest(MODEL);
  await create(api, 'folders', { id: 'f' });
  await create(api, 'notes', { id: 'a', code: noise(1_300), folder_id: 'f' });
  return api;
}

describe('the values of a row in one index', () => {
  it('[LIM-1] [OPS-4b] have at most 2,500 bytes together with the id, in UTF-8', async () => {
    await using api = await desk();
    await create(api, 'notes', { id: 'b', title: noise(MOST - 1) });
    await create(api, 'notes', { id: 'c', title: 'é'.repeat((MOST - 2) / 2) });
    await api.row({ send: 'POST /api/v1/notes', body: { id: 'd', title: 'x'.repeat(MOST) }, ...refused('title') });
    await api.row({ send: 'POST /api/v1/notes', body: { id: 'd', title: 'é'.repeat(1_250) }, ...refused('title') });
    const { body } = await api.row({ send: 'GET /api/v1/notes?limit=1&sort=-title', status: 200 });
    assert.equal(body['data'][0].id, 'c');
  });

  it('[LIM-1] [OPS-4b] are counted together: those of a unique constraint and those inside objects', async () => {
    await using api = await desk();
    const long = noise(1_300);
    await api.row({
      send: 'POST /api/v1/notes',
      body: { id: 'b', code: long, area: long },
      ...refused('code', 'area'),
    });
    const inside = { id: 'b', place: { city: noise(2_400) }, kind: noise(101) };
    await api.row({ send: 'POST /api/v1/notes', body: inside, ...refused('place.city') });
    await create(api, 'notes', { ...inside, kind: noise(99) });
  });

  for (const [send, body, headers = {}] of [
    ['PUT /api/v1/notes/a', { title: 'x'.repeat(2_600) }],
    ['PUT /api/v1/notes/new', { title: 'x'.repeat(2_600) }],
    ['PATCH /api/v1/notes/a', { title: 'x'.repeat(2_600) }],
    ['PATCH /api/v1/notes/a', [{ op: 'add', path: '/title', value: 'x'.repeat(2_600) }], 'application/json-patch+json'],
    ['POST /api/v1/notes?dry_run=true', { id: 'b', title: 'x'.repeat(2_600) }],
  ] as const) {
    it(`[LIM-1] [OPS-4b] are refused in ${send}`, async () => {
      await using api = await desk();
      const before = await api.row({ send: 'GET /api/v1/notes', status: 200 });
      const typed = typeof headers === 'string' ? { headers: { 'Content-Type': headers } } : {};
      await api.row({ send, body, ...typed, ...refused('title') });
      assert.equal((await api.row({ send: 'GET /api/v1/notes', status: 200 })).text, before.text);
    });
  }

  it('[LIM-1] [OPS-4b] are compared with what a PATCH leaves as it is', async () => {
    await using api = await desk();
    await api.row({ send: 'PATCH /api/v1/notes/a', body: { area: noise(1_201) }, ...refused('code') });
    await api.row({
      send: 'PATCH /api/v1/notes/a',
      body: { area: noise(1_200) },
      status: 200,
      events: ['note.updated'],
    });
  });

  it('[LIM-1] [MET-13] are refused in a batch and in NDJSON', async () => {
    await using api = await desk();
    const operation = { method: 'PATCH', path: '/notes/a', body: { title: 'x'.repeat(2_600) } };
    const batch = await api.row({
      send: 'POST /api/v1/batches',
      body: { atomic: false, operations: [operation] },
      status: 201,
    });
    assert.deepEqual([batch.body['results'][0].status, batch.body['status']], [400, 'failed']);
    const lines = await api.send({
      send: 'POST /api/v1/notes',
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: `${JSON.stringify({ id: 'n', title: 'x'.repeat(2_600) })}\n`,
    });
    assert.match(lines.text, /NOTE_INVALID/);
  });

  it('[LIM-1] [REP-11b] are refused without the name of a field that the caller may not read', async () => {
    const model = `
name: desk
auth: { issuers: [{ name: test, issuer: https://id.example.com, audience: desk, hs256_secret: 0123456789abcdef0123456789abcdef }] }
resources:
  notes:
    id: client
    unique: [[code, secret]]
    access: { read: authenticated, write: authenticated, fields: { secret: { read: { scope: secrets:read } } } }
    schema: { type: object, properties: { code: { type: string }, secret: { type: string, default: ${'s'.repeat(2_000)} } } }
`;
    await using api = await apiUnderTest(model, { tokens: callerTokens() });
    const request = {
      send: 'POST /api/v1/notes',
      headers: as({ subject: 'clerk' }),
      body: { id: 'b', code: noise(600) },
    };
    const { text, body } = await api.row({ ...request, status: 400, has: { errorCode: 'NOTE_INVALID' } });
    assert.deepEqual(
      body['details'].map(({ field }: { field: string }) => field),
      ['body'],
    );
    assert.doesNotMatch(text, /secret/);
  });

  it('[LIM-1] are not compared with a limit where no index holds them', async () => {
    await using api = await desk();
    const text = noise(100_000);
    await create(api, 'notes', { id: 'b', text });
    const { body } = await api.row({ send: 'GET /api/v1/notes/b', status: 200 });
    assert.ok(body['text'] === text);
  });
});
