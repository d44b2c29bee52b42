import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineModel, resource } from '../../../src/index.ts';
import { apiUnderTest } from '../support/api-under-test.ts';
import { as, callerTokens } from '../support/caller-tokens.ts';

const KEYS = `
name: desk
version: 2.0.0
default_version: 2
limits: { row: 400B, body: 200B }
resources:
  devices:
    id: client
    schema:
      type: object
      properties:
        label: { type: string }
        notes: { type: string }
        token: { type: string, x-shown-once: true }
    generated: { token: { secret: tk_ } }
versions:
  1.0.0: { changes: [{ resource: devices, rename: { name: label, text: notes, key: token } }] }
`;

describe('a secret that is shown once', () => {
  it('[VER-5a] [REP-11a] is shown by the older contract that creates it, by its name there', async () => {
    await using api = await apiUnderTest(KEYS);
    const headers = { 'Idempotency-Key': 'k' };
    const created = await api.send({ send: 'POST /api/v1/devices', headers, body: { id: 'a', name: 'x' } });
    assert.match(created.body.key, /^tk_/);
    const again = await api.send({ send: 'POST /api/v1/devices', headers, body: { id: 'a', name: 'x' } });
    assert.deepEqual([again.status, again.body.key], [201, null]);
    const read = await api.send({ send: 'GET /api/v1/devices/a' });
    assert.ok(!('key' in read.body) && !('token' in read.body));
    const replaced = await api.send({ send: 'PUT /api/v1/devices/a', body: { name: 'y', key: 'mine' } });
    assert.deepEqual([replaced.status, replaced.body.name], [200, 'y']);
  });

  it('[VER-5a] [LIM-1] names the largest field of a row that is too large as the contract does', async () => {
    await using api = await apiUnderTest(KEYS);
    await api.send({ send: 'POST /api/v1/devices', body: { id: 'a', name: 'x', text: 'y'.repeat(165) } });
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const { status, body } = await api.send({
      send: 'PATCH /api/v1/devices/a',
      headers,
      body: { name: 'x'.repeat(180) },
    });
    assert.deepEqual([status, body.details[0].field], [413, 'name']);
  });
});

describe('a value that a function generates', () => {
  it('[VER-5a] [REP-6] is read-only in an older contract, too', async () => {
    const tickets = resource({
      id: 'client',
      schema: { type: 'object', properties: { title: { type: 'string' }, code: { type: 'string' } } },
      generated: { code: () => 'T-1' },
    });
    const model = defineModel({
      name: 'desk',
      version: '2.0.0',
      default_version: 2,
      resources: { tickets },
      versions: { '1.0.0': { changes: [{ resource: 'tickets', rename: { number: 'code' } }] } },
    });
    await using api = await apiUnderTest(model);
    const created = await api.send({ send: 'POST /api/v1/tickets', body: { id: 'a', title: 'x', number: 'mine' } });
    assert.deepEqual([created.status, created.body.number], [201, 'T-1']);
    const replaced = await api.send({ send: 'PUT /api/v1/tickets/a', body: { title: 'y', number: 'mine' } });
    assert.deepEqual([replaced.status, replaced.body.number], [200, 'T-1']);
  });
});

const ORDERS = `
name: shop
version: 2.0.0
default_version: 2
resources:
  orders:
    id: client
    schema: { type: object, properties: { status: { type: string, enum: [NEW, PAID, SENT], default: NEW } } }
    state: { field: status, initial: NEW, transitions: { NEW: [PAID], PAID: [SENT] } }
versions:
  1.0.0: { changes: [{ resource: orders, values: { status: { open: PAID, NEW: PAID } }, default_out: { status: open } }] }
`;

describe('a state that stands for several', () => {
  it('[VER-5a] [MET-11] starts as the newest version does, and is refused by its own name', async () => {
    await using api = await apiUnderTest(ORDERS);
    const created = await api.send({ send: 'POST /api/v1/orders', body: { id: 'a', status: 'open' } });
    assert.deepEqual([created.status, created.body.status], [201, 'open']);
    assert.equal((await api.send({ send: 'GET /api/v2/orders/a' })).body.status, 'NEW');
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const patch = { send: 'PATCH /api/v1/orders/a', headers, body: { status: 'SENT' } };
    const { status, body, text } = await api.send(patch);
    assert.deepEqual([status, body.errorCode, body.details[0].field], [409, 'ORDER_CONFLICT', 'status']);
    assert.match(body.errorMessage, /^order\.status cannot change from open to SENT now/);
    assert.doesNotMatch(text, /NEW|PAID/);
  });
});

const RULED = `
name: desk
version: 2.0.0
default_version: 2
auth: { issuers: [{ name: test, issuer: https://id.example.com, audience: press, hs256_secret: 0123456789abcdef0123456789abcdef }] }
limits: { rate: false }
resources:
  notes:
    id: client
    schema: { type: object, properties: { text: { type: string }, tenant: { type: string } } }
    access: { read: public, write: authenticated, rows: { read: { any: [{ tenant: open }, { tenant: $caller.claims.tenant }] } } }
versions:
  1.0.0: { changes: [{ resource: notes, rename: { body: text }, without: [tenant], fill: { tenant: open } }] }
`;

describe('a row policy', () => {
  it('[VER-5a] [AUTH-5a] judges what an older contract reads by the stored row, whatever another one has cached', async () => {
    await using api = await apiUnderTest(RULED, { tokens: callerTokens() });
    const north = as({ subject: 'n', claims: { tenant: 'north' } });
    const south = as({ subject: 's', claims: { tenant: 'south' } });
    const create = { send: 'POST /api/v2/notes', headers: north, body: { id: 'a', text: 'x', tenant: 'north' } };
    assert.equal((await api.send(create)).status, 201);
    for (let time = 0; time < 3; time += 1) {
      for (const [version, member] of [
        ['v2', 'text'],
        ['v1', 'body'],
      ] as const) {
        const seen = await api.send({ send: `GET /api/${version}/notes/a`, headers: north });
        assert.deepEqual([seen.status, seen.body[member]], [200, 'x']);
        assert.equal((await api.send({ send: `GET /api/${version}/notes/a`, headers: south })).status, 404);
        const page = await api.send({ send: `GET /api/${version}/notes`, headers: south });
        assert.deepEqual(page.body.data, []);
      }
    }
    const filled = await api.send({ send: 'POST /api/v1/notes', headers: south, body: { id: 'b', body: 'y' } });
    assert.equal(filled.status, 201);
    const { body } = await api.send({ send: 'GET /api/v2/notes/b', headers: north });
    assert.deepEqual([body.text, body.tenant], ['y', 'open']);
  });
});

const CRM = `
name: crm
version: 2.0.0
default_version: 2
auth: { issuers: [{ name: test, issuer: https://id.example.com, audience: crm, hs256_secret: 0123456789abcdef0123456789abcdef }] }
`;

/** A resource of version 2 with its only older version. */
function crm(options: string, change: string): string {
  return `${CRM}resources: { notes: { id: client, ${options} } }
versions: { 1.0.0: { changes: [{ resource: notes, ${change} }] } }
`;
}

const PLACE =
  'schema: { type: object, properties: { text: { type: string }, place: { type: object, HOW properties: { city: { type: string }, zip: { type: string } } } } }';
const HIDDEN = 'access: { read: authenticated, write: authenticated, fields: { place: { read: { scope: secrets } } } }';

describe('the rules of a field in an older contract that has a part of it elsewhere', () => {
  for (const [title, model, cause] of [
    [
      'a move of a member of an object with access rules into another object',
      crm(`${PLACE.replace('HOW', '')}, ${HIDDEN}`, 'move: { address.city: place.city }'),
      /place has access rules of its own in 2\.0\.0, which a member of an object cannot in 1\.0\.0/,
    ],
    [
      'a move of a member of a write-only object into another object',
      crm(PLACE.replace('HOW', 'writeOnly: true,'), 'move: { address.city: place.city }'),
      /place is write-only in 2\.0\.0, which a member of an object cannot in 1\.0\.0/,
    ],
  ] as const) {
    it(`[VER-5a] [REP-11b] refuses ${title}`, async () => {
      await assert.rejects(async () => apiUnderTest(model, { tokens: callerTokens() }), cause);
    });
  }

  it('[VER-5a] [REP-11b] refuses a conversion of fields that need different scopes', async () => {
    const notes = resource({
      schema: { type: 'object', properties: { title: { type: 'string' }, pay: { type: 'string' } } },
      access: { read: 'authenticated', fields: { title: { read: { scope: 'a' } }, pay: { read: { scope: 'b' } } } },
    });
    const model = defineModel({
      name: 'crm',
      version: '2.0.0',
      default_version: 2,
      auth: {
        issuers: [{ name: 'test', issuer: 'https://id.example.com', audience: 'crm', hs256_secret: 'x'.repeat(32) }],
      },
      resources: { notes },
      versions: {
        '1.0.0': {
          changes: [
            {
              resource: 'notes',
              split: {
                line: {
                  schema: { type: 'string' },
                  into: ['title', 'pay'],
                  up: (value) => ({ title: value, pay: value }),
                  down: ({ title }) => title ?? null,
                },
              },
            },
          ],
        },
      },
    });
    const cause = /title and pay need different scopes to read in 2\.0\.0/;
    await assert.rejects(async () => apiUnderTest(model, { tokens: callerTokens() }), cause);
  });

  it('[VER-5a] [REP-11b] hides a member that is a field of its own, as its object is hidden', async () => {
    const model = crm(`${PLACE.replace('HOW', '')}, ${HIDDEN}`, 'move: { city: place.city }');
    await using api = await apiUnderTest(model, { tokens: callerTokens() });
    const boss = as({ subject: 'boss', scopes: ['secrets'] });
    const joe = as({ subject: 'joe' });
    await api.send({ send: 'POST /api/v2/notes', headers: boss, body: { id: 'a', place: { city: 'Rome' } } });
    assert.equal((await api.send({ send: 'GET /api/v1/notes/a', headers: boss })).body.city, 'Rome');
    assert.ok(!('city' in (await api.send({ send: 'GET /api/v1/notes/a', headers: joe })).body));
    assert.equal((await api.send({ send: 'GET /api/v1/notes?city=Rome', headers: joe })).status, 400);
  });

  it('[VER-5a] [REP-11a] never shows a member of a write-only object, also where it is a field of its own', async () => {
    await using api = await apiUnderTest(
      crm(PLACE.replace('HOW', 'writeOnly: true,'), 'move: { city: place.city }').replace(/^auth.*$/m, ''),
    );
    await api.send({ send: 'POST /api/v1/notes', body: { id: 'a', city: 'Rome' } });
    assert.ok(!('city' in (await api.send({ send: 'GET /api/v1/notes/a' })).body));
  });

  it('[VER-5a] [REP-6] keeps read-only fields that are parts of another field there', async () => {
    const model = crm(
      'generated: { code: uuid }, schema: { type: object, properties: { text: { type: string }, code: { type: string }, paid: { type: string, readOnly: true } } }',
      'move: { meta.code: code, meta.paid: paid }',
    ).replace(/^auth.*$/m, '');
    await using api = await apiUnderTest(model);
    const meta = { code: 'forged', paid: 'yes' };
    const created = await api.send({ send: 'POST /api/v1/notes', body: { id: 'a', text: 'x', meta } });
    assert.equal(created.status, 201);
    const { body: stored } = await api.send({ send: 'GET /api/v2/notes/a' });
    assert.match(stored.code, /^[0-9a-f-]{36}$/);
    assert.equal(stored.paid, null);
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const changed = await api.send({ send: 'PATCH /api/v1/notes/a', headers, body: { text: 'y', meta } });
    assert.deepEqual(
      [changed.status, changed.body.text, changed.body.meta],
      [200, 'y', { code: stored.code, paid: null }],
    );
    const replaced = await api.send({ send: 'PUT /api/v1/notes/a', body: { text: 'z', meta } });
    assert.deepEqual(replaced.body.meta, { code: stored.code, paid: null });
  });
});
