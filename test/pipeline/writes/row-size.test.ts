import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import { defineModel, resource } from '../../../src/model/typescript/define-model.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';
import { create } from '../models/shop-model.ts';

const model = (limit: string): string => `
name: desk
version: 1.0.0
limits: { row: ${limit} }
resources:
  notes:
    id: client
    schema:
      type: object
      properties:
        text: { type: string }
        tags: { type: array, items: { type: string } }
        labels: { type: object, additionalProperties: { type: string } }
`;
const JSON_PATCH = { 'Content-Type': 'application/json-patch+json' };
const MERGE_PATCH = { 'Content-Type': 'application/merge-patch+json' };
const refused = { status: 413, has: { errorCode: 'REQUEST_BODY_TOO_LARGE' } };

async function desk(): Promise<ApiUnderTest> {
  const api = await apiUnderTest(model('1KiB'));
  await create(api, 'notes', { id: 'a', text: 'x'.repeat(500), tags: ['t'.repeat(300)] });
  return api;
}

describe('a row that is too large', () => {
  const requests = [
    ['POST', 'notes', {}, { id: 'b', text: 'x'.repeat(1_100) }],
    ['PUT', 'notes/a', {}, { text: 'x'.repeat(1_100) }],
    ['PUT', 'notes/new', {}, { text: 'x'.repeat(1_100) }],
    ['PATCH', 'notes/a', MERGE_PATCH, { labels: { k: 'v'.repeat(300) } }],
    ['PATCH', 'notes/a', JSON_PATCH, [{ op: 'copy', from: '/tags/0', path: '/tags/-' }]],
    ['PATCH', 'notes/a', JSON_PATCH, [{ op: 'add', path: '/labels', value: { k: 'é'.repeat(150) } }]],
  ] as const;
  for (const [method, target, headers, body] of requests) {
    it(`[LIM-1] is not written: ${method} ${target} ${JSON.stringify(body).slice(0, 40)}`, async () => {
      await using api = await desk();
      const before = await api.row({ send: 'GET /api/v1/notes', status: 200 });
      const { body: error } = await api.row({ send: `${method} /api/v1/${target}`, headers, body, ...refused });
      assert.match(
        error['errorMessage'],
        /^This note would have \d+ bytes as JSON, and a note has at most 1024; send less/,
      );
      assert.equal(error['details'].length, 1);
      assert.equal((await api.row({ send: 'GET /api/v1/notes', status: 200 })).text, before.text);
    });
  }

  it('[LIM-1] is counted as the bytes of its set fields, and may have all of the limit', async () => {
    await using api = await apiUnderTest(model('1KiB'));
    const text = 'é'.repeat((1_024 - '"text":"",'.length) / 2);
    await create(api, 'notes', { id: 'a', text });
    await api.row({ send: 'PATCH /api/v1/notes/a', body: { text: `${text}x` }, ...refused });
    await create(api, 'notes', { id: 'b', text: 'x' });
    assert.equal((await api.send({ send: 'PATCH /api/v1/notes/b', body: { text } })).status, 200);
    await api.newEvents();
    await api.row({ send: 'PATCH /api/v1/notes/b', body: { text: `${text}x` }, ...refused });
  });

  it('[LIM-1] [MET-13] is refused in a batch and in NDJSON', async () => {
    await using api = await desk();
    const operation = { method: 'PATCH', path: '/notes/a', body: { text: 'x'.repeat(1_100) } };
    const batch = await api.row({
      send: 'POST /api/v1/batches',
      body: { atomic: false, operations: [operation] },
      status: 201,
    });
    assert.deepEqual([batch.body['results'][0].status, batch.body['status']], [413, 'failed']);
    await api.row({
      send: 'POST /api/v1/batches',
      body: { atomic: true, operations: [operation] },
      status: 413,
      has: { errorCode: 'REQUEST_BODY_TOO_LARGE' },
    });
    const lines = await api.send({
      send: 'POST /api/v1/notes',
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: `${JSON.stringify({ id: 'c', text: 'x'.repeat(1_100) })}\n`,
    });
    assert.equal(JSON.parse(lines.text).status, 413);
  });

  it('[LIM-1] was allowed before: it may change and get smaller, not larger', async (context) => {
    const database = path.join(temporaryDirectory(context), 'desk.db');
    {
      await using before = await apiUnderTest(model('1MiB'), { database });
      await create(before, 'notes', { id: 'a', text: 'x'.repeat(5_000) });
    }
    await using api = await apiUnderTest(model('1KiB'), { database });
    await api.newEvents();
    const events = ['note.updated'];
    await api.row({ send: 'PATCH /api/v1/notes/a', body: { text: 'y'.repeat(5_000) }, status: 200, events });
    await api.row({ send: 'PATCH /api/v1/notes/a', body: { text: 'y'.repeat(4_000) }, status: 200, events });
    await api.row({ send: 'PATCH /api/v1/notes/a', body: { text: 'y'.repeat(4_001) }, ...refused });
  });

  it('[LIM-1] is not written where a hook has made it so', async () => {
    const text = { type: 'string' } as const;
    const hooked = defineModel({
      name: 'desk',
      version: '1.0.0',
      limits: { row: '1KiB' },
      resources: {
        notes: resource({
          id: 'client',
          schema: { type: 'object', properties: { text } },
          before: { create: (values) => ({ ...values, text: 'x'.repeat(2_000) }) },
        }),
      },
    });
    await using api = await apiUnderTest(hooked);
    await api.row({ send: 'POST /api/v1/notes', body: { id: 'a', text: 'short' }, ...refused });
  });

  it('[LIM-1] is not written by a hook of another row, nor is that row', async () => {
    const text = { type: 'string' } as const;
    const schema = { type: 'object', properties: { text } } as const;
    const hooked = defineModel({
      name: 'desk',
      version: '1.0.0',
      limits: { row: '1KiB' },
      resources: {
        logs: resource({ id: 'client', schema }),
        notes: resource({
          id: 'client',
          schema,
          before: {
            create: async (values, { writes }) => {
              if (values.text === 'logged') await writes.create('logs', { id: 'log', text: 'x'.repeat(2_000) });
              return values;
            },
            update: async (values, { writes }) => {
              await writes.update('logs', 'all', { text: 'x'.repeat(2_000) });
              return values;
            },
          },
        }),
      },
    });
    await using api = await apiUnderTest(hooked);
    await create(api, 'logs', { id: 'all' });
    await api.row({ send: 'POST /api/v1/notes', body: { id: 'a', text: 'logged' }, ...refused });
    await api.row({ send: 'GET /api/v1/notes/a', status: 404 });
    await create(api, 'notes', { id: 'b' });
    await api.row({ send: 'PATCH /api/v1/notes/b', body: { text: 'changed' }, ...refused });
    await api.row({ send: 'GET /api/v1/notes/b', status: 200, has: { text: null } });
    await api.row({ send: 'GET /api/v1/logs/log', status: 404 });
  });
});
