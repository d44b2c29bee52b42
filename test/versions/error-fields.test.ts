import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineModel, refuse, resource } from '../../src/index.ts';
import { apiUnderTest } from '../pipeline/support/api-under-test.ts';
import { as, callerTokens } from '../pipeline/support/caller-tokens.ts';

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
    },
  },
  access: { read: 'public', write: 'public', fields: { pay: { read: { scope: 'pay:read' } } } },
  before: {
    create: (draft) => {
      if (draft.text !== null)
        refuse('INVALID', 'The note is not valid now.', [{ field: draft.text, message: 'is bad' }]);
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
        { resource: 'notes', rename: { words: 'text', tags: 'codes', wage: 'pay' } },
        { resource: 'notes', without: ['secret'] },
        { resource: 'notes', fill: { secret: 'always the same' } },
        { resource: 'notes', move: { town: 'place.city' } },
      ],
    },
  },
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
