import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  defineModel,
  type DefinedModel,
  refuse,
  resource,
  type WriteInfo,
  withServices,
} from '../../../../src/index.ts';
import { EVERYTHING } from '../../../../src/plan/plan.ts';
import { type ApiUnderTest, apiUnderTest } from '../../support/api-under-test.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    code: { type: 'string', pattern: '^[A-Z]-[0-9]+$', 'x-unique': true },
    size: { type: 'integer' },
    price: { type: 'string', format: 'decimal', 'x-precision': 9, 'x-scale': 2 },
    serial: { type: 'string' },
  },
} as const;

/** Tickets whose code counts the calls. */
function counted(calls: WriteInfo[]): DefinedModel {
  const tickets = resource({
    id: 'client',
    schema: SCHEMA,
    generated: {
      code: async (context) => {
        calls.push(context);
        return Promise.resolve(`T-${calls.length}`);
      },
      price: () => '05.5',
      serial: 'uuid',
    },
    events: 'full',
  });
  return defineModel({ name: 'desk', resources: { tickets } });
}

/** Tickets whose code is what a function returns. */
function returning(code: () => unknown): DefinedModel {
  // A model in JavaScript has no types.
  const tickets = Object.assign(resource({ id: 'client', schema: SCHEMA }), { generated: { code } });
  return defineModel({ name: 'desk', resources: { tickets } });
}

const POST = 'POST /api/v1/tickets';

describe('a value that a function generates', () => {
  it('[REP-6] is made at creation by POST and by PUT, stored in its form, and has a context', async () => {
    const calls: WriteInfo[] = [];
    await using desk = await apiUnderTest(counted(calls));
    const posted = await desk.send({ send: POST, body: { id: 'a', title: 'x', code: 'mine' } });
    assert.deepEqual([posted.status, posted.body.code, posted.body.price], [201, 'T-1', '5.50']);
    assert.match(posted.body.serial, /^[0-9a-f-]{36}$/);
    const put = await desk.send({ send: 'PUT /api/v1/tickets/b', body: { title: 'y' } });
    assert.deepEqual([put.status, put.body.code], [201, 'T-2']);
    assert.equal(calls[0]?.correlationId, posted.headers.get('x-correlation-id'));
    const [event] = await desk.newEvents();
    assert.equal(event?.payload.data?.['code'], 'T-1');
  });

  it('[REP-6] is read-only: no update calls the function', async () => {
    const calls: WriteInfo[] = [];
    await using desk = await apiUnderTest(counted(calls));
    await desk.send({ send: POST, body: { id: 'a' } });
    const merge = { 'Content-Type': 'application/merge-patch+json' };
    const patched = await desk.send({
      send: 'PATCH /api/v1/tickets/a',
      headers: merge,
      body: { title: 'z', code: 'X-1' },
    });
    const replaced = await desk.send({ send: 'PUT /api/v1/tickets/a', body: { title: 'q', code: 'X-1' } });
    assert.deepEqual([patched.status, patched.body.code, replaced.body.code, calls.length], [200, 'T-1', 'T-1', 1]);
    const json = { 'Content-Type': 'application/json-patch+json' };
    const body = [{ op: 'add', path: '/code', value: 'X-1' }];
    assert.equal((await desk.send({ send: 'PATCH /api/v1/tickets/a', headers: json, body })).status, 400);
  });

  it('[MET-13] is made for lines of NDJSON and for operations of batches', async () => {
    const calls: WriteInfo[] = [];
    await using desk = await apiUnderTest(counted(calls));
    const headers = { 'Content-Type': 'application/x-ndjson' };
    const lines = await desk.send({ send: POST, headers, body: '{"id":"a"}\n{"id":"b"}\n' });
    assert.equal(lines.status, 200, lines.text);
    for (const atomic of [true, false]) {
      const operations = [
        { method: 'POST', path: '/tickets', body: { id: `p${atomic}` } },
        { method: 'PUT', path: `/tickets/u${atomic}`, body: {} },
      ];
      const batch = await desk.send({ send: 'POST /api/v1/batches', body: { atomic, operations } });
      assert.equal(batch.status, 201, batch.text);
    }
    const list = await desk.send({ send: 'GET /api/v1/tickets' });
    const codes = list.body.data.map((row: { code: string }) => row.code).toSorted();
    assert.deepEqual(codes, ['T-1', 'T-2', 'T-3', 'T-4', 'T-5', 'T-6']);
  });

  it('[MET-14] is made for a dry run, which stores nothing', async () => {
    await using desk = await apiUnderTest(counted([]));
    const dry = await desk.send({ send: `${POST}?dry_run=true`, body: { id: 'a' } });
    assert.deepEqual([dry.status, dry.body.code], [200, 'T-1']);
    assert.equal((await desk.send({ send: 'GET /api/v1/tickets/a' })).status, 404);
  });

  it('[MET-12] is the same in a replay, for which the function is not called', async () => {
    const calls: WriteInfo[] = [];
    await using desk = await apiUnderTest(counted(calls));
    const request = { send: POST, headers: { 'Idempotency-Key': 'k' }, body: { id: 'a' } };
    const first = await desk.send(request);
    const again = await desk.send(request);
    assert.deepEqual([again.body, calls.length], [first.body, 1]);
  });

  it('is made for a row that a hook adds, before the row that refers to it', async () => {
    const tickets = resource({ id: 'client', schema: SCHEMA, generated: { code: () => 'H-1', size: async () => 3 } });
    const visits = resource({
      schema: { type: 'object', properties: { ticket_id: { type: 'string', 'x-references': 'tickets' } } },
      before: {
        create: async (draft, { writes }) => ({ ...draft, ticket_id: await writes.create('tickets', { id: 'h' }) }),
      },
    });
    await using desk = await apiUnderTest(defineModel({ name: 'desk', resources: { tickets, visits } }));
    assert.equal((await desk.send({ send: 'POST /api/v1/visits', body: {} })).status, 201);
    const { body } = await desk.send({ send: 'GET /api/v1/tickets/h' });
    assert.deepEqual([body.code, body.size], ['H-1', 3]);
  });

  it('decides on current rows: concurrent writes never have the same number', async () => {
    const tickets = resource({
      schema: SCHEMA,
      generated: { code: async ({ system }) => `N-${(await system.count('tickets')) + 1}` },
    });
    await using desk = await apiUnderTest(defineModel({ name: 'desk', resources: { tickets } }));
    const made = await Promise.all(Array.from({ length: 8 }, async () => desk.send({ send: POST, body: {} })));
    const codes = made.map(({ body }) => String(body.code)).toSorted();
    assert.deepEqual(codes, ['N-1', 'N-2', 'N-3', 'N-4', 'N-5', 'N-6', 'N-7', 'N-8']);
  });

  it('may count in another row, in the transaction of the new one', async () => {
    const counters = resource({
      id: 'client',
      schema: { type: 'object', properties: { last: { type: 'integer', default: 0 } } },
    });
    const tickets = resource({
      schema: SCHEMA,
      generated: {
        size: async ({ system, writes }) => {
          const last = Number((await system.get('counters', 'tickets'))?.['last']) + 1;
          await writes.update('counters', 'tickets', { last });
          return last;
        },
      },
    });
    await using desk = await apiUnderTest(defineModel({ name: 'desk', resources: { counters, tickets } }));
    await desk.send({ send: 'POST /api/v1/counters', body: { id: 'tickets' } });
    const made = await Promise.all([1, 2, 3, 4].map(async () => desk.send({ send: POST, body: {} })));
    assert.deepEqual(made.map(({ body }) => String(body.size)).toSorted(), ['1', '2', '3', '4']);
    const invalid = await desk.send({ send: POST, body: { title: 5 } });
    assert.equal(invalid.status, 400);
    assert.equal((await desk.send({ send: `${POST}?dry_run=true`, body: {} })).body.size, 5);
    assert.equal((await desk.send({ send: 'GET /api/v1/counters/tickets' })).body.last, 4);
  });

  it('[MET-13] reads what the operations before it in an atomic batch have written', async () => {
    const tickets = resource({
      schema: SCHEMA,
      generated: { code: async ({ system }) => `N-${(await system.count('tickets')) + 1}` },
    });
    await using desk = await apiUnderTest(defineModel({ name: 'desk', resources: { tickets } }));
    const operations = [1, 2, 3].map(() => ({ method: 'POST', path: '/tickets', body: {} }));
    const { body } = await desk.send({ send: 'POST /api/v1/batches', body: { operations } });
    const codes = body.results.map((one: { readonly body: { readonly code: string } }) => one.body.code);
    assert.deepEqual(codes, ['N-1', 'N-2', 'N-3']);
  });

  it('uses the services of the application', async () => {
    const { resource: withNext, defineModel: define } = withServices<{ readonly next: () => number }>();
    const tickets = withNext({ schema: SCHEMA, generated: { size: ({ next }) => next() } });
    await using desk = await apiUnderTest(
      define({ name: 'desk', resources: { tickets }, services: { next: () => 41 } }),
    );
    assert.equal((await desk.send({ send: POST, body: {} })).body.size, 41);
  });

  it('may be null, and may refuse the write like a hook', async () => {
    await using empty = await apiUnderTest(returning(() => null));
    const made = await empty.send({ send: POST, body: { id: 'a' } });
    assert.deepEqual([made.status, made.body.code], [201, null]);
    await using full = await apiUnderTest(returning(() => refuse('CONFLICT', 'No code is left.')));
    const refused = await full.send({ send: POST, body: { id: 'a' } });
    assert.deepEqual([refused.status, refused.body.errorCode], [409, 'TICKET_CONFLICT']);
  });
});

describe('a function that fails to generate a value', () => {
  const failures: readonly (readonly [title: string, code: () => unknown, reason: RegExp])[] = [
    ['throws', () => assert.fail('no codes: s3cret'), /no codes/],
    ['rejects', async () => Promise.reject(new Error('no codes')), /no codes/],
    ['returns another type', () => 5, /code must be/],
    ['returns what the pattern does not match', () => 'lower', /code must match/],
    ['returns nothing', () => undefined, /generates code returned undefined/],
    ['returns what JSON cannot represent', () => 5n, /BigInt/],
    ['returns an object', () => new Date(0), /code must/],
  ];
  for (const [title, code, reason] of failures) {
    it(`is a 500 whose cause is in the log: it ${title}`, async () => {
      await using desk: ApiUnderTest = await apiUnderTest(returning(code));
      const got = await desk.send({ send: POST, body: { id: 'a' } });
      assert.deepEqual([got.status, got.body.errorCode], [500, 'SERVER_ERROR']);
      assert.doesNotMatch(got.text, /code|s3cret/);
      const logged = desk.observations.find(({ kind }) => kind === 'error');
      assert.ok(logged?.kind === 'error' && logged.error instanceof Error);
      assert.match(logged.error.message, reason);
      assert.equal((await desk.send({ send: 'GET /api/v1/tickets/a' })).status, 404);
    });
  }
});

describe('an imported row', () => {
  it('[REP-6] keeps the generated values of its file, and gets those that it lacks, but none of a function', async () => {
    const schema = {
      type: 'object',
      properties: {
        code: { type: 'string' },
        serial: { type: 'string', format: 'uuid' },
        made_at: { type: 'string', format: 'date-time' },
        token: { type: 'string', 'x-shown-once': true },
        visible: { type: 'string' },
        hint: { type: 'string' },
      },
    } as const;
    const keys = resource({
      id: 'client',
      schema,
      generated: {
        code: () => assert.fail('a function ran'),
        serial: 'uuid',
        made_at: 'now',
        token: { secret: 'tk_' },
        visible: { secret: 'v_', hint: 'hint' },
      },
    });
    await using desk = await apiUnderTest(defineModel({ name: 'desk', resources: { keys } }));
    const created_at = '2020-01-01T00:00:00.000Z';
    const serial = '018f0000-0000-7000-8000-000000000000';
    const outcome = await desk.api.importRows('keys', [
      { id: 'a' },
      { id: 'b', created_at },
      { id: 'c', serial, made_at: created_at, visible: 'mine', hint: 'm', code: 'X' },
      { id: 'd', serial: null, made_at: null, visible: null },
    ]);
    assert.deepEqual(outcome, { kind: 'stored', count: 4 });
    const [a, b, c, d] = (await desk.send({ send: 'GET /api/v1/keys?sort=id' })).body.data;
    assert.match(a.serial, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    assert.match(a.visible, /^v_[\w-]{43}$/);
    assert.deepEqual([a.hint, a.made_at, a.code], [a.visible.slice(0, 10), a.created_at, null]);
    assert.equal(b.made_at, created_at);
    assert.deepEqual([c.serial, c.made_at, c.visible, c.hint, c.code], [serial, created_at, 'mine', 'm', 'X']);
    assert.deepEqual([d.serial, d.made_at, d.visible], [null, null, null]);
    const plan = desk.store.rows.item({ kind: 'item', resource: 'keys', id: 'a', within: [], visible: EVERYTHING });
    assert.equal((await plan)?.['token'], null);
  });
});
