import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineModel, refuse, resource } from '../../src/index.ts';
import { apiUnderTest } from '../pipeline/support/api-under-test.ts';
import { as, callerTokens } from '../pipeline/support/caller-tokens.ts';

const LONG = 'codes[3] is wrong: see codes[1], place.city and list_price.';

/** Notes whose hook refuses them for the field that their text names. */
const notes = resource({
  id: 'client',
  schema: {
    type: 'object',
    properties: {
      text: { type: 'string' },
      secret: { type: 'string', 'x-unique': true },
      codes: { type: 'array', items: { type: 'string' } },
      place: { type: 'object', properties: { city: { type: 'string' }, zip: { type: 'string' } } },
      pay: { type: 'string' },
      list_price: { type: 'integer' },
    },
  },
  access: { read: 'public', write: 'public', fields: { pay: { read: { scope: 'pay:read' } } } },
  before: {
    create: (draft) => {
      if (draft.text !== null)
        refuse('INVALID', draft.text === 'codes[3]' ? LONG : 'The note is not valid now.', [
          { field: draft.text, message: draft.text === 'codes[3]' ? 'equals codes[1]; its code is bad' : 'is bad' },
        ]);
      return draft;
    },
  },
});

const model = defineModel({
  name: 'desk',
  version: '2.0.0',
  default_version: 2,
  auth: {
    issuers: [{ name: 'test', issuer: 'https://id.example.com', audience: 'desk', hs256_secret: 'x'.repeat(32) }],
  },
  limits: { rate: false },
  resources: { notes },
  versions: {
    '1.0.0': {
      changes: [
        { resource: 'notes', rename: { words: 'text', tags: 'codes', wage: 'pay', price: 'list_price' } },
        { resource: 'notes', without: ['secret'] },
        { resource: 'notes', fill: { secret: 'always the same' } },
        { resource: 'notes', move: { town: 'place.city' } },
      ],
    },
  },
});

/** A model whose older contract gives the names of public fields to other ones, and to a secret one. */
const swapped = defineModel({
  name: 'desk',
  version: '2.0.0',
  default_version: 2,
  auth: {
    issuers: [{ name: 'test', issuer: 'https://id.example.com', audience: 'desk', hs256_secret: 'x'.repeat(32) }],
  },
  limits: { rate: false },
  resources: {
    notes: resource({
      id: 'client',
      schema: {
        type: 'object',
        properties: { pay: { type: 'string' }, wage: { type: 'string' }, text: { type: 'string' } },
      },
      access: { read: 'public', write: 'public', fields: { wage: { read: { scope: 'pay:read' } } } },
      before: {
        create: (draft) => refuse('INVALID', 'No.', [{ field: draft.pay ?? '', message: 'is bad' }]),
      },
    }),
  },
  versions: { '1.0.0': { changes: [{ resource: 'notes', rename: { words: 'text', text: 'wage', wage: 'pay' } }] } },
});

const UNKNOWN = { field: 'body', message: 'is not valid' };

describe('the field of an error that the newest contract finds', () => {
  it("[VER-5a] [ERR-3] has the name of the caller's contract, and is the body where that has none", async () => {
    await using api = await apiUnderTest(model, { tokens: callerTokens() });
    for (const [field, detail] of [
      ['text', { field: 'words', message: 'is bad' }],
      ['codes[2]', { field: 'tags[2]', message: 'is bad' }],
      ['codes[2].name', { field: 'tags[2].name', message: 'is bad' }],
      ['place.city', { field: 'town', message: 'is bad' }],
      ['secret', UNKNOWN],
      ['secret[0].x', UNKNOWN],
      ['id', { field: 'id', message: 'is bad' }],
      ['If-Match', { field: 'If-Match', message: 'is bad' }],
    ] as const) {
      const older = await api.send({ send: 'POST /api/v1/notes', body: { id: 'a', words: field } });
      assert.deepEqual([older.status, older.body.details], [400, [detail]]);
      assert.doesNotMatch(older.text, /secret|codes|place/);
      const newest = await api.send({ send: 'POST /api/v2/notes', body: { id: 'a', text: field } });
      assert.deepEqual(newest.body.details, [{ field, message: 'is bad' }]);
    }
  });

  it('[VER-5a] [ERR-3] has its older name in messages, of an item of a list and of a member, too', async () => {
    await using api = await apiUnderTest(model, { tokens: callerTokens() });
    const older = await api.send({ send: 'POST /api/v1/notes', body: { id: 'a', words: 'codes[3]' } });
    assert.equal(older.body.errorMessage, 'tags[3] is wrong: see tags[1], town and price.');
    assert.deepEqual(older.body.details, [{ field: 'tags[3]', message: 'equals tags[1]; its code is bad' }]);
    const newest = await api.send({ send: 'POST /api/v2/notes', body: { id: 'a', text: 'codes[3]' } });
    assert.equal(newest.body.errorMessage, LONG);
  });

  it('[VER-5a] [REP-11b] compares hidden fields by the names of one contract', async () => {
    await using api = await apiUnderTest(swapped, { tokens: callerTokens() });
    const details = async (send: string, field: string) =>
      (await api.send({ send, body: { id: 'a', [send.includes('v1') ? 'wage' : 'pay']: field } })).body.details;
    // The text of the older contract is the secret wage of the newest one, its wage the public pay.
    assert.deepEqual(await details('POST /api/v1/notes', 'pay'), [{ field: 'wage', message: 'is bad' }]);
    assert.deepEqual(await details('POST /api/v1/notes', 'text'), [{ field: 'words', message: 'is bad' }]);
    assert.deepEqual(await details('POST /api/v1/notes', 'wage'), [UNKNOWN]);
    assert.deepEqual(await details('POST /api/v2/notes', 'pay'), [{ field: 'pay', message: 'is bad' }]);
    assert.deepEqual(await details('POST /api/v2/notes', 'wage'), [UNKNOWN]);
  });

  it('[VER-5a] [ERR-3] is the body where a value is taken that the caller cannot send', async () => {
    await using api = await apiUnderTest(model, { tokens: callerTokens() });
    const create = (id: string) => api.send({ send: 'POST /api/v1/notes', body: { id, words: null } });
    assert.equal((await create('a')).status, 201);
    const { status, body, text } = await create('b');
    assert.deepEqual([status, body.errorCode, body.details], [409, 'NOTE_ALREADY_EXISTS', [UNKNOWN]]);
    assert.doesNotMatch(text, /secret/);
  });

  it('[VER-5a] [REP-11b] is the body where the caller may not read the field, whatever its name is', async () => {
    await using api = await apiUnderTest(model, { tokens: callerTokens() });
    const details = async (scopes: readonly string[]) => {
      const headers = as({ subject: 'ann', scopes });
      const body = { id: 'a', words: 'pay' };
      return (await api.send({ send: 'POST /api/v1/notes', headers, body })).body.details;
    };
    assert.deepEqual(await details(['pay:read']), [{ field: 'wage', message: 'is bad' }]);
    assert.deepEqual(await details([]), [UNKNOWN]);
  });
});
