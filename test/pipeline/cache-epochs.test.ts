import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { temporaryDirectory } from '../temporary-directory.ts';
import { apiUnderTest, START } from './api-under-test.ts';
import { create } from './shop-model.ts';

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

/** The tags of a note and of its collection, as one model after another tells them on one database. */
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

describe('an edition', () => {
  it('[CACHE-1] lasts while a database is served alike', async (context) => {
    const [item, collection, ...again] = await tagsUnder(context, [MODEL, MODEL]);
    assert.deepEqual(again, [item, collection]);
  });

  it('[CACHE-1] ends where the model changes, and does not come again with it: rows were rewritten meanwhile', async (context) => {
    const tags = await tagsUnder(context, [MODEL, FILLED, MODEL]);
    assert.equal(new Set(tags).size, 6);
  });

  it('[CACHE-1] is of one database: another one with a row of the same revision has other tags', async () => {
    const tags: string[] = [];
    for (const text of ['one', 'other']) {
      await using desk = await apiUnderTest(MODEL);
      const { headers, body } = await create(desk, 'notes', { id: 'a', text });
      assert.equal(body['revision'], 1);
      tags.push(headers.get('etag') ?? '');
    }
    assert.notEqual(tags[0], tags[1]);
  });

  it('[CACHE-4] changes what is told of every row: none is older', async (context) => {
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
