import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';
import { create } from '../models/shop-model.ts';

/** Tickets with states that reopen, allow a self transition, and end. */
const TICKETS = `
name: desk
version: 1.0.0
resources:
  tickets:
    id: client
    schema:
      type: object
      required: [phase]
      properties:
        text: { type: string, maxLength: 5 }
        parent_id: { type: string, x-references: tickets }
        phase: { type: string, enum: [NEW, OPEN, DONE, VOID] }
    state: { field: phase, initial: NEW, transitions: { NEW: [OPEN, VOID], OPEN: [DONE, NEW], DONE: [OPEN] } }
`;

/** Tickets whose state is not required. */
const OPTIONAL = TICKETS.replace('required: [phase]', 'required: []').replace('VOID] }', 'VOID], default: NEW }');

const XSI = 'http://www.w3.org/2001/XMLSchema-instance';
const JSON_PATCH = { 'Content-Type': 'application/json-patch+json' };
const SEND = '/api/v1/tickets/1';

/** A ticket after these state transitions. */
async function ticket(...phases: readonly string[]): Promise<ApiUnderTest> {
  const desk = await apiUnderTest(TICKETS);
  await create(desk, 'tickets', { id: '1' });
  for (const phase of phases) {
    await desk.row({ send: `PATCH ${SEND}`, body: { phase }, status: 200, events: ['ticket.updated'] });
  }
  return desk;
}

/** The three requests that set a state. */
const ASKING: readonly (readonly [
  way: string,
  ask: (phase: string) => { send: string; body: object; headers?: Record<string, string> },
])[] = [
  ['PUT', (phase) => ({ send: `PUT ${SEND}`, body: { phase } })],
  ['a merge patch', (phase) => ({ send: `PATCH ${SEND}`, body: { phase } })],
  [
    'a JSON patch',
    (phase) => ({
      send: `PATCH ${SEND}`,
      headers: JSON_PATCH,
      body: [{ op: 'replace', path: '/phase', value: phase }],
    }),
  ],
];

describe('a state', () => {
  const moves: readonly (readonly [path: readonly string[], to: string])[] = [
    [[], 'OPEN'],
    [[], 'VOID'],
    [['OPEN'], 'DONE'],
    [['OPEN'], 'NEW'],
    [['OPEN', 'DONE'], 'OPEN'],
  ];
  const refused: readonly (readonly [path: readonly string[], to: string, fix: RegExp])[] = [
    [[], 'DONE', /OPEN or VOID/],
    [['OPEN'], 'VOID', /DONE or NEW/],
    [['OPEN', 'DONE'], 'NEW', /OPEN/],
    [['OPEN', 'DONE'], 'VOID', /OPEN/],
    [['VOID'], 'NEW', /VOID is final/],
    [['VOID'], 'OPEN', /VOID is final/],
  ];
  for (const [way, ask] of ASKING) {
    for (const [path, to] of moves) {
      it(`[MET-11] changes from ${path.at(-1) ?? 'NEW'} to ${to} with ${way}`, async () => {
        await using desk = await ticket(...path);
        await desk.row({ ...ask(to), status: 200, has: { phase: to }, events: ['ticket.updated'] });
      });
    }

    for (const [path, to, fix] of refused) {
      const from = path.at(-1) ?? 'NEW';
      it(`[MET-11] does not change from ${from} to ${to} with ${way}, and lists the allowed states`, async () => {
        await using desk = await ticket(...path);
        const message = `cannot change from ${from} to ${to}`;
        const { body } = await desk.row({
          ...ask(to),
          status: 409,
          has: { errorCode: 'TICKET_CONFLICT', details: [{ field: 'phase', message }] },
        });
        assert.ok(body['errorMessage'].includes(message));
        assert.match(body['errorMessage'], fix);
        await desk.row({ send: `GET ${SEND}`, status: 200, has: { phase: from } });
      });
    }

    it(`[MET-11] that is unchanged is no transition, with ${way}`, async () => {
      for (const path of [[], ['VOID'], ['OPEN', 'DONE']]) {
        await using desk = await ticket(...path);
        await desk.row({ ...ask(path.at(-1) ?? 'NEW'), status: 200 });
      }
    });

    it(`[MET-11] that is unknown is 400, with ${way}`, async () => {
      await using desk = await ticket();
      const { body } = await desk.row({ ...ask('done'), status: 400, has: { errorCode: 'TICKET_INVALID' } });
      assert.equal(body['details'][0]['field'], 'phase');
    });
  }

  it('[MET-2] [MET-11] stays if PUT omits it', async () => {
    await using desk = await ticket('OPEN');
    const has = { phase: 'OPEN', text: 'x' };
    await desk.row({ send: `PUT ${SEND}`, body: { text: 'x' }, status: 200, has, events: ['ticket.updated'] });
  });

  it('[MET-11] that is optional and null is as if omitted', async () => {
    await using desk = await apiUnderTest(OPTIONAL);
    const created = ['ticket.created'];
    const isNew = { status: 201, has: { phase: 'NEW' }, events: created };
    await desk.row({ send: 'POST /api/v1/tickets', body: { id: '1', phase: null }, ...isNew });
    await desk.row({ send: 'PUT /api/v1/tickets/2', body: { phase: null }, ...isNew });
    const events = ['ticket.updated'];
    await desk.row({ send: `PATCH ${SEND}`, body: { phase: 'OPEN' }, status: 200, events });
    const kept = { status: 200, has: { phase: 'OPEN' } };
    await desk.row({ send: `PATCH ${SEND}`, body: { phase: null }, ...kept });
    await desk.row({ send: `PUT ${SEND}`, body: { phase: null }, ...kept });
    for (const op of [{ op: 'replace', value: null }, { op: 'remove' }]) {
      const body = [{ ...op, path: '/phase' }];
      await desk.row({ send: `PATCH ${SEND}`, headers: JSON_PATCH, body, ...kept });
    }
  });

  for (const [type, body] of [
    ['application/xml', `<ticket xmlns:xsi="${XSI}"><id>1</id><phase xsi:nil="true"/></ticket>`],
    ['application/vnd.desk.v1+json', '{"id":"1","phase":null}'],
    ['application/x-ndjson', '{"id":"1","phase":null}'],
  ] as const) {
    it(`[MET-11] that is optional and null is as if omitted, in ${type}`, async () => {
      await using desk = await apiUnderTest(OPTIONAL);
      const headers = { 'Content-Type': type };
      await desk.send({ send: 'POST /api/v1/tickets', headers, body });
      await desk.row({ send: `GET ${SEND}`, status: 200, has: { phase: 'NEW' }, events: ['ticket.created'] });
    });
  }

  it('[MET-11] that is optional and null is as if omitted, in a batch and in an import', async () => {
    await using desk = await apiUnderTest(OPTIONAL);
    const operations = [{ method: 'POST', path: '/tickets', body: { id: '1', phase: null } }];
    const events = ['ticket.created'];
    await desk.row({ send: 'POST /api/v1/batches', body: { operations }, status: 201, events });
    assert.deepEqual(await desk.api.importRows('tickets', [{ id: '2', phase: null }]), { kind: 'stored', count: 1 });
    await desk.row({ send: `GET ${SEND}`, status: 200, has: { phase: 'NEW' }, events });
    await desk.row({ send: 'GET /api/v1/tickets/2', status: 200, has: { phase: 'NEW' } });
  });

  for (const [way, send, body] of [
    ['PUT', `PUT ${SEND}`, { phase: null }],
    ['a merge patch', `PATCH ${SEND}`, { phase: null }],
    ['POST', 'POST /api/v1/tickets', { id: '2', phase: null }],
  ] as const) {
    it(`[MET-11] [REP-4] that is required is never null, with ${way}`, async () => {
      await using desk = await ticket('OPEN');
      const { body: error } = await desk.row({ send, body, status: 400, has: { errorCode: 'TICKET_INVALID' } });
      assert.equal(error['details'][0]['field'], 'phase');
    });
  }

  it('[MET-11] starts as the initial one, sent or not, with POST and PUT', async () => {
    await using desk = await apiUnderTest(TICKETS);
    const has = { phase: 'NEW' };
    const events = ['ticket.created'];
    await desk.row({ send: 'POST /api/v1/tickets', body: { id: 'a' }, status: 201, has, events });
    await desk.row({ send: 'POST /api/v1/tickets', body: { id: 'b', phase: 'NEW' }, status: 201, has, events });
    await desk.row({ send: 'PUT /api/v1/tickets/c', body: {}, status: 201, has, events });
  });

  for (const [way, send, body] of [
    ['POST', 'POST /api/v1/tickets', { id: 'a', phase: 'OPEN' }],
    ['PUT', 'PUT /api/v1/tickets/a', { phase: 'OPEN' }],
  ] as const) {
    it(`[MET-11] starts as no other, with ${way}, and names the initial one`, async () => {
      await using desk = await apiUnderTest(TICKETS);
      const { body: error } = await desk.row({ send, body, status: 409, has: { errorCode: 'TICKET_CONFLICT' } });
      assert.deepEqual(error['details'], [{ field: 'phase', message: 'must start as NEW' }]);
      assert.match(error['errorMessage'], /NEW/);
      await desk.row({ send: 'GET /api/v1/tickets/a', status: 404 });
    });
  }

  it('[MET-11] is checked after preconditions, body and references, and before unique values', async () => {
    await using desk = await ticket();
    const send = `PATCH ${SEND}`;
    await desk.row({ send, headers: { 'If-Match': '"0"' }, body: { phase: 'DONE' }, status: 412 });
    await desk.row({ send, body: { phase: 'DONE', text: 'too long' }, status: 400 });
    await desk.row({ send, body: { phase: 'DONE', parent_id: 'missing' }, status: 400 });
    await desk.row({
      send: 'POST /api/v1/tickets',
      body: { id: '1', phase: 'DONE' },
      status: 409,
      has: { errorCode: 'TICKET_CONFLICT' },
    });
  });

  it('[MET-11] [EVT-2] that changes is a changed field', async () => {
    await using desk = await ticket();
    await desk.send({ send: `PATCH ${SEND}`, body: { phase: 'OPEN', text: 'x' } });
    const [event] = await desk.newEvents();
    assert.deepEqual(event?.payload.changed_fields, ['text', 'phase']);
  });

  it('[MET-11] is rejected as an initial state also with a reference to the row itself', async () => {
    await using desk = await apiUnderTest(TICKETS);
    const body = { id: 'a', phase: 'OPEN', parent_id: 'a' };
    await desk.row({ send: 'POST /api/v1/tickets', body, status: 409, has: { errorCode: 'TICKET_CONFLICT' } });
  });
});
