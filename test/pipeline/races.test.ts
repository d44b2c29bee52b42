import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ApiUnderTest, Seen } from './api-under-test.ts';
import { raced } from './raced-notes.ts';
import type { Rival } from './rival.ts';

const JSON_PATCH = { 'Content-Type': 'application/json-patch+json' };

const row = (desk: ApiUnderTest): Promise<Seen> => desk.send({ send: 'GET /api/v1/notes/a' });

describe('a race that is lost to another process', () => {
  it('[CACHE-3] is run again on the row as it is then: neither change is lost', async () => {
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

  it('[CACHE-3] is 412 where the caller said which row it meant', async () => {
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

  it('[CACHE-3] is 412 where the caller said which state of the collection it meant', async () => {
    await using desk = await raced([(rival) => rival.change('a', { text: 'rival' })]);
    const tag = (await desk.send({ send: 'GET /api/v1/notes' })).headers.get('etag') ?? '';
    await desk.row({ send: 'POST /api/v1/notes', headers: { 'If-Match': tag }, body: { id: 'b' }, status: 412 });
  });

  it('[MET-1] is created all the same where the caller named a state that the collection is not to have', async () => {
    await using desk = await raced([(rival) => rival.change('a', { text: 'rival' })]);
    const headers = { 'If-None-Match': '"never"' };
    await desk.row({ send: 'POST /api/v1/notes', headers, body: { id: 'b' }, status: 201, events: ['note.created'] });
  });

  it('[REP-6] is 412 where the body said it', async () => {
    await using desk = await raced([(rival) => rival.change('a', { text: 'rival' })]);
    const { body } = await row(desk);
    await desk.row({ send: 'PUT /api/v1/notes/a', body: { ...body, text: 'mine' }, status: 412 });
  });

  it('[MET-3] is judged again by the tests of a JSON patch', async () => {
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

  it('[MET-11] is judged again by the states', async () => {
    await using desk = await raced([(rival) => rival.change('a', { phase: 'DONE' })]);
    const { body } = await desk.row({ send: 'PATCH /api/v1/notes/a', body: { phase: 'OPEN' }, status: 409 });
    assert.match(body['errorMessage'], /cannot change from DONE to OPEN/);
  });

  it('[MET-7] changes nothing where the other wrote the same', async () => {
    await using desk = await raced([(rival) => rival.change('a', { text: 'same' })]);
    const { body } = await desk.row({ send: 'PATCH /api/v1/notes/a', body: { text: 'same' }, status: 200 });
    assert.equal(body['updated_at'], '2026-01-02T03:05:00.000Z');
  });

  it('[MET-3] is 404 where the row is gone', async () => {
    await using desk = await raced([(rival) => rival.remove('a')]);
    await desk.row({ send: 'PATCH /api/v1/notes/a', body: { text: 'mine' }, status: 404 });
  });

  it('[MET-2] creates the row that is gone, by PUT', async () => {
    await using desk = await raced([(rival) => rival.remove('a')]);
    const body = { text: 'mine' };
    await desk.row({ send: 'PUT /api/v1/notes/a', body, status: 201, has: body, events: ['note.created'] });
  });

  it('[REP-6] does not create the row that is gone where the body says which it was', async () => {
    await using desk = await raced([(rival) => rival.remove('a')]);
    const { body } = await row(desk);
    await desk.row({ send: 'PUT /api/v1/notes/a', body: { ...body, text: 'mine' }, status: 412 });
  });

  it('[MET-2] replaces the row that has come, by PUT, and does not where it may only create', async () => {
    const come = (rival: Rival): Promise<void> => rival.create('new', { text: 'rival', phase: 'NEW', list: [] });
    await using desk = await raced([come]);
    const body = { text: 'mine' };
    await desk.row({ send: 'PUT /api/v1/notes/new', body, status: 200, has: body, events: ['note.updated'] });
    await using careful = await raced([come]);
    const headers = { 'If-None-Match': '*' };
    await careful.row({ send: 'PUT /api/v1/notes/new', headers, body, status: 412 });
  });

  it('[MET-1] is 409 for a POST of an id that has come', async () => {
    await using desk = await raced([(rival) => rival.create('new', { phase: 'NEW', list: [] })]);
    await desk.row({
      send: 'POST /api/v1/notes',
      body: { id: 'new' },
      status: 409,
      has: { errorCode: 'NOTE_ALREADY_EXISTS' },
    });
  });

  it('[MET-4a] removes the row as it is then, and finds nothing where it is gone', async () => {
    await using desk = await raced([(rival) => rival.change('a', { text: 'rival' })]);
    await desk.row({ send: 'DELETE /api/v1/notes/a', status: 204, events: ['note.deleted'] });
    await using late = await raced([(rival) => rival.remove('a')]);
    await late.row({ send: 'DELETE /api/v1/notes/a', status: 404 });
  });

  it('[MET-4c] is worked out again where a row began to refer meanwhile: restrict refuses, cascade takes it along', async () => {
    await using held = await raced([(rival) => rival.create('h', { note_id: 'a' })], 'held');
    await held.row({ send: 'DELETE /api/v1/notes/a', status: 409, has: { errorCode: 'NOTE_HAS_DEPENDENTS' } });
    await using taken = await raced([(rival) => rival.create('t', { note_id: 'a' })], 'taken');
    await taken.row({ send: 'DELETE /api/v1/notes/a', status: 204, events: ['taken_one.deleted', 'note.deleted'] });
  });

  it('[MET-10] is 400 where what is referred to is gone', async () => {
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

  it('[ERR-7] is given up in time, with 503 and when to try again, where it is lost over and over', async () => {
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
