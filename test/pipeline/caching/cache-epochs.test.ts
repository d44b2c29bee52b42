import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { apiUnderTest, START } from '../support/api-under-test.ts';
import { create } from '../models/shop-model.ts';

const MODEL = `
name: desk
version: 1.0.0
resources:
  notes:
    id: client
    schema:
      type: object
      properties:
        text: { type: string }
`;
const FILLED = MODEL.replace('{ type: string }', '{ type: string, default: filled }').replace(
  'properties:',
  'required: [text]\n      properties:',
);
const HOUR = 3_600_000;

const date = (milliseconds: number): string => new Date(milliseconds).toUTCString();

/** The ETags of a note and of its collection, with several models on one database. */
async function tagsUnder(context: TestContext, models: readonly string[]): Promise<readonly string[]> {
  const database = path.join(temporaryDirectory(context), 'desk.db');
  const tags: string[] = [];
  for (const model of models) {
    await using desk = await apiUnderTest(model, { database });
    if (tags.length === 0) await create(desk, 'notes', { id: 'a' });
    for (const target of ['notes/a', 'notes']) {
      const { headers } = await desk.send({ send: `GET /api/v1/${target}` });
      tags.push(headers.get('etag') ?? '');
    }
  }
  return tags;
}

describe('a cache epoch', () => {
  it('[CACHE-1] lasts while model and program stay the same', async (context) => {
    const [item, collection, ...again] = await tagsUnder(context, [MODEL, MODEL]);
    assert.deepEqual(again, [item, collection]);
  });

  it('[CACHE-1] ends when the model changes, and does not return with it, because rows may have been rewritten', async (context) => {
    const tags = await tagsUnder(context, [MODEL, FILLED, MODEL]);
    assert.equal(new Set(tags).size, 6);
  });

  it('[CACHE-1] belongs to one database: another database has other ETags for the same revision', async () => {
    const tags: string[] = [];
    for (const text of ['one', 'other']) {
      await using desk = await apiUnderTest(MODEL);
      const { headers, body } = await create(desk, 'notes', { id: 'a', text });
      assert.equal(body['revision'], 1);
      tags.push(headers.get('etag') ?? '');
    }
    assert.notEqual(tags[0], tags[1]);
  });

  it('[CACHE-4] updates Last-Modified of every row', async (context) => {
    const database = path.join(temporaryDirectory(context), 'desk.db');
    const send = 'GET /api/v1/notes/a';
    {
      await using desk = await apiUnderTest(MODEL, { database });
      await create(desk, 'notes', { id: 'a' });
      desk.clock.advance(2_000);
      await desk.row({ send, status: 200, expectHeaders: { 'Last-Modified': date(START) } });
    }
    await using desk = await apiUnderTest(FILLED, { database, time: START + HOUR });
    await desk.newEvents();
    const known = { 'If-Modified-Since': date(START) };
    await desk.row({ send, headers: known, status: 200, expectHeaders: { 'Last-Modified': null } });
    desk.clock.advance(2_000);
    await desk.row({ send, headers: known, status: 200, expectHeaders: { 'Last-Modified': date(START + HOUR) } });
    await desk.row({ send, headers: { 'If-Modified-Since': date(START + HOUR) }, status: 304 });
  });
});
