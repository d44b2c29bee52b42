import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { EVERYTHING } from '../../../src/plan/plan.ts';
import { timestamp } from '../../../src/conventions/text/timestamp.ts';
import { type ApiUnderTest, apiUnderTest, type Seen } from '../support/api-under-test.ts';
import { type IdempotencyRecord, NO_ROWS } from '../../../src/plan/write-unit.ts';

const MODEL = `
name: desk
resources:
  devices:
    id: client
    schema:
      type: object
      properties:
        name: { type: string }
        pin: { type: string, writeOnly: true }
        serial: { type: string }
        made_at: { type: string, format: date-time }
        hint: { type: string }
        token: { type: string, x-shown-once: true }
        public_token: { type: string }
    generated: { serial: uuid, made_at: now, token: { secret: tk_, hint: hint }, public_token: { secret: '' } }
    events: full
`;
const SECRET = /^tk_[A-Za-z0-9_-]{43}$/;

let desk: ApiUnderTest;
before(async () => {
  desk = await apiUnderTest(MODEL);
});
after(() => desk.close());

const create = (id: string, headers: Record<string, string> = {}, send = 'POST /api/v1/devices'): Promise<Seen> =>
  desk.send({ send, headers, body: { id, name: 'lamp', pin: '1234' } });

/** The content of an export, the events and the log, as text. */
async function everything(): Promise<string> {
  const rows: string[] = [];
  for await (const page of (await desk.api.exportRows('devices')).pages) rows.push(JSON.stringify(page));
  const events = await desk.store.events.after(0, 1_000);
  return JSON.stringify([rows, events, desk.observations]);
}

describe('a generated value', () => {
  it('[REP-6] is made at creation, and read-only', async () => {
    const { body } = await create('a');
    assert.match(body.serial, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    assert.equal(body.made_at, timestamp(desk.clock.now()));
    assert.match(body.public_token, /^[A-Za-z0-9_-]{43}$/);
    const patch = { 'Content-Type': 'application/merge-patch+json' };
    const changed = await desk.send({
      send: 'PATCH /api/v1/devices/a',
      headers: patch,
      body: { serial: 'x', token: 'x', hint: 'x', name: 'desk' },
    });
    assert.deepEqual([changed.status, changed.body.serial, changed.body.hint], [200, body.serial, body.hint]);
    const replaced = await desk.send({ send: 'PUT /api/v1/devices/a', body: { name: 'chair', serial: 'y' } });
    assert.deepEqual([replaced.status, replaced.body.serial], [200, body.serial]);
    const json = { 'Content-Type': 'application/json-patch+json' };
    const operation = (path: string): unknown => [{ op: 'add', path, value: 'z' }];
    const patched = await desk.send({ send: 'PATCH /api/v1/devices/a', headers: json, body: operation('/name') });
    assert.equal(patched.status, 200, patched.text);
    for (const path of ['/serial', '/token'])
      assert.equal(
        (await desk.send({ send: 'PATCH /api/v1/devices/a', headers: json, body: operation(path) })).status,
        400,
      );
  });

  it('[REP-6] cannot be chosen by the client that creates the row', async () => {
    const got = await desk.send({ send: 'POST /api/v1/devices', body: { id: 'b', serial: 'mine', token: 'mine' } });
    assert.ok(got.body.serial !== 'mine' && SECRET.test(got.body.token));
  });
});

describe('a secret that is shown once', () => {
  it('[REP-11a] is in the response that creates it, at its place, with a hint', async () => {
    const got = await create('c');
    assert.match(got.body.token, SECRET);
    assert.equal(got.body.hint, got.body.token.slice(0, 11));
    const members = Object.keys(got.body).join();
    assert.equal(members, 'id,name,serial,made_at,hint,token,public_token,created_at,updated_at,revision,links');
    assert.equal(got.headers.get('etag'), undefined);
    assert.notEqual((await create('c2')).body.token, got.body.token);
  });

  it('[REP-11a] is in the response of a PUT that creates, and in other formats', async () => {
    const put = await desk.send({ send: 'PUT /api/v1/devices/d', body: { name: 'x' } });
    assert.ok(put.status === 201 && SECRET.test(put.body.token));
    const xml = await create('e', { Accept: 'application/xml' });
    assert.match(xml.text, /<token>tk_[\w-]{43}<\/token>/);
  });

  it('[REP-11a] is shown whatever is preferred, and not by a dry run', async () => {
    assert.match((await create('f', { Prefer: 'return=minimal' })).body.token, SECRET);
    const dry = await create('g', {}, 'POST /api/v1/devices?dry_run=true');
    assert.deepEqual([dry.status, dry.body.token], [200, undefined]);
  });

  it('[REP-11a] is nowhere else: only its SHA-256 is stored', async () => {
    const key = { 'Idempotency-Key': 'once' };
    const { token } = (await create('h', key)).body;
    const read = await desk.send({ send: 'GET /api/v1/devices/h' });
    assert.ok(!('token' in read.body) && read.headers.get('etag') !== undefined);
    const list = await desk.send({ send: 'GET /api/v1/devices' });
    assert.ok(!list.text.includes(token));
    assert.equal((await desk.send({ send: `GET /api/v1/devices?token=${token}` })).status, 400);
    const stored = await everything();
    assert.ok(!stored.includes(token) && stored.includes('made_at'));
    const plan = { kind: 'item', resource: 'devices', id: 'h', within: [], visible: EVERYTHING } as const;
    const row = await desk.store.rows.item(plan);
    assert.equal(row?.['token'], hash('sha256', token, 'base64url'));
    const events = JSON.stringify(await desk.store.events.after(0, 1_000));
    assert.ok(!events.includes('"token"') && !events.includes('"pin"'));
  });

  it('[MET-12] is null in a replay, which has no ETag', async () => {
    const key = { 'Idempotency-Key': 'replay' };
    const { token } = (await create('i', key)).body;
    const replay = await create('i', key);
    assert.deepEqual([replay.status, replay.body.token], [201, null]);
    assert.equal(replay.headers.get('idempotent-replayed'), 'true');
    assert.equal(replay.headers.get('etag'), undefined);
    const { token: _shown, ...rest } = (await create('i', key)).body;
    assert.ok(!JSON.stringify(rest).includes(token));
  });

  for (const atomic of [true, false]) {
    it(`[MET-13] is in the response to its batch, and null when it is read or sent again: atomic ${atomic}`, async () => {
      const operations = [{ method: 'POST', path: '/devices', body: { id: `batch-${atomic}` } }];
      const send = {
        send: 'POST /api/v1/batches',
        headers: { 'Idempotency-Key': `b${atomic}` },
        body: { atomic, operations },
      };
      const got = await desk.send(send);
      const [result] = got.body.results;
      assert.match(result.body.token, SECRET);
      assert.deepEqual([got.headers.get('etag'), result.headers.ETag], [undefined, undefined]);
      const again = await desk.send(send);
      assert.deepEqual([again.body.results[0].body.token, again.headers.get('etag')], [null, undefined]);
      const read = await desk.send({ send: `GET ${got.headers.get('location')}` });
      assert.equal(read.body.results[0].body.token, null);
    });
  }
});

/** The outcome that a record of a unit without rows of tables that exist has. */
function readOutcome({ outcome }: IdempotencyRecord): string {
  return typeof outcome === 'string' ? outcome : outcome(NO_ROWS);
}

describe('an idempotency record', () => {
  it('[MET-12] has no write-only value', async () => {
    const records: string[] = [];
    await using api = await apiUnderTest(MODEL, {
      breaking: (store) => ({
        ...store,
        rows: store.rows,
        writes: {
          pending: 0,
          commit: (unit, deadline) => {
            records.push(JSON.stringify(unit.records?.map(readOutcome)));
            return store.writes.commit(unit, deadline);
          },
        },
        idempotencyRecords: store.idempotencyRecords,
        stamps: store.stamps,
        events: store.events,
        secret: () => store.secret(),
        cacheEpoch: (name, now) => store.cacheEpoch(name, now),
        newestTime: (until) => store.newestTime(until),
        ping: () => store.ping(),
        close: () => store.close(),
      }),
    });
    const body = { id: 'a', pin: 'sesame' };
    const headers = { 'Idempotency-Key': 'k' };
    const { token } = (await api.send({ send: 'POST /api/v1/devices', headers, body })).body;
    const operations = [{ method: 'POST', path: '/devices', body: { ...body, id: 'b' } }];
    await api.send({ send: 'POST /api/v1/batches', body: { operations } });
    assert.equal(records.length, 2);
    const all = records.join();
    assert.ok(
      all.includes('serial') && !all.includes('sesame') && !all.includes(token) && !all.includes('"token"'),
      all,
    );
  });
});
