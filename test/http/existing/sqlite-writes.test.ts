import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type DriverConnection, DRIVER_NAMES, type DriverName } from '../../../src/stores/sqlite/driver/driver.ts';
import { loadDriver } from '../../../src/stores/sqlite/driver/select-driver.ts';
import { type ApiUnderTest, apiUnderTest, type Seen } from '../../pipeline/support/api-under-test.ts';
import { sourceFile } from '../../stores/existing/source-file.ts';

/** Tables with defaults, rules and triggers, and rows in some of them. */
const SHOP = `
create table customer (
  customer_id integer primary key, name text not null unique, note text default 'none', email text collate nocase unique,
  level int not null default 1 check (level between 1 and 9)
);
create table film (
  film_id integer primary key autoincrement, title text not null, price numeric default 1.5, customer integer references customer,
  tags json, meta, shout text generated always as (upper(title)), version int not null default 0, changed datetime
);
create table film_log (film_id int, title text);
create trigger counted after insert on film begin update film set version = 1 where film_id = new.film_id; end;
create trigger logged after update of title on film begin insert into film_log values (new.film_id, new.title); end;
create trigger forbidden before insert on film when new.title = 'forbidden' begin select raise(abort, 'internal detail 42'); end;
create trigger ending before insert on film when new.title = 'ending' begin select raise(rollback, 'internal detail 43'); end;
create trigger ignored before insert on film when new.title = 'ignored' begin select raise(ignore); end;
create table call (call_id integer primary key);
create trigger calling before insert on call begin select of_its_program(); end;
create table order_line (order_id int, line int, amount int not null, note text, primary key (order_id, line)) without rowid;
create table gauge (gauge_id integer primary key, value integer) strict;
create table token (token_id uuid primary key not null, label text);
create table entry (at int, size);
create table child (child_id integer primary key, parent integer references child deferrable initially deferred);
insert into customer (name) values ('Ann'), ('Bob');
insert into film (title, customer, changed) values ('First', 1, '2004-01-02 03:04:05');
`;

/** A model of {@link SHOP}, with a resource of the server's own. */
const SHOP_MODEL = `
name: shop
resources:
  customers:
    table: customer
    schema:
      type: object
      required: [name]
      properties:
        name: { type: string, minLength: 1, x-unique: true }
        note: { type: string }
        email: { type: string }
        level: { type: integer }
  films:
    table: film
    columns: { customer_id: customer, changes: version }
    updated_at: changed
    search: [title]
    schema:
      type: object
      required: [title]
      properties:
        title: { type: string }
        price: { type: string, format: decimal }
        customer_id: { type: string, x-references: { resource: customers, inverse: films } }
        tags: { type: array, items: { type: string } }
        meta: { type: json }
        shout: { type: string }
        changes: { type: integer, readOnly: true }
  order_lines:
    table: order_line
    schema:
      type: object
      properties:
        order_id: { type: integer }
        line: { type: integer }
        amount: { type: integer }
        note: { type: string }
  gauges: { table: gauge, schema: { type: object, properties: { value: { type: string } } } }
  tokens: { table: token, schema: { type: object, properties: { label: { type: string } } } }
  entries: { table: entry, schema: { type: object, properties: { at: { type: integer }, size: { type: integer } } } }
  calls: { table: call, schema: { type: object } }
  children: { table: child, schema: { type: object, properties: { parent: { type: integer } } } }
  reviews:
    search: [text]
    schema:
      type: object
      required: [text]
      properties:
        text: { type: string }
        film_id: { type: string, x-references: { resource: films, inverse: reviews } }
`;

/** Everything of the file that its program has made. */
const OBJECTS =
  "select group_concat(type || name || coalesce(sql, ''), char(10) order by name) from sqlite_schema where tbl_name not like 'restwright%' and tbl_name not like 'reviews%'";

/** The numbers of rows and of details of the errors of a rule. */
const RULE = 'is not allowed by a rule of the database';

/** Requests that rules of the database refuse. */
const RULES = [
  ['a unique column of the model', 'customers', { name: 'Ann' }, 409, 'CUSTOMER_ALREADY_EXISTS', 'name', 'is taken'],
  ['a check', 'customers', { name: 'a', level: 10 }, 400, 'CUSTOMER_INVALID', 'body', RULE],
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
    'a key that needs a value',
    'order-lines',
    { order_id: 1, amount: 1 },
    400,
    'ORDER_LINE_INVALID',
    'line',
    'is required',
  ],
  ['a trigger', 'films', { title: 'forbidden' }, 400, 'FILM_INVALID', 'body', RULE],
  ['a trigger that ends the transaction', 'films', { title: 'ending' }, 400, 'FILM_INVALID', 'body', RULE],
  ['a trigger that leaves the row out', 'films', { title: 'ignored' }, 400, 'FILM_INVALID', 'body', RULE],
  ['a generated column', 'films', { title: 'x', shout: 'Y' }, 400, 'FILM_INVALID', 'shout', RULE],
  ['the type of a strict table', 'gauges', { value: 'much' }, 400, 'GAUGE_INVALID', 'value', RULE],
  ['the type of a key', 'customers', { id: 'abc', name: 'x' }, 400, 'CUSTOMER_INVALID', 'body', RULE],
  ['a deferred foreign key', 'children', { parent: 99 }, 400, 'CHILD_INVALID', 'body', RULE],
  [
    'a unique column that the model does not have',
    'customers',
    { name: 'c', email: 'A@x' },
    409,
    'CUSTOMER_ALREADY_EXISTS',
    'email',
    'is taken',
  ],
] as const;

for (const driver of DRIVER_NAMES)
  describe(`writes to the tables of a SQLite file of another program, by ${driver}`, () => {
    let other: Program;
    let api: ApiUnderTest;
    let objects: unknown;
    let mode: unknown;
    const closers: (() => void)[] = [];
    before(async () => {
      const file = sourceFile(
        { after: (close: () => void) => closers.push(close) },
        `${driver === 'node' ? 'pragma journal_mode = wal;' : ''} ${SHOP}`,
      );
      other = new Program(file, driver);
      objects = other.value(OBJECTS);
      mode = other.value('pragma journal_mode');
      api = await apiUnderTest(SHOP_MODEL, { database: file, driver });
    });
    after(async () => {
      other.close();
      await api.close();
      for (const close of closers) close();
    });

    it('[MET-1] create a row with the values that its defaults, triggers and generated columns give it', async () => {
      const { body, headers } = await api.send({
        send: 'POST /api/v1/films',
        body: { title: 'Second', tags: ['a', 'b,"c'], meta: { a: [1] } },
      });
      const { revision: _revision, links: _links, updated_at: changed, id, ...fields } = body;
      const written = { title: 'Second', tags: ['a', 'b,"c'], meta: { a: [1] } };
      assert.deepEqual(fields, { ...written, price: '1.5', customer_id: null, shout: 'SECOND', changes: 1 });
      assert.equal(headers.get('location'), `/api/v1/films/${id}`);
      const read = await api.send({ send: `GET /api/v1/films/${id}` });
      assert.equal(read.headers.get('etag'), headers.get('etag'));
      assert.deepEqual(read.body, body);
      const [event] = await api.newEvents();
      assert.equal(event?.type, 'film.created');
      assert.equal(event?.payload.resource.id, id);
      assert.deepEqual(event?.payload.changed_fields, ['title', 'price', 'tags', 'meta', 'shout', 'changes']);
      // As its program writes times.
      assert.equal(changed, '2026-01-02T03:04:05.000Z');
      assert.equal(
        other.value(`select changed || typeof(version) || tags from film where film_id = ${id}`),
        '2026-01-02 03:04:05integer["a","b,\\"c"]',
      );
    });

    it('[MET-1] take the id that the client chooses, or make one', async () => {
      const created = { events: ['customer.created'], status: 201 };
      await api.row({
        ...created,
        send: 'POST /api/v1/customers',
        body: { id: '70', name: 'Chosen' },
        has: { id: '70', note: 'none' },
      });
      const entry = await api.row({
        send: 'POST /api/v1/entries',
        body: { at: 1, size: 5 },
        status: 201,
        events: ['entry.created'],
      });
      assert.equal(entry.body.id, '1');
      assert.equal(other.value('select typeof(size) from entry'), 'integer');
      const { body } = await api.row({
        send: 'POST /api/v1/tokens',
        body: { label: 'x' },
        status: 201,
        events: ['token.created'],
      });
      assert.match(body.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
      await api.row({ send: 'POST /api/v1/customers', body: { id: '70', name: 'Again' }, status: 409 });
    });

    it('[MET-2] create, change and delete a row under a key of several columns', async () => {
      const at = '/api/v1/order-lines/7,1';
      await api.row({
        send: `PUT ${at}`,
        body: { amount: 3 },
        status: 201,
        has: { id: '7,1', order_id: 7, amount: 3, note: null },
        events: ['order_line.created'],
      });
      await api.row({
        send: `PUT ${at}`,
        body: { amount: 4, order_id: 7, line: 1 },
        status: 200,
        has: { amount: 4 },
        events: ['order_line.updated'],
      });
      await api.row({
        send: `PATCH ${at}`,
        headers: { 'Content-Type': 'application/json-patch+json' },
        body: [{ op: 'add', path: '/note', value: 'hm' }],
        status: 200,
        has: { note: 'hm', amount: 4 },
        events: ['order_line.updated'],
      });
      const misnamed = await api.row({
        send: 'PUT /api/v1/order-lines/7,2',
        body: { line: 3, amount: 1 },
        status: 400,
      });
      assert.deepEqual(misnamed.body.details, [{ field: 'line', message: 'differs from the id, 7,2' }]);
      await api.row({ send: 'GET /api/v1/order-lines/7,2', status: 404 });
      const { body } = await api.row({ send: `PATCH ${at}`, body: { line: 2 }, status: 400 });
      assert.deepEqual(body.details, [
        { field: 'line', message: 'is part of the key; it cannot be changed after creation' },
      ]);
      await api.row({ send: `DELETE ${at}`, status: 204, events: ['order_line.deleted'] });
      await api.row({ send: `GET ${at}`, status: 404 });
    });

    it('[CACHE-3] change only a row that is as it was read, whoever has changed it', async () => {
      const read = await api.send({ send: 'GET /api/v1/films/1' });
      const ifMatch = { 'If-Match': read.headers.get('etag') ?? '' };
      await other.change("update film set title = 'Theirs' where film_id = 1");
      await api.row({ send: 'PATCH /api/v1/films/1', headers: ifMatch, body: { price: '3' }, status: 412 });
      await api.row({ send: 'DELETE /api/v1/films/1', headers: ifMatch, status: 412 });
      const again = await api.send({ send: 'GET /api/v1/films/1' });
      const changed = await api.row({
        send: 'PATCH /api/v1/films/1',
        headers: { 'If-Match': again.headers.get('etag') ?? '' },
        body: { price: '3' },
        status: 200,
        has: { title: 'Theirs', price: '3' },
        events: ['film.updated'],
      });
      assert.notEqual(changed.body.revision, again.body.revision);
      assert.deepEqual((await api.send({ send: 'GET /api/v1/films/1' })).body, changed.body);
    });

    it('[CACHE-2] give pages another ETag, after a write of either program', async () => {
      const read = async (): Promise<string> =>
        (await api.send({ send: 'GET /api/v1/entries' })).headers.get('etag') ?? '';
      const tags = [await read()];
      await api.row({ send: 'POST /api/v1/entries', body: { at: 2 }, status: 201, events: ['entry.created'] });
      tags.push(await read());
      await other.change('insert into entry values (3, null)');
      tags.push(await read());
      assert.equal(new Set(tags).size, 3);
      const created = await api.send({
        send: 'POST /api/v1/entries',
        headers: { 'If-Match': tags[2] ?? '' },
        body: { at: 4 },
      });
      assert.equal(created.status, 201);
      await api.newEvents();
      await api.row({
        send: 'POST /api/v1/entries',
        headers: { 'If-Match': tags[2] ?? '' },
        body: { at: 4 },
        status: 412,
      });
    });

    it('[MET-12] repeat the response under an idempotency key, with the values of the database', async () => {
      const request = { send: 'POST /api/v1/films', headers: { 'Idempotency-Key': 'one' }, body: { title: 'Once' } };
      const first = await api.send(request);
      const second = await api.send(request);
      assert.equal(second.text, first.text);
      assert.equal(second.headers.get('idempotent-replayed'), 'true');
      assert.equal(first.body.shout, 'ONCE');
      assert.equal((await api.newEvents()).length, 1);
      assert.equal(other.value("select count(*) from film where title = 'Once'"), 1);
    });

    const batch = (...operations: readonly (readonly [method: string, path: string, body: unknown])[]): Promise<Seen> =>
      api.send({
        send: 'POST /api/v1/batches',
        body: { atomic: true, operations: operations.map(([method, path, body]) => ({ method, path, body })) },
      });

    it('[MET-13] are all made by an atomic batch with own rows, or none', async () => {
      const failing = await batch(
        ['POST', '/films', { title: 'Batched' }],
        ['POST', '/reviews', { text: 'fine' }],
        ['PATCH', '/customers/2', { level: 99 }],
      );
      assert.equal(failing.status, 400, failing.text);
      assert.equal(failing.body.details[0].field, 'operations[2].body');
      assert.equal(other.value("select count(*) from film where title = 'Batched'"), 0);
      assert.equal((await api.newEvents()).length, 0);
      const { body, status } = await batch(
        ['POST', '/films', { title: 'Batched' }],
        ['POST', '/reviews', { text: 'fine', film_id: '1' }],
        ['PATCH', '/customers/2', { level: 5 }],
        ['PATCH', '/customers/2', { level: 6 }],
      );
      assert.equal(status, 201, JSON.stringify(body));
      const [film, , first, second] = body.results.map((each: { body: unknown }) => each.body);
      assert.equal(film.shout, 'BATCHED');
      assert.deepEqual([first.level, second.level], [5, 6]);
      assert.notEqual(first.revision, second.revision);
      const types = (await api.newEvents()).map(({ type }) => type);
      assert.deepEqual(types, ['film.created', 'review.created', 'customer.updated', 'customer.updated']);
      await api.row({ send: 'GET /api/v1/customers/2', status: 200, has: { level: 6, revision: second.revision } });
      await api.row({ send: 'GET /api/v1/reviews?q=fine&expand=film', status: 200 });
    });

    it('[MET-14] are checked by a dry run, and not made', async () => {
      await api.row({
        send: 'POST /api/v1/films?dry_run=true',
        body: { title: 'Dry' },
        status: 200,
        has: { shout: 'DRY' },
      });
      await api.row({ send: 'PATCH /api/v1/customers/2?dry_run=true', body: { level: 10 }, status: 400 });
      assert.equal(other.value("select count(*) from film where title = 'Dry'"), 0);
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
      await other.change("insert into film (title, customer) values ('Hidden', 70)");
      await api.row({
        send: 'DELETE /api/v1/customers/70',
        status: 409,
        has: { errorCode: 'CUSTOMER_HAS_DEPENDENTS' },
      });
    });

    for (const [rule, collection, sent, status, code, field, message] of RULES)
      it(`[ERR-3] are refused by ${rule} without its internals`, async () => {
        if (field === 'email') await other.change("update customer set email = 'a@X' where customer_id = 1");
        const { body, text } = await api.row({ send: `POST /api/v1/${collection}`, body: sent, status });
        assert.equal(body.errorCode, code);
        assert.deepEqual(body.details, [{ field, message }]);
        assert.doesNotMatch(text, /internal detail|constraint|order_line\./);
      });

    it('[ERR-7] fail alone, among others of the same transaction, where a rule or a trigger fails', async () => {
      const titles = ['Good 1', 'ending', 'Good 2', 'forbidden', 'Good 3'];
      const films = titles.map((title) => api.send({ send: 'POST /api/v1/films', body: { title } }));
      const orphan = api.send({ send: 'POST /api/v1/children', body: { parent: 98 } });
      const call = api.send({ send: 'POST /api/v1/calls', body: {} });
      const statuses = (await Promise.all([...films, orphan, call])).map(({ status }) => status);
      assert.deepEqual(statuses, [201, 400, 201, 400, 201, 400, 500]);
      assert.equal((await api.newEvents()).length, 3);
      assert.equal(other.value("select count(*) from film where title like 'Good%'"), 3);
    });

    it('[OPS-5] wait for a transaction of the other program', async () => {
      const [first] = (await api.send({ send: 'GET /api/v1/entries' })).body.data;
      await setImmediate();
      await setImmediate();
      // Without a write-ahead log the commit waits for readers, too.
      other.begin('select * from entry');
      const waiting = api.send({ send: `PATCH /api/v1/entries/${first.id}`, body: { at: 77 } });
      for (let ticks = 0; ticks < 20; ticks += 1) await setImmediate();
      other.end();
      assert.equal((await waiting).body.at, 77);
      await api.newEvents();
    });

    it('[OPS-5] change nothing of the file of the other program but rows', () => {
      assert.equal(other.value(OBJECTS), objects);
      assert.equal(other.value('pragma journal_mode'), mode);
      assert.equal(other.value('pragma application_id'), 0);
    });
  });

/** Another program with the file open. It uses the driver of the store: two libraries do not see each other's locks. */
class Program {
  readonly #connection: DriverConnection;

  constructor(file: string, driver: DriverName) {
    this.#connection = loadDriver(driver).open(file, { mode: 'existing', timeout: 5_000 });
  }

  /** Runs statements, once the reads of this event-loop iteration have ended. */
  async change(sql: string): Promise<void> {
    await setImmediate();
    await setImmediate();
    this.#connection.exec(sql);
  }

  /** Begins a transaction that reads. */
  begin(sql: string): void {
    this.#connection.exec('begin');
    this.#connection.prepare(sql).all();
  }

  end(): void {
    this.#connection.exec('commit');
  }

  value(sql: string): unknown {
    return Object.values(this.#connection.prepare(sql).get() ?? {})[0];
  }

  close(): void {
    this.#connection.close();
  }
}
