import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { defineModel, resource } from '../../../src/model/typescript/define-model.ts';
import { refuse } from '../../../src/model/hooks.ts';
import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';
import { as, callerTokens } from '../support/caller-tokens.ts';

const SECRET = '0123456789abcdef0123456789abcdef';
const ISSUER = `{ name: test, issuer: https://id.example.com, audience: desk, hs256_secret: ${SECRET} }`;

const MODEL = `
name: shop
auth: { issuers: [${ISSUER}] }
limits: { rate: false }
resources:
  products:
    id: client
    schema:
      type: object
      required: [name, cost]
      properties:
        name: { type: string }
        cost: { type: string, format: decimal, x-scale: 2, default: '7.00' }
        note: { type: string, default: none }
        pin: { type: string, writeOnly: true }
        state: { type: string, enum: [NEW, OLD], default: NEW }
        margin: { type: integer, default: 3 }
    state: { field: state, initial: NEW, transitions: { NEW: [OLD] } }
    access:
      read: authenticated
      write: authenticated
      fields:
        cost: { write: { scope: w } }
        note: { write: { scope: w } }
        pin: { write: { scope: w } }
        state: { write: { scope: w } }
        margin: { read: { scope: r }, write: { scope: w } }
  bills:
    id: client
    schema:
      type: object
      required: [total, payer]
      properties: { total: { type: integer }, payer: { type: string }, text: { type: string } }
    access:
      read: authenticated
      write: authenticated
      fields: { total: { write: { scope: w } }, payer: { read: { scope: r } } }
`;

const CLERK = as({ subject: 'clerk' });
const READER = as({ subject: 'reader', scopes: ['r'] });
const BOSS = as({ subject: 'boss', scopes: ['r', 'w'] });
const MERGE = { 'Content-Type': 'application/merge-patch+json' };
const PATCH = { 'Content-Type': 'application/json-patch+json' };

const STORED = { name: 'Bolt', cost: '5.00', note: 'old', state: 'NEW', margin: 2 };

async function shop(): Promise<ApiUnderTest> {
  const api = await apiUnderTest(MODEL, { tokens: callerTokens() });
  const body = { id: 'p', pin: 'secret', ...STORED };
  const { status, text } = await api.send({ send: 'POST /api/v1/products', headers: BOSS, body });
  assert.equal(status, 201, text);
  await api.newEvents();
  return api;
}

async function storedValues(api: ApiUnderTest, id = 'p'): Promise<object> {
  const { body } = await api.send({ send: `GET /api/v1/products/${id}`, headers: BOSS });
  const { name, cost, note, state, margin } = body;
  return { name, cost, note, state, margin };
}

interface WriteCase {
  readonly what: string;
  readonly send: string;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Fields in `details` of a 403; or what the row has afterwards. */
  readonly refused?: readonly string[];
  readonly becomes?: object;
  readonly status?: number;
}

const whole = { name: 'Bolt', cost: '5.00', note: 'old', state: 'NEW' };

const CASES: readonly WriteCase[] = [
  { what: 'an equal value in PUT is no write', send: 'PUT products/p', body: whole, becomes: {} },
  {
    what: 'an equal value in another form is no write',
    send: 'PUT products/p',
    body: { ...whole, cost: '5' },
    becomes: {},
  },
  {
    what: 'PUT that omits the fields keeps them',
    send: 'PUT products/p',
    body: { name: 'Nut' },
    becomes: { name: 'Nut' },
  },
  {
    what: 'PUT with other values',
    send: 'PUT products/p',
    body: { ...whole, cost: '6.00', note: 'new' },
    refused: ['cost', 'note'],
  },
  { what: 'PUT with null', send: 'PUT products/p', body: { ...whole, note: null }, refused: ['note'] },
  {
    what: 'PATCH with an equal value',
    send: 'PATCH products/p',
    body: { cost: '5.00', name: 'Nut' },
    headers: MERGE,
    becomes: { name: 'Nut' },
  },
  {
    what: 'PATCH with another value',
    send: 'PATCH products/p',
    body: { cost: '6.00' },
    headers: MERGE,
    refused: ['cost'],
  },
  { what: 'PATCH with null', send: 'PATCH products/p', body: { note: null }, headers: MERGE, refused: ['note'] },
  {
    what: 'PATCH with another value, lenient',
    send: 'PATCH products/p',
    body: { note: 'x' },
    headers: { ...MERGE, Prefer: 'handling=lenient' },
    refused: ['note'],
  },
  { what: 'a state', send: 'PATCH products/p', body: { state: 'OLD' }, headers: MERGE, refused: ['state'] },
  {
    what: 'a guessed write-only value',
    send: 'PATCH products/p',
    body: { pin: 'secret' },
    headers: MERGE,
    refused: ['pin'],
  },
  { what: 'another write-only value', send: 'PUT products/p', body: { ...whole, pin: 'x' }, refused: ['pin'] },
  {
    what: 'a JSON patch of it',
    send: 'PATCH products/p',
    body: [{ op: 'replace', path: '/cost', value: '6.00' }],
    headers: PATCH,
    refused: ['cost'],
  },
  {
    what: 'a JSON patch that removes it',
    send: 'PATCH products/p',
    body: [{ op: 'remove', path: '/note' }],
    headers: PATCH,
    refused: ['note'],
  },
  {
    what: 'a JSON patch that adds a write-only value',
    send: 'PATCH products/p',
    body: [{ op: 'add', path: '/pin', value: 'secret' }],
    headers: PATCH,
    refused: ['pin'],
  },
  {
    what: 'a JSON patch that tests it',
    send: 'PATCH products/p',
    body: [
      { op: 'test', path: '/cost', value: '5.00' },
      { op: 'replace', path: '/name', value: 'Nut' },
    ],
    headers: PATCH,
    becomes: { name: 'Nut' },
  },
  {
    what: 'a dry run',
    send: 'PATCH products/p?dry_run=true',
    body: { cost: '6.00' },
    headers: MERGE,
    refused: ['cost'],
  },
  {
    what: 'POST with another value than the default',
    send: 'POST products',
    body: { id: 'n', name: 'N', cost: '1.00' },
    refused: ['cost'],
  },
  {
    what: 'POST with a write-only value',
    send: 'POST products',
    body: { id: 'n', name: 'N', pin: 'x' },
    refused: ['pin'],
  },
  {
    what: 'POST with the default',
    send: 'POST products',
    body: { id: 'n', name: 'N', cost: '7', note: 'none' },
    becomes: {},
    status: 201,
  },
  { what: 'PUT to an unused id', send: 'PUT products/n', body: { name: 'N', note: 'x' }, refused: ['note'] },
];

describe('a field that the caller may read and not write', () => {
  for (const { what, send, body, headers = {}, refused = null, becomes = {}, status = 200 } of CASES) {
    it(`[AUTH-5c] [REP-11b] ${what}: ${refused === null ? status : `403 with ${refused.join(', ')}`}`, async () => {
      await using api = await shop();
      // The second caller reads margin, too, and may not write it either.
      for (const caller of [CLERK, READER]) {
        const request = { send: send.replace(' ', ' /api/v1/'), headers: { ...caller, ...headers }, body };
        const got = await api.send(request);
        if (refused === null) {
          assert.equal(got.status, caller === READER && status === 201 ? 409 : status, got.text);
          assert.deepEqual(await storedValues(api), { ...STORED, ...becomes });
        } else {
          assert.deepEqual([got.status, got.body.errorCode], [403, 'PRODUCT_FORBIDDEN'], got.text);
          const fields = got.body.details.map(({ field }: { field: string }) => field);
          assert.deepEqual(fields, refused);
          assert.deepEqual(await storedValues(api), STORED);
        }
      }
    });
  }

  it('[AUTH-5c] equal values change nothing: no event, no revision', async () => {
    await using api = await shop();
    await api.row({ send: 'PUT /api/v1/products/p', headers: CLERK, body: whole, status: 200, has: { revision: 1 } });
  });

  it('[AUTH-5c] ranks after what is invalid, and in a batch names its place', async () => {
    await using api = await shop();
    const send = 'PATCH /api/v1/products/p';
    const invalid = await api.send({ send, headers: { ...CLERK, ...MERGE }, body: { cost: 'x' } });
    assert.equal(invalid.body.errorCode, 'PRODUCT_INVALID');
    const operations = [{ method: 'PATCH', path: '/products/p', headers: MERGE, body: { cost: '9.00' } }];
    const batch = await api.send({ send: 'POST /api/v1/batches', headers: CLERK, body: { atomic: true, operations } });
    assert.deepEqual([batch.status, batch.body.details[0].field], [403, 'operations[0].body.cost']);
  });

  it('[AUTH-5c] is writable for a caller with its scope', async () => {
    await using api = await shop();
    const body = { ...STORED, cost: '9.00', note: 'new', state: 'OLD', margin: 8, pin: 'x' };
    const { status, text } = await api.send({ send: 'PUT /api/v1/products/p', headers: BOSS, body });
    assert.equal(status, 200, text);
    const { pin: _pin, ...shown } = body;
    assert.deepEqual(await storedValues(api), shown);
  });
});

describe('a required field without a default', () => {
  it('[AUTH-5c] lets nobody create a row who may not write it: 403 that names it', async () => {
    await using api = await shop();
    for (const body of [{ id: 'b' }, { id: 'b', total: 4 }, { id: 'b', total: 4, payer: 'x' }]) {
      const got = await api.send({ send: 'POST /api/v1/bills', headers: READER, body });
      assert.deepEqual([got.status, got.body.errorCode], [403, 'BILL_FORBIDDEN']);
      assert.deepEqual(got.body.details, [{ field: 'total', message: 'is required, and may not be written by you' }]);
    }
  });

  it('[REP-11b] is not named where the caller may not read it', async () => {
    await using api = await shop();
    const writer = as({ subject: 'w', scopes: ['w'] });
    const got = await api.send({ send: 'POST /api/v1/bills', headers: writer, body: { id: 'b', total: 4 } });
    assert.deepEqual([got.status, got.body.details], [403, []]);
    assert.doesNotMatch(got.text, /payer/);
  });

  it('[REP-11b] [MET-2] keeps its value in PUT of a caller that may not read it', async () => {
    await using api = await shop();
    const body = { id: 'b', total: 4, payer: 'Ann' };
    assert.equal((await api.send({ send: 'POST /api/v1/bills', headers: BOSS, body })).status, 201);
    const put = await api.send({ send: 'PUT /api/v1/bills/b', headers: CLERK, body: { text: 'x' } });
    assert.deepEqual([put.status, put.body.payer], [200, undefined]);
    const { body: after } = await api.send({ send: 'GET /api/v1/bills/b', headers: BOSS });
    assert.deepEqual([after.total, after.payer, after.text], [4, 'Ann', 'x']);
  });
});

/** Notes whose owner, state and price are hidden; hooks see and change all of it. */
function notes() {
  return defineModel({
    name: 'desk',
    auth: { issuers: [{ name: 'test', issuer: 'https://id.example.com', audience: 'desk', hs256_secret: SECRET }] },
    limits: { rate: false },
    resources: {
      notes: resource({
        id: 'client',
        schema: z
          .object({
            text: z.string(),
            price: z.int().default(5),
            state: z.enum(['NEW', 'OLD']).default('NEW'),
            owner_id: z.string().optional().meta({ readOnly: true }),
            seen: z.int().default(0),
          })
          .refine(({ text, price }) => text !== 'cheap' || price < 5, {
            path: ['price'],
            error: ({ input }) => `${JSON.stringify(input)} is too much`,
          })
          .refine(({ text }) => text !== 'quoting', {
            path: ['text'],
            error: ({ input }) => `not with ${(input as { price: number }).price}`,
          }),
        state: { field: 'state', initial: 'NEW', transitions: { NEW: ['OLD'] } },
        computed: {
          double: { schema: { type: 'integer' }, from: ['price'], value: ({ price }) => Number(price) * 2 },
        },
        access: {
          read: 'authenticated',
          write: 'authenticated',
          owner: { field: 'owner_id', bypass: 'admin' },
          fields: {
            price: { read: { scope: 'r' } },
            double: { read: { scope: 'r' } },
            state: { read: { scope: 'r' } },
            owner_id: { read: { scope: 'r' } },
            seen: { read: { scope: 'r' } },
          },
        },
        before: {
          update: (next, _context, current) => {
            if (next['text'] === 'refused') return refuse('CONFLICT', 'No.', [{ field: 'price', message: 'is 5' }]);
            return { ...next, seen: Number(current['seen']) + Number(current['price']) };
          },
        },
      }),
    },
  });
}

describe('hidden fields within', () => {
  const ANN = as({ subject: 'ann' });
  const BOB = as({ subject: 'bob' });
  const ADMIN = as({ subject: 'root', scopes: ['r', 'admin'] });

  it('[REP-11b] hooks and refinements are all fields, and no error says so', async () => {
    await using api = await apiUnderTest(notes(), { tokens: callerTokens() });
    await api.row({
      send: 'POST /api/v1/notes',
      headers: ANN,
      body: { id: 'n', text: 'x' },
      status: 201,
      events: ['note.created'],
    });
    const put = {
      send: 'PUT /api/v1/notes/n',
      headers: ANN,
      body: { text: 'y' },
      status: 200,
      events: ['note.updated'],
    };
    const { body } = await api.row(put);
    assert.deepEqual(Object.keys(body), ['id', 'text', 'created_at', 'updated_at', 'revision', 'links']);
    const all = await api.send({ send: 'GET /api/v1/notes/n', headers: ADMIN });
    const { price, double, state, owner_id: owner, seen } = all.body;
    assert.deepEqual([price, double, state, owner, seen], [5, 10, 'NEW', 'ann', 5]);
    for (const text of ['cheap', 'quoting', 'refused']) {
      const refused = await api.send({ send: 'PUT /api/v1/notes/n', headers: ANN, body: { text } });
      assert.ok(refused.status === 400 || refused.status === 409, refused.text);
      assert.doesNotMatch(JSON.stringify(refused.body.details), /price|5/);
    }
  });

  it('[REP-11b] [AUTH-5a] row policies still decide, also from the cache', async () => {
    await using api = await apiUnderTest(notes(), { tokens: callerTokens() });
    await api.send({ send: 'POST /api/v1/notes', headers: ANN, body: { id: 'n', text: 'x' } });
    for (let time = 0; time < 3; time += 1) {
      for (const [headers, status] of [
        [ANN, 200],
        [BOB, 404],
        [ADMIN, 200],
      ] as const) {
        const got = await api.send({ send: 'GET /api/v1/notes/n', headers });
        assert.equal(got.status, status);
        assert.equal('double' in got.body, headers === ADMIN);
        const page = await api.send({ send: 'GET /api/v1/notes', headers });
        assert.equal(page.body.data.length, status === 200 ? 1 : 0);
      }
    }
  });

  it('[REP-11b] [AUTH-5a] row policies compare by the types that callers do not see', async () => {
    const text = `
name: shop
auth: { issuers: [${ISSUER}] }
limits: { rate: false }
resources:
  bids:
    id: client
    schema:
      type: object
      properties:
        text: { type: string }
        level: { type: string, format: decimal, x-scale: 2, default: '9.50' }
    access:
      read: authenticated
      write: authenticated
      rows: { read: { level: { lt: $caller.claims.level } } }
      fields: { level: { read: { scope: r } } }
`;
    await using api = await apiUnderTest(text, { tokens: callerTokens() });
    // As text 9.50 is more than 10.00.
    const ten = as({ subject: 'ten', claims: { level: '10.00' } });
    const key = { 'Idempotency-Key': 'k' };
    for (const replayed of [null, 'true']) {
      const body = { id: 'a', text: 'x' };
      const got = await api.send({ send: 'POST /api/v1/bids', headers: { ...ten, ...key }, body });
      assert.deepEqual([got.status, got.headers.get('idempotent-replayed') ?? null], [201, replayed], got.text);
    }
    for (let time = 0; time < 3; time += 1) {
      assert.equal((await api.send({ send: 'GET /api/v1/bids/a', headers: ten })).status, 200);
    }
    const change = (value: string) => ({ method: 'PATCH', path: '/bids/a', headers: MERGE, body: { text: value } });
    const batch = { atomic: true, operations: [change('y'), change('z')] };
    const done = await api.send({ send: 'POST /api/v1/batches', headers: ten, body: batch });
    assert.equal(done.status, 201, done.text);
    assert.equal((await api.send({ send: 'GET /api/v1/bids/a', headers: ten })).body.text, 'z');
  });

  it('[REP-11b] [REP-10a] the page of the root names them to nobody who may not read them', async () => {
    await using api = await apiUnderTest(notes(), { tokens: callerTokens() });
    const page = async (headers: object): Promise<string> =>
      (await api.send({ send: 'GET /api', headers: { ...headers, Accept: 'text/html' } })).text;
    assert.match(await page(ADMIN), /owner_id/);
    assert.doesNotMatch(await page(ANN), /owner_id|price/);
  });
});
