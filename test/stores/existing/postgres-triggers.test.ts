import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import { run } from '../../../src/cli/program.ts';
import { verifyWebhook } from '../../../src/client/verify-webhook.ts';
import type { EventEnvelope } from '../../../src/conventions/events/event.ts';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import { startApi } from '../../../src/start-api.ts';
import { openPostgres } from '../../../src/stores/postgres/postgres-store.ts';
import { adoptTables } from '../../../src/stores/postgres/triggers/adopt-tables.ts';
import { startReceiver } from '../../events/webhooks/receiver.ts';
import { until } from '../../events/webhooks/scene.ts';
import { recordedTerminal } from '../../cli/recorded-terminal.ts';
import { type ApiUnderTest, apiUnderTest, rawRequest, seen } from '../../pipeline/support/api-under-test.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { type PostgresSource, postgresSource } from './postgres-source.ts';

/** Tables of another program: types that have another form in JSON, children, partitions, and its own triggers. */
const SHOP = `
create extension hstore;
create type rating as enum ('G', 'R');
create table maker (id int primary key, name text);
create table film (
  id int primary key, title text not null, price numeric(10, 2), ratio float8, ratio4 real, poster bytea, span interval, day date,
  moment timestamptz, attributes hstore, raw json, period daterange, mood rating, tags text[], hidden text
);
create table review (id int primary key, film int references film on delete cascade, text text);
create table node (id int primary key, up int references node on delete cascade);
create table counted (id int primary key, number int);
create table parted (id int, at int, text text) partition by list (at);
create table parted_one partition of parted for values in (1);
create table parted_two partition of parted for values in (2);
create function count_again() returns trigger language plpgsql as
$$begin if new.number < 2 then update counted set number = number + 1 where id = new.id; end if; return null; end$$;
create trigger a_first after insert or update on counted for each row execute function count_again();
create table audit (number bigint generated always as identity, op text, id int, value int, previous int, at xid8 default pg_current_xact_id());
create table item (id int primary key, value int, text text);
create function audit_item() returns trigger language plpgsql as $$begin
  insert into audit (op, id, value, previous) values (tg_op, coalesce(new.id, old.id), new.value, old.value);
  return null;
end$$;
create trigger audited after insert or update or delete on item for each row execute function audit_item();
create view titles as select id, title from film;
grant insert, update, delete, select on all tables in schema public to READER;
`;

const MODEL = `
name: cinema
secret: 0123456789abcdef0123456789abcdef
resources:
  films:
    table: film
    changes: triggers
    events: full
    schema:
      type: object
      required: [title]
      properties:
        title: { type: string }
        price: { type: string, format: decimal, x-precision: 10, x-scale: 2 }
        ratio: { type: number }
        ratio4: { type: number }
        poster: { type: string, contentEncoding: base64 }
        span: { type: string, format: duration }
        day: { type: string, format: date }
        moment: { type: string, format: date-time }
        attributes: { type: object, additionalProperties: { type: string } }
        raw: { type: json }
        period: { type: string }
        mood: { type: string, enum: [G, R] }
        tags: { type: array, items: { type: string } }
  reviews:
    table: review
    changes: triggers
    columns: { film_id: film }
    schema: { type: object, properties: { film_id: { type: string, x-references: films }, text: { type: string } } }
  nodes: { table: node, changes: triggers, schema: { type: object, properties: { up: { type: string } } } }
  counters: { table: counted, changes: triggers, events: full, schema: { type: object, properties: { number: { type: integer } } } }
  parts: { table: parted, key: id, changes: triggers, schema: { type: object, properties: { at: { type: integer }, text: { type: string } } } }
  items: { table: item, changes: triggers, events: full, schema: { type: object, properties: { value: { type: integer }, text: { type: string } } } }
  makers: { table: maker, schema: { type: object, properties: { name: { type: string } } } }
`;

/** Everything that a statement can have created, with its rights. */
const OBJECTS = `select format('%s.%s %s %s', n.nspname, c.relname, c.relkind, c.relacl) from pg_class as c
join pg_namespace as n on n.oid = c.relnamespace where n.nspname !~ '^pg_'
union all select format('%s %s', nspname, nspacl) from pg_namespace union all select oid::regprocedure::text from pg_proc
union all select format('%s on %s %s', tgname, tgrelid::regclass, tgenabled) from pg_trigger order by 1`;

const FILM = {
  title: 'A',
  price: '1.50',
  ratio: 0.1,
  ratio4: 0.1,
  poster: 'AP8=',
  span: 'P3DT4H',
  day: '2004-02-29',
  moment: '2004-01-02T03:04:05.123Z',
  attributes: { a: '1', b: 'x y' },
  raw: { b: [1.5] },
  period: '[2004-01-02,2004-02-03)',
  mood: 'G',
  tags: ['a', 'b,c'],
};

/** A session of another program whose forms of values are other ones. */
const FORMS = `set datestyle = 'SQL, DMY'; set intervalstyle = 'sql_standard'; set extra_float_digits = -3;
set bytea_output = 'escape'; set timezone = 'Asia/Tokyo';`;

const INSERT_FILM = `insert into film values (11, 'A', 1.5, 0.1, 0.1, '\\x00ff', interval 'P3DT4H', '2004-02-29',
'2004-01-02 03:04:05.123+00', 'a=>1, b=>"x y"', '{"b":[1.5]}', '[2004-01-02,2004-02-03)', 'G', '{a,"b,c"}')`;

/** An event without what differs between two writes: its ids, its times and its place in the log. */
function comparable({ type, payload, metadata }: EventEnvelope): string {
  const { trace_id: _trace, correlation_id: _correlation, sequence: _sequence, ...same } = metadata;
  const text = JSON.stringify({ type, payload: { ...payload, timestamp: '' }, metadata: same });
  return text.replaceAll(payload.resource.id, 'ID');
}

describe('the changes of tables by other programs', () => {
  let source: PostgresSource;
  let api: ApiUnderTest;
  const adopt = (): Promise<unknown> =>
    adoptTables({ url: source.url, model: loadModel({ text: MODEL }).model, remove: false, role: null, apply: true });
  before(async () => {
    source = await postgresSource(SHOP);
    await adopt();
    api = await apiUnderTest(MODEL, { database: source.url });
  });
  after(async () => {
    await api.close();
    await source.close();
  });

  /** The new events, once everything that is recorded is in the log. */
  const drain = async (): Promise<readonly EventEnvelope[]> => {
    while ((await api.api.foreignChanges?.drain()) === true);
    return api.newEvents();
  };
  /** The types and ids of the events after a statement of another program. */
  const changed = async (sql: string): Promise<readonly string[]> => {
    await source.change(sql);
    return (await drain()).map(({ type, payload }) => `${type} ${payload.resource.id}`);
  };
  const requested = async (send: string, body?: unknown): Promise<readonly string[]> => {
    const { status, text } = await api.send({ send, headers: { 'If-Match': '*' }, body });
    assert.ok(status < 300, `${send}: ${status} ${text}`);
    return (await drain()).map(({ type, payload }) => `${type} ${payload.resource.id}`);
  };

  it('[EVT-1] have the events that the same requests have, whatever the forms of values of their sessions', async () => {
    const events = async (send: string, body: unknown, sql: string): Promise<readonly (readonly string[])[]> => {
      const headers = send.startsWith('POST') ? {} : { 'If-Match': '*' };
      const { status, text } = await api.send({ send, headers, body });
      assert.ok(status < 300, text);
      const own = await drain();
      await source.change(`${FORMS} ${sql}; reset all`);
      return [own.map(comparable), (await drain()).map(comparable)];
    };
    const pairs = [
      await events('POST /api/v1/films', { id: '10', ...FILM }, INSERT_FILM),
      await events(
        'PATCH /api/v1/films/10',
        { title: 'B', tags: [] },
        `update film set title = 'B', tags = '{}' where id = 11`,
      ),
      await events('DELETE /api/v1/films/10', undefined, 'delete from film where id = 11'),
    ];
    for (const [own, foreign] of pairs) {
      assert.equal(own?.length, 1);
      assert.deepEqual(foreign, own);
    }
  });

  it('have no actor, the time of the change, and one correlation for each transaction', async () => {
    await source.change("begin; insert into film (id, title) values (20, 'A'), (21, 'B'); commit");
    await source.change("insert into film (id, title) values (22, 'C')");
    const [one, two, three] = await drain();
    assert.deepEqual([one?.metadata.actor, one?.metadata.correlation_id], [null, two?.metadata.correlation_id]);
    assert.notEqual(three?.metadata.correlation_id, one?.metadata.correlation_id);
    const now = await source.list('select abs(extract(epoch from now() - $1::timestamptz)) < 60', [
      one?.payload.timestamp,
    ]);
    assert.deepEqual(now, [true]);
  });

  it('are none where nothing changes, or nothing that the model names', async () => {
    await source.change('update film set title = title where id = 20');
    assert.deepEqual(await source.list('select count(*)::int from restwright.restwright_foreign_changes'), [0]);
    assert.deepEqual(await changed("update film set hidden = 'x' where id = 20"), []);
    assert.deepEqual(await changed("insert into maker values (1, 'a')"), []);
  });

  it('are those of children that the database deletes with a row, also where a request deletes the row', async () => {
    await changed(
      "insert into film (id, title) values (30, 'A'); insert into review values (1, 30, 'x'), (2, 30, 'y')",
    );
    assert.deepEqual(await changed('delete from film where id = 30'), [
      'film.deleted 30',
      'review.deleted 1',
      'review.deleted 2',
    ]);
    await changed('insert into node values (1, null), (2, 1), (3, 2)');
    assert.deepEqual((await requested('DELETE /api/v1/nodes/1')).toSorted(), [
      'node.deleted 1',
      'node.deleted 2',
      'node.deleted 3',
    ]);
  });

  it('are in the order of the states of a row, where a trigger changes it again first', async () => {
    await source.change('insert into counted values (1, 0)');
    const events = await drain();
    assert.deepEqual(
      events.map(({ type, payload }) => [type, payload.data?.['number']]),
      [
        ['counter.created', 0],
        ['counter.updated', 1],
        ['counter.updated', 2],
      ],
    );
  });

  it('are one event where a request makes them, with what the triggers of the table have changed', async () => {
    const { status } = await api.send({ send: 'POST /api/v1/counters', body: { id: '2', number: 0 } });
    assert.equal(status, 201);
    const events = await drain();
    assert.deepEqual(
      events.map(({ type, payload }) => [type, payload.data?.['number']]),
      [['counter.created', 2]],
    );
    assert.deepEqual(await requested('POST /api/v1/films', { id: '40', title: 'A' }), ['film.created 40']);
    assert.deepEqual(await requested('PATCH /api/v1/films/40', { title: 'B' }), ['film.updated 40']);
    assert.deepEqual(await requested('DELETE /api/v1/films/40'), ['film.deleted 40']);
  });

  it('are before those of later requests for the row, which wait for them', async () => {
    await source.change("insert into film (id, title) values (50, 'A')");
    const { status } = await api.send({
      send: 'PATCH /api/v1/films/50',
      headers: { 'If-Match': '*' },
      body: { title: 'B' },
    });
    assert.equal(status, 200);
    assert.deepEqual(await api.newEvents(), []);
    const events = await drain();
    assert.deepEqual(
      events.map(({ type, payload }) => [type, payload.data?.['title']]),
      [
        ['film.created', 'A'],
        ['film.updated', 'B'],
      ],
    );
  });

  it('are an update where a row moves to another partition, and two events where it gets another key', async () => {
    assert.deepEqual(await changed("insert into parted values (1, 1, 'x')"), ['part.created 1']);
    assert.deepEqual(await changed('update parted set at = 2'), ['part.updated 1']);
    assert.deepEqual(await changed('update parted set id = 2'), ['part.deleted 1', 'part.created 2']);
    await source.change('create table parted_three partition of parted for values in (3)');
    assert.deepEqual(await changed("insert into parted values (3, 3, 'y')"), ['part.created 3']);
  });

  it('[EVT-3b] are the history of each row, with transactions, savepoints and requests that overlap', async () => {
    const clients = [new Client({ connectionString: source.url }), new Client({ connectionString: source.url })];
    for (const client of clients) {
      await client.connect();
      await client.query("set lock_timeout = '5ms'");
    }
    const events: EventEnvelope[] = [];
    const random = seeded(7);
    const open = [false, false];
    for (let step = 0; step < 700; step += 1) {
      const at = random(2);
      const client = clients[at];
      if (client === undefined) continue;
      const sql = nextStatement(random, open[at] === true, step);
      try {
        await client.query(sql);
        if (sql.startsWith('begin')) open[at] = true;
        if (/^(commit|rollback)$/.test(sql)) open[at] = false;
      } catch {
        await client.query(open[at] === true ? 'rollback to savepoint a' : 'rollback');
      }
      if (!open.includes(true) && random(3) === 0) {
        const send = `PATCH /api/v1/items/${random(8)}`;
        await api.send({ send, headers: { 'If-Match': '*' }, body: { value: step } });
      }
      if (random(6) === 0) events.push(...(await drain()));
    }
    for (const client of clients) await client.end();
    events.push(...(await drain()));
    const history = await source.list(`select format('%s %s %s %s', op, id, coalesce(value, previous), at) from audit
      where previous is distinct from value order by id, number`);
    const verbs: Readonly<Record<string, string>> = { created: 'INSERT', updated: 'UPDATE', deleted: 'DELETE' };
    const logged = events
      .toSorted((one, other) => Number(one.payload.resource.id) - Number(other.payload.resource.id))
      .map(({ type, payload }) => {
        return `${verbs[type.split('.')[1] ?? '']} ${payload.resource.id} ${JSON.stringify(payload.data?.['value'])}`;
      });
    assert.ok(history.length > 60, String(history.length));
    assert.deepEqual(logged, joinReplaced(history.map(String)));
  });

  it('are lost by no failure, and are one process to move at a time', async () => {
    await source.change("insert into film (id, title) values (60, 'A')");
    const failing = api.store.foreignChanges?.drain(() => {
      throw new Error('planted');
    });
    await assert.rejects(failing ?? Promise.resolve(), /planted/);
    assert.deepEqual(await api.newEvents(), []);
    await using other = await apiUnderTest(MODEL, { database: source.url });
    await Promise.all([other.api.foreignChanges?.drain(), api.api.foreignChanges?.drain()]);
    assert.deepEqual(
      (await drain()).map(({ type }) => type),
      ['film.created'],
    );
  });

  it('fail with the statement whose entry cannot be written', async () => {
    await source.change(
      'alter table restwright.restwright_foreign_changes add constraint no_room check (false) not valid',
    );
    await assert.rejects(source.change("insert into film (id, title) values (70, 'A')"), /no_room/);
    await source.change('alter table restwright.restwright_foreign_changes drop constraint no_room');
    assert.deepEqual(await source.list('select id from film where id = 70'), []);
  });

  it('are recorded for roles without rights on what is recorded, which they can neither read nor write', async () => {
    assert.deepEqual(await changed("set role READER; insert into film (id, title) values (80, 'A'); reset role"), [
      'film.created 80',
    ]);
    for (const sql of [
      'select 1 from restwright.restwright_foreign_changes',
      'create temp table mine (id int); create trigger t after insert on mine for each row execute function restwright.restwright_record_change()',
    ])
      await assert.rejects(source.change(`set role READER; ${sql}`), /permission denied/);
    await source.change('reset role');
  });

  it('are observed where a table is truncated, or its triggers do not fire', async () => {
    const lastSeen = (): unknown => api.observations.filter(({ kind }) => kind.startsWith('table-')).at(-1);
    await changed('truncate node');
    assert.deepEqual(lastSeen(), { kind: 'table-truncated', table: 'node' });
    await source.change('alter table node disable trigger restwright_changes');
    await api.api.foreignChanges?.check();
    assert.deepEqual(lastSeen(), { kind: 'table-unrecorded', table: 'node', cause: 'disabled' });
    const { model } = loadModel({ text: MODEL });
    await assert.rejects(
      openPostgres({ url: source.url, model }),
      /nodes: the triggers of node are disabled; run restwright adopt/,
    );
    await adopt();
    const reported = api.observations.length;
    await api.api.foreignChanges?.check();
    assert.equal(api.observations.length, reported);
    await source.change('create table heir () inherits (film)');
    await api.api.foreignChanges?.check();
    assert.deepEqual(lastSeen(), { kind: 'table-unrecorded', table: 'film', cause: 'inherited' });
    await source.change('drop table heir');
  });

  it('[EVT-8b] reach the live feed of a server', async () => {
    const { model } = loadModel({ text: MODEL });
    await using started = await startApi({ model, database: source.url });
    const headers = { Accept: 'text/event-stream' };
    const { status, body } = await started.api.handle(rawRequest({ send: 'GET /api/v1/events', headers }));
    assert.equal(status, 200);
    assert.ok(body !== null && typeof body === 'object' && Symbol.asyncIterator in body);
    await source.change("insert into film (id, title) values (90, 'A')");
    let received = '';
    for await (const piece of body) {
      received += piece;
      if (received.includes('event: film.created')) break;
    }
    assert.match(received, /"id":"90"/);
    await api.newEvents();
  });

  it('[EVT-3a] [EVT-5a] are signed requests to webhooks, with the event that is logged', async () => {
    await using receiver = await startReceiver();
    const { model } = loadModel({ text: `${MODEL}webhooks: {}` });
    await using started = await startApi({ model, database: source.url, loopbackWebhooks: true });
    const send = 'POST /api/v1/webhooks';
    const body = { url: receiver.url, event_types: ['film.*'] };
    const made = await seen(await started.api.handle(rawRequest({ send, body })));
    assert.equal(made.status, 201, made.text);
    await source.change("insert into film (id, title) values (91, 'Sent')");
    await until(() => receiver.requests.length === 1);
    const [request] = receiver.requests;
    assert.ok(request !== undefined);
    const event = await verifyWebhook(request, { secret: made.body.secret });
    assert.deepEqual((await api.newEvents()).at(-1), event);
    assert.deepEqual([event.type, event.payload.data?.['title']], ['film.created', 'Sent']);
  });

  it('are of tables: a view and a partition are refused', async () => {
    for (const [table, cause] of [
      ['titles', /titles is no table of its own rows/],
      ['parted_one', /parted_one is a partition/],
    ] as const) {
      const text = `name: x\nresources: { rows: { table: ${table}, key: id, changes: triggers, schema: { type: object } } }`;
      const { model } = loadModel({ text });
      await assert.rejects(adoptTables({ url: source.url, model, remove: false, role: null, apply: true }), cause);
    }
  });
});

describe('restwright adopt', () => {
  it('[OPS-9c] shows, creates, checks and removes the triggers, and leaves the database as it was', async (context) => {
    const source = await postgresSource(SHOP);
    context.after(() => source.close());
    const file = `${temporaryDirectory(context)}/model.yaml`;
    writeFileSync(file, MODEL);
    const adopt = async (...words: readonly string[]): Promise<readonly [number, string]> => {
      const terminal = recordedTerminal();
      const code = await run(['adopt', file, '--database', source.url, ...words], terminal);
      return [code, terminal.written().stdout + terminal.written().stderr];
    };
    const objects = await source.list(OBJECTS);
    const [shown, sql] = await adopt();
    assert.equal(shown, 0);
    assert.match(sql, /^create schema restwright;\ncreate table restwright\.restwright_foreign_changes/);
    assert.match(sql, /create trigger restwright_changes after insert or update or delete on "public"\."film"/);
    assert.doesNotMatch(sql, /maker/);
    assert.match(sql, /-- nothing is changed without --apply\n$/);
    assert.deepEqual(await source.list(OBJECTS), objects);
    const [missing, table] = await adopt('--check');
    assert.deepEqual([missing, table.split('\n')[0]], [1, 'film: missing']);
    assert.deepEqual(await adopt('--remove'), [0, '-- nothing is left to do\n']);
    assert.equal((await adopt('--apply', '--role', 'READER'))[0], 1);
    assert.deepEqual(await source.list(OBJECTS), objects);
    const reader = new URL(source.readerUrl).username;
    assert.equal((await adopt('--apply', '--role', reader))[0], 0);
    assert.deepEqual(await adopt(), [0, '-- nothing is left to do\n']);
    const [enabled, tables] = await adopt('--check');
    assert.deepEqual([enabled, tables.split('\n')[0]], [0, 'film: enabled']);
    await source.change('alter table film enable trigger restwright_changes');
    assert.equal((await adopt('--check'))[0], 1);
    assert.match(
      (await adopt('--apply'))[1],
      /^alter table "public"\."film" enable always trigger "restwright_changes";\n-- done/,
    );
    await source.change('set role READER; select 1 from restwright.restwright_foreign_changes; reset role');
    assert.equal((await adopt('--check', '--apply'))[0], 2);
    assert.equal((await adopt('--remove', '--apply'))[0], 0);
    assert.deepEqual(await source.list(OBJECTS), objects);
  });
});

/** Random numbers below a bound, the same for the same seed. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** The next statement of a writer. @param isOpen true within a transaction */
function nextStatement(random: (below: number) => number, isOpen: boolean, step: number): string {
  if (!isOpen) return random(3) === 0 ? writeStatement(random, step) : 'begin; savepoint a';
  const choice = random(10);
  if (choice < 2) return 'commit';
  if (choice === 2) return random(3) === 0 ? 'rollback' : 'rollback to savepoint a';
  if (choice === 3) return 'savepoint a';
  return writeStatement(random, step);
}

function writeStatement(random: (below: number) => number, step: number): string {
  const id = random(10);
  const choice = random(4);
  if (choice === 0) return `delete from item where id = ${id}`;
  if (choice === 1) return `update item set value = ${step} where id in (${id}, ${random(8)})`;
  if (choice === 2) return `update item set text = text where id = ${id}`;
  return `insert into item values (${id}, ${step}) on conflict (id) do update set value = excluded.value`;
}

/** The history of rows, without its transactions: a row that one deletes and inserts again is updated. */
function joinReplaced(history: readonly string[]): readonly string[] {
  const joined: string[] = [];
  let last: readonly string[] = [];
  for (const entry of history) {
    const [verb = '', id, value, transaction] = entry.split(' ');
    const isReplaced = verb === 'INSERT' && last[0] === 'DELETE' && last[1] === id && last[3] === transaction;
    if (isReplaced) joined.pop();
    joined.push(`${isReplaced ? 'UPDATE' : verb} ${id} ${value}`);
    last = entry.split(' ');
  }
  return joined;
}
