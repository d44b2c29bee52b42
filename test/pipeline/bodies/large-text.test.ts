import assert from 'node:assert/strict';
import { it } from 'node:test';
import { apiUnderTest } from '../support/api-under-test.ts';
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
        lists: { type: object, additionalProperties: { type: array, items: { type: string } } }
        parent_id: { type: string, x-references: { resource: notes, as: parent, inverse: children } }
`;

it('[NEG-6] [LIM-1] what would be too large as text is 406, and JSON for others', async () => {
  await using desk = await apiUnderTest(MODEL);
  const lists = { ['k'.repeat(20_000)]: Array.from({ length: 9_000 }, () => '') };
  await create(desk, 'notes', { id: 'a' });
  await create(desk, 'notes', { id: 'b', lists, parent_id: 'a' });
  for (const target of ['notes/b', 'notes', 'notes/a?expand=children', 'notes?fields=parent_id&expand=children']) {
    const send = `GET /api/v1/${target}`;
    await desk.row({ send, status: 200 });
    const { text } = await desk.row({ send, headers: { Accept: 'text/plain' }, status: 406 });
    assert.match(text, /^errorCode: REQUEST_NOT_ACCEPTABLE$/m);
  }
});

it('[MET-3] [LIM-1] a write whose response would be too large as text is made, and answered with JSON', async () => {
  await using desk = await apiUnderTest(MODEL);
  const lists = { ['k'.repeat(20_000)]: Array.from({ length: 9_000 }, () => '') };
  await create(desk, 'notes', { id: 'a' });
  const { body } = await desk.row({
    send: 'PATCH /api/v1/notes/a',
    headers: { Accept: 'text/plain' },
    body: { lists },
    status: 200,
    expectHeaders: { 'Content-Type': 'application/json' },
    events: ['note.updated'],
  });
  const { headers } = await desk.row({ send: 'GET /api/v1/notes/a', status: 200, expectBody: body });
  const tag = headers.get('etag') ?? '';
  await desk.row({ send: 'GET /api/v1/notes/a', headers: { 'If-None-Match': tag }, status: 304 });
});
