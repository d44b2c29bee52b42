import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ApiUnderTest, Seen } from '../support/api-under-test.ts';
import { raced } from '../support/raced-notes.ts';
import type { Rival } from '../support/rival.ts';

const JSON_PATCH = { 'Content-Type': 'application/json-patch+json' };

const row = (desk: ApiUnderTest): Promise<Seen> => desk.send({ send: 'GET /api/v1/notes/a' });

describe('a race lost to another process', () => {
  it('[CACHE-3] is retried on the new row: no change is lost', async () => {
    await using desk = await raced([(rival) => rival.change('a', { text: 'rival' })]);
    const has = { text: 'rival', kind: 'mine' };
    await desk.row({
      send: 'PATCH /api/v1/notes/a',
      body: { kind: 'mine' },
      status: 200,
      has,
      events: ['note.updated'],
    });
  });

  it('[CACHE-3] is 412 with If-Match', async () => {
    await using desk = await raced([(rival) => rival.change('a', { text: 'rival' })]);
    const tag = (await row(desk)).headers.get('etag') ?? '';
    for (const [method, body] of [
      ['PATCH', { text: 'mine' }],
      ['DELETE', undefined],
    ] as const) {
      await desk.row({ send: `${method} /api/v1/notes/a`, headers: { 'If-Match': tag }, body, status: 412 });
    }
    assert.equal((await row(desk)).body['text'], 'rival');
  });

  it('[CACHE-3] is 412 with the ETag of the collection', async () => {
    await using desk = await raced([(rival) => rival.change('a', { text: 'rival' })]);
    const tag = (await desk.send({ send: 'GET /api/v1/notes' })).headers.get('etag') ?? '';
    await desk.row({ send: 'POST /api/v1/notes', headers: { 'If-Match': tag }, body: { id: 'b' }, status: 412 });
  });

  it('[MET-1] creates with an If-None-Match that does not match', async () => {
    await using desk = await raced([(rival) => rival.change('a', { text: 'rival' })]);
    const headers = { 'If-None-Match': '"never"' };
    await desk.row({ send: 'POST /api/v1/notes', headers, body: { id: 'b' }, status: 201, events: ['note.created'] });
  });

  it('[REP-6] is 412 with a revision in the body', async () => {
    await using desk = await raced([(rival) => rival.change('a', { text: 'rival' })]);
    const { body } = await row(desk);
    await desk.row({ send: 'PUT /api/v1/notes/a', body: { ...body, text: 'mine' }, status: 412 });
  });

  it('[MET-3] evaluates the test operations of a JSON patch again', async () => {
    await using desk = await raced([(rival) => rival.change('a', { text: 'rival' })]);
    const body = [
      { op: 'test', path: '/text', value: 'old' },
      { op: 'replace', path: '/text', value: 'mine' },
    ];
    await desk.row({
      send: 'PATCH /api/v1/notes/a',
      headers: JSON_PATCH,
      body,
      status: 409,
      has: { errorCode: 'NOTE_CONFLICT' },
    });
  });

  it('[MET-11] evaluates state transitions again', async () => {
    await using desk = await raced([(rival) => rival.change('a', { phase: 'DONE' })]);
    const { body } = await desk.row({ send: 'PATCH /api/v1/notes/a', body: { phase: 'OPEN' }, status: 409 });
    assert.match(body['errorMessage'], /cannot change from DONE to OPEN/);
  });

  it('[MET-7] changes nothing if the other process wrote the same', async () => {
    await using desk = await raced([(rival) => rival.change('a', { text: 'same' })]);
    const { body } = await desk.row({ send: 'PATCH /api/v1/notes/a', body: { text: 'same' }, status: 200 });
    assert.equal(body['updated_at'], '2026-01-02T03:05:00.000Z');
  });

  it('[MET-3] is 404 if the row was deleted', async () => {
    await using desk = await raced([(rival) => rival.remove('a')]);
    await desk.row({ send: 'PATCH /api/v1/notes/a', body: { text: 'mine' }, status: 404 });
  });

  it('[MET-2] recreates a deleted row with PUT', async () => {
    await using desk = await raced([(rival) => rival.remove('a')]);
    const body = { text: 'mine' };
    await desk.row({ send: 'PUT /api/v1/notes/a', body, status: 201, has: body, events: ['note.created'] });
  });

  it('[REP-6] does not recreate a deleted row if the body has its revision', async () => {
    await using desk = await raced([(rival) => rival.remove('a')]);
    const { body } = await row(desk);
    await desk.row({ send: 'PUT /api/v1/notes/a', body: { ...body, text: 'mine' }, status: 412 });
  });

  it('[MET-2] replaces a new row with PUT, but not with If-None-Match: *', async () => {
    const come = (rival: Rival): Promise<void> => rival.create('new', { text: 'rival', phase: 'NEW', list: [] });
    await using desk = await raced([come]);
    const body = { text: 'mine' };
    await desk.row({ send: 'PUT /api/v1/notes/new', body, status: 200, has: body, events: ['note.updated'] });
    await using careful = await raced([come]);
    const headers = { 'If-None-Match': '*' };
    await careful.row({ send: 'PUT /api/v1/notes/new', headers, body, status: 412 });
  });

  it('[MET-1] is 409 for a POST of an id that now exists', async () => {
    await using desk = await raced([(rival) => rival.create('new', { phase: 'NEW', list: [] })]);
    await desk.row({
      send: 'POST /api/v1/notes',
      body: { id: 'new' },
      status: 409,
      has: { errorCode: 'NOTE_ALREADY_EXISTS' },
    });
  });

  it('[MET-4a] deletes the new row, and returns 404 if it is gone', async () => {
    await using desk = await raced([(rival) => rival.change('a', { text: 'rival' })]);
    await desk.row({ send: 'DELETE /api/v1/notes/a', status: 204, events: ['note.deleted'] });
    await using late = await raced([(rival) => rival.remove('a')]);
    await late.row({ send: 'DELETE /api/v1/notes/a', status: 404 });
  });

  it('[MET-4c] is planned again after a new reference: restrict rejects, cascade deletes', async () => {
    await using held = await raced([(rival) => rival.create('h', { note_id: 'a' })], 'held');
    await held.row({ send: 'DELETE /api/v1/notes/a', status: 409, has: { errorCode: 'NOTE_HAS_DEPENDENTS' } });
    await using taken = await raced([(rival) => rival.create('t', { note_id: 'a' })], 'taken');
    await taken.row({ send: 'DELETE /api/v1/notes/a', status: 204, events: ['taken_one.deleted', 'note.deleted'] });
  });

  it('[MET-10] is 400 if a referenced row was deleted', async () => {
    await using desk = await raced([(rival) => rival.remove('a')]);
    await desk.row({
      send: 'POST /api/v1/held',
      body: { id: 'h', note_id: 'a' },
      status: 400,
      has: {
        errorCode: 'HELD_ONE_INVALID',
        details: [{ field: 'note_id', message: 'refers to nothing; send the id of a resource that exists' }],
      },
    });
  });

  it('[ERR-7] ends with 503 and Retry-After if it is lost repeatedly', async () => {
    const acts = Array.from(
      { length: 100 },
      (_, index) => (rival: Rival) => rival.change('a', { text: `rival ${index}` }),
    );
    for (const [method, body] of [
      ['PATCH', { text: 'mine' }],
      ['DELETE', undefined],
    ] as const) {
      await using desk = await raced(acts);
      await desk.row({
        send: `${method} /api/v1/notes/a`,
        body,
        status: 503,
        has: { errorCode: 'SERVER_OVERLOADED' },
        expectHeaders: { 'Retry-After': /^\d+$/ },
      });
      assert.match((await row(desk)).body['text'], /^rival/);
    }
  });
});
