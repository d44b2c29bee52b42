import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apiUnderTest } from '../support/api-under-test.ts';
import { create, LAMP, SHOP } from '../models/shop-model.ts';

const MINIMAL = { Prefer: 'return=minimal' };

describe('return=minimal', () => {
  it('[MET-8] returns 201 without a body, with Location', async () => {
    await using shop = await apiUnderTest(SHOP);
    const made = await shop.row({
      send: 'POST /api/v1/notes',
      headers: MINIMAL,
      body: { id: 'a' },
      status: 201,
      expectHeaders: {
        'Preference-Applied': 'return=minimal',
        Location: '/api/v1/notes/a',
        ETag: /^"\d+\..+"$/,
        'Content-Type': null,
        'Content-Location': null,
      },
      events: ['note.created'],
    });
    assert.equal(made.text, '');
  });

  it('[MET-8] returns 204 for PUT and PATCH', async () => {
    await using shop = await apiUnderTest(SHOP);
    const { id } = await create(shop, 'products', LAMP);
    const send = `/api/v1/products/${id}`;
    const applied = { 'Preference-Applied': 'return=minimal', 'Content-Type': null, Location: null };
    await shop.row({
      send: `PUT ${send}`,
      headers: MINIMAL,
      body: { ...LAMP, name: 'x' },
      status: 204,
      expectHeaders: { ...applied, ETag: null },
      events: ['product.updated'],
    });
    await shop.row({
      send: `PATCH ${send}`,
      headers: MINIMAL,
      body: { name: 'y' },
      status: 204,
      expectHeaders: { ...applied, ETag: /^"\d+\./ },
      events: ['product.updated'],
    });
    await shop.row({ send: `PATCH ${send}`, headers: MINIMAL, body: {}, status: 204, expectHeaders: applied });
    await shop.row({
      send: 'PUT /api/v1/notes/a',
      headers: MINIMAL,
      body: {},
      status: 201,
      expectHeaders: { ...applied, Location: '/api/v1/notes/a' },
      events: ['note.created'],
    });
  });

  it('[MET-8] [REP-5] is listed with handling=lenient if both were applied', async () => {
    await using shop = await apiUnderTest(SHOP);
    await shop.row({
      send: 'POST /api/v1/notes',
      headers: { Prefer: 'return=minimal, handling=lenient' },
      body: { id: 'a', unknown: 1 },
      status: 201,
      expectHeaders: { 'Preference-Applied': 'handling=lenient, return=minimal' },
      events: ['note.created'],
    });
  });

  it('[MET-8] does not affect reads, deletes and errors', async () => {
    await using shop = await apiUnderTest(SHOP);
    await create(shop, 'notes', { id: 'a' });
    const untold = { 'Preference-Applied': null };
    await shop.row({
      send: 'GET /api/v1/notes/a',
      headers: MINIMAL,
      status: 200,
      expectHeaders: untold,
      has: { id: 'a' },
    });
    await shop.row({
      send: 'POST /api/v1/notes',
      headers: MINIMAL,
      body: {},
      status: 400,
      expectHeaders: untold,
      has: { errorCode: 'NOTE_INVALID' },
    });
    await shop.row({
      send: 'DELETE /api/v1/notes/a',
      headers: MINIMAL,
      status: 204,
      expectHeaders: untold,
      events: ['note.deleted'],
    });
  });
});
