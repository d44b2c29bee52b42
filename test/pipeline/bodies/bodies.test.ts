import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { RequestBody } from '../../../src/exchange/handler.ts';
import { type ApiUnderTest, apiUnderTest, rawRequest } from '../support/api-under-test.ts';
import { create, LAMP, SHOP } from '../models/shop-model.ts';

let shop: ApiUnderTest;
before(async () => {
  shop = await apiUnderTest(SHOP);
});
after(() => shop.close());

describe('a read-only member of a body', () => {
  it('[REP-6] is ignored, so that a GET response can be edited and sent back', async () => {
    await using own = await apiUnderTest(SHOP);
    const { id } = await create(own, 'products', { ...LAMP, tags: ['a'], size: { unit: 'mm' } });
    const self = `/api/v1/products/${id}`;
    const { body, text } = await own.row({ send: `GET ${self}`, status: 200 });
    const { text: same } = await own.row({ send: `PUT ${self}`, body, status: 200 });
    assert.equal(same, text);
    const edited = { ...body, name: 'Chair', created_at: 'x', updated_at: 5, links: null, owner_id: 'me' };
    const has = { name: 'Chair', owner_id: null, created_at: body['created_at'] };
    await own.row({ send: `PUT ${self}`, body: edited, status: 200, has, events: ['product.updated'] });
  });

  for (const weight of ['1e15', '9007199254740991', '1e17', '-1.8e19', '1e21', '1.7976931348623157e308', '5e-324']) {
    it(`[REP-6] does not prevent a round trip of the number ${weight}`, async () => {
      await using own = await apiUnderTest(SHOP);
      const body = `{"sku":"a","name":"A","price":"1","weight":${weight}}`;
      const made = await own.send({ send: 'POST /api/v1/products', body });
      assert.equal(made.status, 201, made.text);
      await own.newEvents();
      const send = `PUT ${made.headers.get('location') ?? ''}`;
      await own.row({ send, body: made.text, status: 200, expectBody: made.body });
    });
  }

  const ids: readonly (readonly [method: string, body: object, status: number])[] = [
    ['PUT', { id: 'a' }, 200],
    ['PATCH', { id: 'a' }, 200],
    ['PUT', { id: 'b' }, 400],
    ['PATCH', { id: 'b' }, 400],
    ['PATCH', { id: 5 }, 400],
    ['PATCH', { id: 'A' }, 400],
  ];
  for (const [method, body, status] of ids) {
    it(`[REP-6] id must equal the path: ${method} of ${JSON.stringify(body)} to a is ${status}`, async () => {
      await using own = await apiUnderTest(SHOP);
      await create(own, 'notes', { id: 'a' });
      const { body: answer } = await own.row({ send: `${method} /api/v1/notes/a`, body, status });
      if (status === 400) assert.equal(answer['details']?.[0]?.['field'], 'id');
    });
  }

  it('[REP-6] id must equal the path also when PUT creates', async () => {
    await shop.row({ send: 'PUT /api/v1/notes/fresh', body: { id: 'other' }, status: 400 });
    await shop.row({ send: 'PUT /api/v1/notes/fresh', body: { id: 'fresh' }, status: 201, events: ['note.created'] });
  });

  it('[REP-6] revision is compared only without If-Match', async () => {
    await using own = await apiUnderTest(SHOP);
    const { body, headers } = await create(own, 'notes', { id: 'a', text: 'x' });
    const revision = Number(body['revision']);
    const stale = { text: 'y', revision: revision - 1 };
    const has = { errorCode: 'NOTE_PRECONDITION_FAILED' };
    for (const method of ['PUT', 'PATCH']) {
      await own.row({ send: `${method} /api/v1/notes/a`, body: stale, status: 412, has });
      await own.row({ send: `${method} /api/v1/notes/a`, body: { ...stale, revision: 1.5 }, status: 412, has });
      await own.row({ send: `${method} /api/v1/notes/a`, body: { ...stale, unknown: 1 }, status: 412, has });
    }
    const ifMatch = { 'If-Match': headers.get('etag') ?? '' };
    const events = ['note.updated'];
    await own.row({ send: 'PATCH /api/v1/notes/a', headers: ifMatch, body: stale, status: 200, events });
    await own.row({ send: 'PATCH /api/v1/notes/a', body: { text: 'z', revision: null }, status: 200, events });
  });

  it('[REP-6] revision expects a row: PUT does not recreate a deleted one', async () => {
    await using own = await apiUnderTest(SHOP);
    const { body } = await create(own, 'notes', { id: 'a', text: 'x' });
    await own.row({ send: 'DELETE /api/v1/notes/a', status: 204, events: ['note.deleted'] });
    await own.row({ send: 'PUT /api/v1/notes/a', body, status: 412, has: { errorCode: 'NOTE_PRECONDITION_FAILED' } });
  });

  it('[REP-6] differs from an immutable field, whose change is 400', async () => {
    await using own = await apiUnderTest(SHOP);
    const { id } = await create(own, 'products', LAMP);
    const details = [{ field: 'sku', message: 'is immutable; it cannot be changed after creation' }];
    const has = { errorCode: 'PRODUCT_INVALID', details };
    for (const method of ['PUT', 'PATCH']) {
      await own.row({ send: `${method} /api/v1/products/${id}`, body: { ...LAMP, sku: 'other' }, status: 400, has });
      await own.row({ send: `${method} /api/v1/products/${id}`, body: LAMP, status: 200 });
    }
  });
});

describe('a body', () => {
  const deep = (levels: number): string => `{"text":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
  const malformed: readonly (readonly [what: string, body: string | Uint8Array, says: RegExp])[] = [
    ['an incomplete object', '{', /line 1, column 2/],
    ['a trailing comma', '{"text":"x",}', /line 1, column 13/],
    ['an error on another line', '{\n "text": nul\n}', /line 2, column 10/],
    ['two values', '{} {}', /column 4/],
    ['a comment', '{/* */}', /column 2/],
    ['single quotes', "{'text':1}", /double quotes/],
    ['a duplicate member', '{"text":"a","text":"b"}', /duplicate member/],
    ['a duplicate member, escaped', '{"text":"a","te\\u0078t":"b"}', /duplicate member/],
    ['a duplicate member, deep', '{"text":{"a":1,"a":2}}', /duplicate member/],
    ['__proto__', '{"__proto__":{}}', /__proto__/],
    ['__proto__, escaped', '{"\\u005f_proto__":{}}', /__proto__/],
    ['constructor', '{"constructor":1}', /constructor/],
    ['prototype, deep', '{"text":{"prototype":1}}', /prototype/],
    ['a lone surrogate', '{"text":"\\ud800"}', /surrogate/],
    ['a reversed surrogate pair', '{"text":"\\udc00\\ud800"}', /surrogate/],
    ['NUL', '{"text":"\\u0000"}', /NUL/],
    ['a raw line feed in a string', '{"text":"a\nb"}', /escaped/],
    ['an integer above 2^53-1', '{"text":9007199254740992}', /9007199254740991/],
    ['an integer below -(2^53-1)', '{"text":-9007199254740992}', /9007199254740991/],
    ['an infinite number', '{"text":1e400}', /too large/],
    ['NaN', '{"text":NaN}', /expected a value/],
    ['a leading zero', '{"text":01}', /column 10/],
    ['depth 33', deep(33), /32/],
    ['10,001 items', `{"text":[${'1,'.repeat(10_000)}1]}`, /10000/],
    ['bytes that are not UTF-8', Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d), /UTF-8/],
    ['UTF-16', Uint8Array.of(0xff, 0xfe, 0x7b, 0, 0x7d, 0), /UTF-8/],
  ];
  for (const [what, body, says] of malformed) {
    it(`[REP-7] of ${what} is 400, with the position if known`, async () => {
      const has = { errorCode: 'REQUEST_BODY_MALFORMED', details: [] };
      const { body: error } = await shop.row({ send: 'POST /api/v1/notes', body, status: 400, has });
      assert.match(String(error['errorMessage']), says);
    });
  }

  it('[REP-7] may begin with a byte order mark, and be 32 levels deep', async () => {
    const bom = `\u{FEFF}{"id":"bom"}`;
    await shop.row({ send: 'POST /api/v1/notes', body: bom, status: 201, events: ['note.created'] });
    await shop.row({ send: 'POST /api/v1/notes', body: deep(32), status: 400, has: { errorCode: 'NOTE_INVALID' } });
  });

  for (const body of ['', ' \r\n\t']) {
    it(`[REP-7] of ${JSON.stringify(body)} is required`, async () => {
      const has = { errorCode: 'REQUEST_BODY_REQUIRED' };
      for (const send of ['POST /api/v1/notes', 'PUT /api/v1/notes/none']) {
        await shop.row({ send, body, status: 400, has });
      }
    });
  }

  for (const body of ['null', '[]', '"x"', '5', 'true', '[{"id":"a"}]']) {
    it(`[REP-1] ${body} is not a resource`, async () => {
      await shop.row({ send: 'POST /api/v1/notes', body, status: 400, has: { errorCode: 'NOTE_INVALID' } });
    });
  }

  it('[NEG-2] may be gzip; the limit applies to the decompressed size', async () => {
    const headers = { 'Content-Encoding': 'gzip' };
    const send = 'PUT /api/v1/notes/gzip';
    const body = gzipSync('{"text":"zipped"}');
    const has = { text: 'zipped' };
    await shop.row({ send, headers, body, status: 201, has, events: ['note.created'] });
    const bomb = gzipSync(`{"text":"${'a'.repeat(2 ** 20)}"}`);
    assert.ok(bomb.length < 10_000);
    await shop.row({ send, headers, body: bomb, status: 413, has: { errorCode: 'REQUEST_BODY_TOO_LARGE' } });
    for (const broken of [body.subarray(0, -5), Buffer.from('{"text":"plain"}')]) {
      await shop.row({ send, headers, body: broken, status: 400, has: { errorCode: 'REQUEST_BODY_MALFORMED' } });
    }
  });
});

describe('a revision', () => {
  it('[REP-8] changes with every change only', async () => {
    await using own = await apiUnderTest(SHOP);
    const { body } = await create(own, 'notes', { id: 'a', text: 'x' });
    const seen = [Number(body['revision'])];
    for (const text of ['y', 'x', 'y']) {
      const send = 'PATCH /api/v1/notes/a';
      const changed = await own.row({ send, body: { text }, status: 200, events: ['note.updated'] });
      const { body: same } = await own.row({ send, body: { text }, status: 200 });
      assert.equal(same['revision'], changed.body['revision']);
      seen.push(Number(same['revision']));
    }
    assert.ok(seen.every(Number.isSafeInteger));
    assert.equal(new Set(seen).size, seen.length);
  });

  it('[REP-8] is never reused, also not for a recreated id', async () => {
    await using own = await apiUnderTest(SHOP);
    const seen = new Set<number>();
    for (let round = 0; round < 5; round++) {
      const { body } = await create(own, 'notes', { id: 'a', text: 'x' });
      assert.ok(!seen.has(Number(body['revision'])));
      seen.add(Number(body['revision']));
      await own.row({ send: 'DELETE /api/v1/notes/a', status: 204, events: ['note.deleted'] });
    }
  });
});

describe('the time to receive a body', () => {
  const writes: readonly (readonly [send: string, body: unknown, status: number])[] = [
    ['POST /api/v1/notes', { id: 'a' }, 201],
    ['PUT /api/v1/notes/a', {}, 201],
    ['POST /api/v1/batches', { atomic: true, operations: [{ method: 'PUT', path: '/notes/a', body: {} }] }, 201],
    ['POST /api/v1/batches', { atomic: false, operations: [{ method: 'PUT', path: '/notes/a', body: {} }] }, 201],
  ];
  for (const [send, body, status] of writes) {
    it(`[LIM-1] does not count as handler time: ${send} with ${JSON.stringify(body)}`, async () => {
      await using own = await apiUnderTest(SHOP);
      const request = rawRequest({ send, body });
      const read: RequestBody['read'] = (limit) => {
        own.clock.advance(own.api.model.limits.handlerTimeout);
        return request.body?.read(limit) ?? assert.fail();
      };
      const late = { length: request.body?.length ?? 0, chunks: () => assert.fail(), read };
      const answer = await own.api.handle({ ...request, body: late });
      assert.equal(answer.status, status);
      assert.equal((await own.newEvents()).length, 1);
    });
  }
});
