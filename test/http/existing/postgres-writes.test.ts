import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../../pipeline/support/api-under-test.ts';
import { CINEMA, CINEMA_MODEL, type PostgresSource, postgresSource } from '../../stores/existing/postgres-source.ts';
import { SHOP, SHOP_MODEL } from '../../stores/existing/writable-shop.ts';

/** The definitions of everything outside of the server's own schema, and the rows of the system catalogues of it. */
const OBJECTS = `select format('%s.%s %s %s', n.nspname, c.relname, c.relkind, (select count(*) from pg_attribute where attrelid = c.oid))
from pg_class as c join pg_namespace as n on n.oid = c.relnamespace where n.nspname not in ('restwright', 'pg_toast')
union all select format('%s %s %s', tgrelid::regclass, tgname, tgenabled) from pg_trigger where tgrelid not in (select oid from pg_class where relnamespace = 'restwright'::regnamespace)
union all select oid::regprocedure::text from pg_proc where pronamespace = 'public'::regnamespace order by 1`;

describe('writes to the tables of another program in PostgreSQL', () => {
  let source: PostgresSource;
  let api: ApiUnderTest;
  let objects: readonly unknown[];
  before(async () => {
    source = await postgresSource(SHOP);
    await source.change('create schema restwright');
    objects = await source.list(OBJECTS);
    api = await apiUnderTest(SHOP_MODEL, { database: source.url });
  });
  after(async () => {
    await api.close();
    await source.close();
  });

  const events = async (): Promise<readonly { type: string; data: unknown; changed: unknown }[]> => {
    const all = await api.newEvents();
    return all.map(({ type, payload }) => ({ type, data: payload.data, changed: payload.changed_fields }));
  };

  it('[MET-1] create a row with the values that its defaults, triggers and generated columns give it', async () => {
    const { body, headers } = await api.send({
      send: 'POST /api/v1/films',
      body: { title: 'Second', tags: ['a', 'b,"c', ''] },
    });
    const { revision, links: _links, updated_at: changed, id, ...fields } = body;
    const rest = { title: 'Second', price: '1.5', customer_id: null, shout: 'SECOND', changes: 1 };
    assert.deepEqual(fields, { ...rest, tags: ['a', 'b,"c', ''] });
    const stored = `select format('%s %s %s', xmin, tags, changed = $1::timestamptz) from film where film_id = $2`;
    assert.deepEqual(await source.list(stored, [changed, id]), [`${revision} {a,"b,\\"c",""} t`]);
    assert.equal(headers.get('location'), `/api/v1/films/${id}`);
    const read = await api.send({ send: `GET /api/v1/films/${id}` });
    assert.equal(read.headers.get('etag'), headers.get('etag'));
    assert.deepEqual(read.body, body);
    const [event] = await api.newEvents();
    assert.equal(event?.type, 'film.created');
    assert.equal(event?.payload.resource.id, id);
    assert.deepEqual(event?.payload.changed_fields, ['title', 'price', 'tags', 'shout', 'changes']);
  });

  it('[OPS-5] are in the next responses, also where those before were from memory', async () => {
    const targets = ['films/1', 'films', 'films?expand=customer'];
    const read = async (): Promise<readonly string[]> => {
      const seen: string[] = [];
      for (const target of targets) seen.push((await api.send({ send: `GET /api/v1/${target}` })).text);
      return seen;
    };
    for (const title of ['Once', 'Twice']) {
      for (let count = 0; count < 4; count += 1) await read();
      await api.row({ send: 'PATCH /api/v1/films/1', body: { title }, status: 200, events: ['film.updated'] });
      for (const text of await read()) assert.match(text, new RegExp(`"${title}"`));
    }
  });

  it('[MET-1] take the id that the client chooses, or make a UUID', async () => {
    await api.row({
      send: 'POST /api/v1/customers',
      body: { id: '70', name: 'Chosen' },
      status: 201,
      has: { id: '70', note: 'none', level: 1 },
      events: ['customer.created'],
    });
    const { body } = await api.row({
      send: 'POST /api/v1/tokens',
      body: { label: 'x' },
      status: 201,
      events: ['token.created'],
    });
    assert.match(body.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    await api.row({ send: `GET /api/v1/tokens/${body.id}`, status: 200, has: { label: 'x' } });
  });

  it('[MET-2] create and replace a row under a key of several columns, which cannot change', async () => {
    const at = '/api/v1/order-lines/7,1';
    await api.row({
      send: `PUT ${at}`,
      body: { amount: 3 },
      status: 201,
      has: { id: '7,1', order_id: 7, line: 1, amount: 3, note: null },
      events: ['order_line.created'],
    });
    await api.row({
      send: `PATCH ${at}`,
      body: { note: 'hm', amount: 4 },
      status: 200,
      has: { note: 'hm', amount: 4 },
      events: ['order_line.updated'],
    });
    const misnamed = await api.row({ send: 'PUT /api/v1/order-lines/7,2', body: { line: 3, amount: 1 }, status: 400 });
    assert.deepEqual(misnamed.body.details, [{ field: 'line', message: 'differs from the id, 7,2' }]);
    await api.row({ send: 'GET /api/v1/order-lines/7,2', status: 404 });
    const { body } = await api.row({ send: `PATCH ${at}`, body: { line: 2 }, status: 400 });
    assert.deepEqual(body.details, [
      { field: 'line', message: 'is part of the key; it cannot be changed after creation' },
    ]);
    await api.row({ send: `DELETE ${at}`, status: 204, events: ['order_line.deleted'] });
    await api.row({ send: `GET ${at}`, status: 404 });
  });

  it('[CACHE-3] change a row that is as it was read alone, whoever has changed it', async () => {
    const read = await api.send({ send: 'GET /api/v1/films/1' });
    const ifMatch = { 'If-Match': read.headers.get('etag') ?? '' };
    await source.change("update film set title = 'Theirs' where film_id = 1");
    await api.row({ send: 'PATCH /api/v1/films/1', headers: ifMatch, body: { price: '3' }, status: 412 });
    await api.row({ send: 'DELETE /api/v1/films/1', headers: ifMatch, status: 412 });
    const again = await api.send({ send: 'GET /api/v1/films/1' });
    const changed = await api.row({
      send: 'PATCH /api/v1/films/1',
      headers: { 'If-Match': again.headers.get('etag') ?? '' },
      body: { price: '3' },
      status: 200,
      has: { title: 'Theirs', price: '3', changes: again.body.changes + 1 },
      events: ['film.updated'],
    });
    assert.notEqual(changed.body.revision, again.body.revision);
  });

  it('[CACHE-3] refuse the ETag of a collection, which has no version', async () => {
    const page = await api.send({ send: 'GET /api/v1/films' });
    const etag = page.headers.get('etag') ?? '';
    for (const header of ['If-Match', 'If-None-Match']) {
      const { body } = await api.row({
        send: 'POST /api/v1/films',
        headers: { [header]: etag },
        body: { title: 'New' },
        status: 412,
        has: { errorCode: 'FILM_PRECONDITION_FAILED' },
      });
      assert.match(body.errorMessage, /^Other programs write this collection, so it has no version to compare\./);
    }
    const created = { body: { title: 'New' }, status: 201, events: ['film.created'] };
    await api.row({ send: 'POST /api/v1/films', headers: { 'If-Match': '*' }, ...created });
  });

  it('[MET-7] write nothing where nothing differs', async () => {
    const read = await api.send({ send: 'GET /api/v1/customers/2' });
    const same = await api.row({ send: 'PATCH /api/v1/customers/2', body: { name: 'Bob' }, status: 200 });
    assert.equal(same.body.revision, read.body.revision);
  });

  it('[MET-12] repeat the response under an idempotency key, with the values of the database', async () => {
    const headers = { 'Idempotency-Key': 'one' };
    const request = { send: 'POST /api/v1/films', headers, body: { title: 'Once' } };
    const first = await api.send(request);
    const second = await api.send(request);
    assert.equal(second.text, first.text);
    assert.equal(second.headers.get('idempotent-replayed'), 'true');
    assert.equal(first.body.shout, 'ONCE');
    assert.equal((await events()).length, 1);
    assert.deepEqual(await source.list("select count(*)::int from film where title = 'Once'"), [1]);
  });

  it('[MET-13] are all made by an atomic batch, or none', async () => {
    const operation = (method: string, path: string, body?: unknown) => ({ method, path, body });
    const failing = await api.send({
      send: 'POST /api/v1/batches',
      body: {
        atomic: true,
        operations: [
          operation('POST', '/films', { title: 'Batched' }),
          operation('PATCH', '/customers/2', { level: 99 }),
        ],
      },
    });
    assert.equal(failing.status, 400);
    assert.equal(failing.body.details[0].field, 'operations[1].body');
    assert.deepEqual(await source.list("select count(*)::int from film where title = 'Batched'"), [0]);
    const { body, status } = await api.send({
      send: 'POST /api/v1/batches',
      body: {
        atomic: true,
        operations: [
          operation('POST', '/films', { title: 'Batched' }),
          operation('POST', '/reviews', { text: 'fine', film_id: '1' }),
          operation('PATCH', '/customers/2', { level: 5 }),
          operation('PATCH', '/customers/2', { level: 6 }),
        ],
      },
    });
    assert.equal(status, 201);
    const [film, , first, second] = body.results.map((each: { body: unknown }) => each.body);
    assert.equal(film.shout, 'BATCHED');
    assert.deepEqual([first.level, second.level], [5, 6]);
    assert.notEqual(first.revision, second.revision);
    const types = (await events()).map(({ type }) => type);
    assert.deepEqual(types, ['film.created', 'review.created', 'customer.updated', 'customer.updated']);
    await api.row({ send: 'GET /api/v1/customers/2', status: 200, has: { level: 6, revision: second.revision } });
  });

  it('[MET-14] are checked by a dry run, and not made', async () => {
    await api.row({
      send: 'POST /api/v1/films?dry_run=true',
      body: { title: 'Dry' },
      status: 200,
      has: { shout: 'DRY' },
    });
    await api.row({ send: 'PATCH /api/v1/customers/2?dry_run=true', body: { level: 10 }, status: 400 });
    assert.deepEqual(await source.list("select count(*)::int from film where title = 'Dry'"), [0]);
  });

  it('[MET-10] refuse references to nothing, also between own rows and those of tables', async () => {
    const refused = [
      ['POST /api/v1/films', { title: 'x', customer_id: '999' }, 'customer_id'],
      ['POST /api/v1/reviews', { text: 'x', film_id: '999' }, 'film_id'],
    ] as const;
    for (const [send, body, field] of refused) {
      const { body: error } = await api.row({ send, body, status: 400 });
      assert.equal(error.details[0].field, field);
    }
  });

  it('[MET-4c] delete rows that nothing refers to', async () => {
    const { body } = await api.send({ send: 'POST /api/v1/films', body: { title: 'Reviewed' } });
    await api.send({ send: 'POST /api/v1/reviews', body: { text: 'x', film_id: body.id } });
    await api.newEvents();
    await api.row({ send: `DELETE /api/v1/films/${body.id}`, status: 409, has: { errorCode: 'FILM_HAS_DEPENDENTS' } });
    await source.change(`insert into film (title, customer_id) values ('Hidden', 70)`);
    await api.row({ send: 'DELETE /api/v1/customers/70', status: 409, has: { errorCode: 'CUSTOMER_HAS_DEPENDENTS' } });
  });

  /** Requests that rules of the database refuse: status, code, field and message. */
  const RULES = [
    ['a unique column of the model', 'customers', { name: 'Ann' }, 409, 'CUSTOMER_ALREADY_EXISTS', 'name', 'is taken'],
    [
      'a check with a comment',
      'customers',
      { name: 'a', level: 10 },
      400,
      'CUSTOMER_INVALID',
      'body',
      'must be between 1 and 9',
    ],
    [
      'a column that needs a value',
      'order-lines',
      { order_id: 1, line: 1 },
      400,
      'ORDER_LINE_INVALID',
      'amount',
      'is required',
    ],
    [
      'a text that is too long',
      'order-lines',
      { order_id: 1, line: 1, amount: 1, note: 'longer' },
      400,
      'ORDER_LINE_INVALID',
      'body',
      'is not allowed by a rule of the database',
    ],
    [
      'an exception of a trigger',
      'films',
      { title: 'forbidden' },
      400,
      'FILM_INVALID',
      'body',
      'is not allowed by a rule of the database',
    ],
    [
      'a number that the column cannot hold',
      'films',
      { title: 'x', price: '99999.00' },
      400,
      'FILM_INVALID',
      'body',
      'is not allowed by a rule of the database',
    ],
    [
      'an exclusion',
      'rooms',
      { during: '[5,9)' },
      409,
      'ROOM_CONFLICT',
      'body',
      'conflicts with another row by a rule of the database',
    ],
    [
      'the condition of a view',
      'cheap-films',
      { title: 'dear', price: '9' },
      400,
      'CHEAP_FILM_INVALID',
      'body',
      'is not allowed by a rule of the database',
    ],
  ] as const;

  for (const [rule, collection, sent, status, code, field, message] of RULES) {
    it(`[ERR-3] are refused by ${rule} without its internals`, async () => {
      if (rule === 'an exclusion') await source.change("insert into room (during) values ('[1,6)')");
      const { body, text } = await api.row({ send: `POST /api/v1/${collection}`, body: sent, status });
      assert.equal(body.errorCode, code);
      assert.deepEqual(body.details, [{ field, message }]);
      assert.doesNotMatch(text, /internal detail|level_range|varchar|numeric/);
    });
  }

  it('[ERR-3] are refused by a unique index that the model does not have, without a field', async () => {
    await source.change("update customer set email = 'A@x' where customer_id = 1");
    const { body } = await api.row({
      send: 'POST /api/v1/customers',
      body: { name: 'Other', email: 'a@X' },
      status: 409,
    });
    assert.equal(body.errorCode, 'CUSTOMER_ALREADY_EXISTS');
    assert.deepEqual(body.details, []);
  });

  it('reach views that the database can update, and partitions', async () => {
    const { body } = await api.row({
      send: 'POST /api/v1/cheap-films',
      body: { title: 'Cheap', price: '2' },
      status: 201,
      events: ['cheap_film.created'],
    });
    await api.row({
      send: `PATCH /api/v1/cheap-films/${body.id}`,
      body: { title: 'Cheaper' },
      status: 200,
      has: { title: 'Cheaper' },
      events: ['cheap_film.updated'],
    });
    const at = '/api/v1/log-entries/5,2021-02-03';
    await api.row({ send: `PUT ${at}`, body: { what: 'new' }, status: 201, events: ['log_entry.created'] });
    await api.row({ send: `PATCH ${at}`, body: { what: 'newer' }, status: 200, events: ['log_entry.updated'] });
    assert.deepEqual(await source.list('select what from event_new'), ['newer']);
  });

  it('wait for a lock of another program without a wait of others', async () => {
    const locked = await source.lock('select from customer where customer_id = 1 for update');
    const waiting = api.send({ send: 'PATCH /api/v1/customers/1', body: { note: 'waited' } });
    for (let at = 0; at < 20; at += 1)
      await api.row({
        send: 'PATCH /api/v1/customers/2',
        body: { note: `${at}` },
        status: 200,
        events: ['customer.updated'],
      });
    await api.row({ send: 'GET /api/v1/customers/1', status: 200, has: { note: 'none' } });
    await locked.release();
    assert.equal((await waiting).body.note, 'waited');
    await api.newEvents();
  });

  it('[OPS-9b] change nothing of the tables but rows', async () => {
    assert.deepEqual(await source.list(OBJECTS), objects);
  });
});

describe('a value of every type of PostgreSQL', () => {
  it('is written as it is read', async () => {
    const source = await postgresSource(CINEMA);
    const writable = CINEMA_MODEL.replace('logs: { table: log', 'logs: { read_only: true, table: log').replace(
      'totals: { table: totals',
      'totals: { read_only: true, table: totals',
    );
    const api = await apiUnderTest(writable, { database: source.url });
    try {
      const { body } = await api.send({ send: 'GET /api/v1/kinds/9007199254740993' });
      const { id: _id, revision, links: _links, ...fields } = body;
      await api.row({
        send: 'PATCH /api/v1/kinds/9007199254740993',
        body: { small: 8 },
        status: 200,
        has: { ...fields, small: 8 },
        events: ['kind.updated'],
      });
      const copy = await api.send({ send: 'PUT /api/v1/kinds/77', body: { ...fields, span: 'P2DT3H' } });
      assert.equal(copy.status, 201, copy.text);
      const { id, revision: own, links, ...copied } = copy.body;
      assert.deepEqual(copied, { ...fields, span: 'P2DT3H' });
      assert.notEqual(own, revision);
      assert.deepEqual([id, links.self], ['77', '/api/v1/kinds/77']);
      const same = `select count(distinct to_jsonb(kinds) - 'id' - 'raw' - 'span' - 'small')::int from kinds where id <> 2`;
      assert.deepEqual(await source.list(same), [1]);
      const cleared = Object.fromEntries(Object.keys(fields).map((name) => [name, name === 'short' ? 'y' : null]));
      const { body: emptied } = await api.send({ send: 'PUT /api/v1/kinds/77', body: cleared });
      assert.deepEqual({ ...emptied, ...cleared, words: [], numbers: [] }, emptied);
    } finally {
      await api.close();
      await source.close();
    }
  });
});

describe('the start of an API that writes tables of another program', () => {
  it('[OPS-9b] names each right that the role lacks, as the statement that grants it', async () => {
    const source = await postgresSource(SHOP);
    const open = async (): Promise<string> => {
      try {
        const api = await apiUnderTest(SHOP_MODEL, { database: source.readerUrl });
        await api.close();
        return '';
      } catch (error) {
        assert.ok(error instanceof Error);
        return error.message;
      }
    };
    try {
      await source.change('grant select on all tables in schema public to READER');
      const refused = await open();
      assert.match(
        refused,
        /customers: \S+ may not write customer: grant insert, update, delete on "public"."customer" to/m,
      );
      assert.match(
        refused,
        /grant usage on sequence "public"."customer_customer_id_seq" to .* Or set read_only: true$/m,
      );
      await source.change('grant insert, update, delete on all tables in schema public to READER');
      await source.change('grant usage on all sequences in schema public to READER');
      assert.match(
        await open(),
        /in the schema restwright: create schema "restwright" authorization ".*"; Or pass --read-only/,
      );
      assert.deepEqual(await source.list("select nspname from pg_namespace where nspname = 'restwright'"), []);
      await source.change('create schema restwright authorization READER');
      assert.equal(await open(), '');
    } finally {
      await source.close();
    }
  });

  it('[OPS-9b] refuses a view that the database cannot update, and a table whose updates a rule replaces, unless they are read-only', async () => {
    const source = await postgresSource(`create view total as select 1 as id, 2 as films;
create table ruled (id int primary key);
create rule nothing as on update to ruled do instead nothing; create rule kept as on delete to ruled do instead nothing;
create rule noticed as on insert to ruled do also notify ruled`);
    const ruled = 'name: t\nresources:\n  items: { table: ruled, schema: { type: object } }\n';
    const model = (member: string) =>
      `name: t\nresources:\n  totals: { table: total, key: id,${member} schema: { type: object, properties: { films: { type: integer } } } }\n  notes: { schema: { type: object } }\n`;
    try {
      await assert.rejects(apiUnderTest(model(''), { database: source.url }), {
        message: /totals: the database cannot insert, update, delete rows of total; set read_only: true/,
      });
      await assert.rejects(apiUnderTest(ruled, { database: source.url }), {
        message: /items: the database cannot update, delete rows of ruled; set read_only: true/,
      });
      await using api = await apiUnderTest(model(' read_only: true,'), { database: source.url });
      await api.row({ send: 'GET /api/v1/totals/1', status: 200, has: { films: 2 } });
      await api.row({ send: 'PATCH /api/v1/totals/1', body: { films: 3 }, status: 405 });
    } finally {
      await source.close();
    }
  });
});
