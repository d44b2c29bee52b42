import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { member } from '../../describe/openapi/consistency.ts';
import { describeVersions } from '../../describe/openapi/described.ts';
import { startReceiver } from '../../events/webhooks/receiver.ts';
import { until, webhookScene } from '../../events/webhooks/scene.ts';
import { type ApiUnderTest, apiUnderTest } from '../../pipeline/support/api-under-test.ts';
import type { ExistingSource } from '../../stores/existing/existing-source.ts';
import { postgresSource } from '../../stores/existing/postgres-source.ts';
import { sqliteSource } from '../../stores/existing/source-file.ts';
import { assertReadOnly, walkPages } from './pages.ts';

/** @param time the type of times @param key that of a key that the database makes */
const tables = (time: string, key: string): string => `
create table studio (studio_id ${key}, name text);
create table film (
  film_id ${key}, title text, minutes integer, kind text, first text, last text, studio integer references studio,
  secret text default 'kept', changed ${time}, watched ${time}
);
create table order_line (order_id integer, line integer, amount integer, primary key (order_id, line));
insert into studio (name) values ('Acme');
insert into film (title, minutes, kind, first, last, studio, changed, watched) values
  ('Alien', 117, 'HORROR', 'Ridley', 'Scott', 1, '2024-01-01 00:00:00.123456', '2024-05-06 07:08:09.123456'),
  (null, null, null, null, null, null, null, null),
  ('Brazil', 132, 'DRAMA', 'Terry', 'Gilliam', 1, '2024-01-02 00:00:00', null);
insert into order_line values (7, 1, 3);
`;

/** The schema of version 2 has the names of columns, or others. */
const MODEL = `
name: shop
version: 2.0.0
default_version: 2
resources:
  studios: { table: studio, schema: { type: object, properties: { name: { type: string } } } }
  films:
    table: film
    events: full
    columns: { length: minutes, studio_id: studio }
    updated_at: changed
    schema:
      type: object
      required: [title]
      properties:
        title: { type: string }
        length: { type: integer }
        kind: { type: string, enum: [HORROR, DRAMA] }
        first: { type: string }
        last: { type: string }
        secret: { type: string }
        watched: { type: string, format: date-time }
        studio_id: { type: string, x-references: { resource: studios, inverse: films } }
  lines:
    table: order_line
    key: [order_id, line]
    columns: { number: line }
    schema:
      type: object
      properties: { order_id: { type: integer }, number: { type: integer }, amount: { type: integer } }
versions:
  1.0.0:
    changes:
      - resource: films
        rename: { name: title, maker_id: studio_id }
        without: [secret]
        values: { kind: { horror: HORROR, drama: DRAMA } }
        type: { size: { schema: { type: string }, to: length }, seen: { schema: { type: string }, to: watched } }
        split: { director: { schema: { type: string }, into: [first, last], separator: " " } }
      - { resource: lines, collection: positions, rename: { place: number } }
`;

const EARLIER = `
name: shop
resources:
  studios:
    table: studio
    columns: { label: name }
    events: full
    schema: { type: object, properties: { label: { type: string } } }
`;

/** The model after {@link EARLIER}. */
const LATER = `
name: shop
version: 2.0.0
default_version: 1
resources: { studios: { table: studio, events: full, schema: { type: object, properties: { name: { type: string } } } } }
versions: { 1.0.0: { changes: [{ resource: studios, rename: { label: name } }] } }
`;

const JSON_PATCH = { 'Content-Type': 'application/json-patch+json' };

const first = {
  name: 'Alien',
  size: '117',
  kind: 'horror',
  director: 'Ridley Scott',
  maker_id: '1',
  seen: '2024-05-06T07:08:09.123456Z',
};
const second = { name: null, size: null, kind: null, director: null, maker_id: null, seen: null };

/** Tests an older and the newest version of the rows of tables that exist. */
function versionSuite(database: string, open: () => ExistingSource | Promise<ExistingSource>): void {
  describe(`an older version of the rows of a table in ${database}`, () => {
    let source: ExistingSource;
    let api: ApiUnderTest;
    before(async () => {
      source = await open();
      api = await apiUnderTest(MODEL, { database: source.url });
    });
    after(async () => {
      await api.close();
      await source.close();
    });

    const etag = async (target: string): Promise<Readonly<Record<string, string>>> => {
      const { headers } = await api.send({ send: `GET /api/${target}` });
      return { 'If-Match': headers.get('etag') ?? '' };
    };

    it('[VER-5a] is read by its own names and values, NULL included, with the times of the row', async () => {
      const { body } = await api.row({ send: 'GET /api/v1/films/1', status: 200 });
      const { id, links, revision, ...members } = body;
      assert.deepEqual(members, { ...first, updated_at: '2024-01-01T00:00:00.123456Z' });
      assert.deepEqual([id, links.maker], ['1', '/api/v1/studios/1']);
      await api.row({ send: 'GET /api/v2/films/1', status: 200, has: { title: 'Alien', length: 117, revision } });
      await api.row({ send: 'GET /api/v1/films/2', status: 200, has: { ...second, updated_at: null } });
    });

    it('[VER-5a] is filtered, sorted and paged by its own names and values', async () => {
      assert.deepEqual(await walkPages(api, 'films?name=Alien', 'next'), ['1']);
      assert.deepEqual(await walkPages(api, 'films?kind=drama', 'next'), ['3']);
      assert.deepEqual(await walkPages(api, 'films?name[exists]=false', 'next'), ['2']);
      assert.deepEqual(await walkPages(api, 'films?updated_at=2024-01-01T00:00:00.123456Z', 'next'), ['1']);
      assert.deepEqual(await walkPages(api, 'films?sort=-name&limit=1', 'next'), ['3', '1', '2']);
      assert.deepEqual(await walkPages(api, 'films?sort=updated_at,name&limit=1', 'next'), ['2', '1', '3']);
      for (const query of ['title=Alien', 'sort=size', 'secret=kept'])
        await api.row({ send: `GET /api/v1/films?${query}`, status: 400 });
    });

    it('[VER-5a] is expanded in both directions', async () => {
      const { body } = await api.row({ send: 'GET /api/v1/films/1?expand=maker', status: 200 });
      assert.equal(body.maker.name, 'Acme');
      const { body: studio } = await api.row({ send: 'GET /api/v1/studios/1?expand=films', status: 200 });
      assert.deepEqual(
        studio.films.data.map(({ name }: { name: string }) => name),
        ['Alien', 'Brazil'],
      );
    });

    it('[VER-5a] is created, changed, replaced and deleted, and keeps what it does not know', async () => {
      const sent = { ...first, name: 'New', size: '90', kind: 'drama', director: 'Ann Lee' };
      const created = await api.row({
        send: 'POST /api/v1/films',
        body: sent,
        status: 201,
        has: sent,
        events: ['film.created'],
      });
      const { id } = created.body;
      const stored = { title: 'New', length: 90, kind: 'DRAMA', first: 'Ann', last: 'Lee', secret: 'kept' };
      await api.row({ send: `GET /api/v2/films/${id}`, status: 200, has: stored });
      const at = `/api/v1/films/${id}`;
      const changed = { director: 'Bo Ek', size: '91' };
      await api.row({ send: `PATCH ${at}`, body: changed, status: 200, has: changed, events: ['film.updated'] });
      const patch = [
        { op: 'test', path: '/kind', value: 'drama' },
        { op: 'replace', path: '/name', value: 'Newer' },
      ];
      await api.row({
        send: `PATCH ${at}`,
        headers: JSON_PATCH,
        body: patch,
        status: 200,
        has: { name: 'Newer' },
        events: ['film.updated'],
      });
      await api.row({
        send: `PUT ${at}`,
        body: { name: 'Last' },
        status: 200,
        has: { ...second, name: 'Last' },
        events: ['film.updated'],
      });
      await api.row({ send: `GET /api/v2/films/${id}`, status: 200, has: { title: 'Last', secret: 'kept' } });
      const { body } = await api.row({ send: `PATCH ${at}`, body: { size: 'long' }, status: 400 });
      assert.equal(body.details[0].field, 'size');
      await api.row({ send: `DELETE ${at}`, status: 204, events: ['film.deleted'] });
    });

    it('[CACHE-3] [VER-5a] is changed under the ETags of each version', async () => {
      const [older, newest] = [await etag('v1/films/3'), await etag('v2/films/3')];
      const body = { title: 'Brasil' };
      await api.row({ send: 'PATCH /api/v2/films/3', headers: newest, body, status: 200, events: ['film.updated'] });
      await api.row({ send: 'PATCH /api/v1/films/3', headers: older, body: { name: 'x' }, status: 412 });
      await source.change("update film set title = 'Theirs' where film_id = 3");
      await api.row({ send: 'DELETE /api/v2/films/3', headers: newest, status: 412 });
      await api.row({
        send: 'PATCH /api/v1/films/3',
        headers: await etag('v1/films/3'),
        body: { name: 'Brazil' },
        status: 200,
        events: ['film.updated'],
      });
    });

    it('[MET-12] [VER-5a] answers the repeat of a request in its version', async () => {
      const request = {
        send: 'POST /api/v1/films',
        headers: { 'Idempotency-Key': 'k1' },
        body: { name: 'Once', size: '5' },
      };
      const { body } = await api.row({ ...request, status: 201, events: ['film.created'] });
      const repeated = await api.row({ ...request, status: 201, expectHeaders: { 'Idempotent-Replayed': 'true' } });
      assert.deepEqual(repeated.body, body);
      await api.row({ send: `DELETE /api/v1/films/${body.id}`, status: 204, events: ['film.deleted'] });
    });

    it('[EVT-1] [VER-5a] has events with the names and values of each version', async () => {
      const { body: logged } = await api.send({ send: 'GET /api/v1/events?limit=100' });
      await api.row({
        send: 'PATCH /api/v2/films/1',
        body: { title: 'Aliens', kind: 'DRAMA' },
        status: 200,
        events: ['film.updated'],
      });
      const payloads = await Promise.all(
        ['v1', 'v2'].map(async (version) => {
          const { body } = await api.send({ send: `GET /api/${version}/events?limit=100` });
          return body.data[logged.data.length].payload;
        }),
      );
      const { id: _id, ...data } = payloads[0].data;
      assert.deepEqual(data, { ...first, name: 'Aliens', kind: 'drama' });
      assert.equal(payloads[1].data.title, 'Aliens');
      assert.deepEqual(
        payloads.map((payload) => payload.changed_fields),
        [
          ['name', 'kind'],
          ['title', 'kind'],
        ],
      );
      await api.row({ send: 'PATCH /api/v1/films/1', body: first, status: 200, events: ['film.updated'] });
    });

    it('[REP-6] [VER-5a] has a key of several columns, whose fields cannot change by any name', async () => {
      const at = '/api/v1/positions/7,1';
      await api.row({ send: `GET ${at}`, status: 200, has: { id: '7,1', order_id: 7, place: 1, amount: 3 } });
      const { body } = await api.row({ send: `PATCH ${at}`, body: { place: 2 }, status: 400 });
      assert.deepEqual(
        body.details.map(({ field }: { field: string }) => field),
        ['place'],
      );
      const other = await api.row({ send: 'PUT /api/v1/positions/7,2', body: { place: 3, amount: 1 }, status: 400 });
      assert.equal(other.body.details[0].field, 'place');
      await api.row({
        send: 'PUT /api/v1/positions/7,2',
        body: { amount: 1 },
        status: 201,
        has: { place: 2 },
        events: ['line.created'],
      });
      await api.row({ send: 'DELETE /api/v2/lines/7,2', status: 204, events: ['line.deleted'] });
    });
  });

  describe(`a model with an older version, of the rows of a table in ${database}`, () => {
    it('[VER-5a] has events with the names and values of its version', async () => {
      const source = await open();
      try {
        await using receiver = await startReceiver();
        await using scene = await webhookScene(`${MODEL}webhooks: {}\n`, undefined, source.url);
        await scene.webhook({ url: receiver.url, version: '1' });
        await scene.send('PATCH', '/api/v2/films/1', { title: 'Aliens' });
        await until(() => receiver.requests.length === 1);
        assert.match(receiver.requests[0]?.body ?? '', /"name":"Aliens"/);
      } finally {
        await source.close();
      }
    });

    it('[VER-5c] is served after that version alone, with its events and replays, and changes no table', async () => {
      const source = await open();
      try {
        const request = { send: 'POST /api/v1/studios', headers: { 'Idempotency-Key': 'k1' }, body: { label: 'New' } };
        const earlier = await apiUnderTest(EARLIER, { database: source.url });
        const { body } = await earlier.row({ ...request, status: 201, events: ['studio.created'] });
        await earlier.close();
        const api = await apiUnderTest(LATER, { database: source.url });
        const repeated = await api.send(request);
        const { body: events } = await api.send({ send: 'GET /api/v2/events' });
        await api.row({
          send: `GET /api/v2/studios/${body.id}`,
          status: 200,
          has: { name: 'New' },
          events: ['studio.created'],
        });
        await api.close();
        assert.deepEqual([repeated.status, repeated.body], [201, body]);
        assert.deepEqual(events.data[0].payload.data, { id: body.id, name: 'New' });
        assert.deepEqual(await source.list('select name from studio order by studio_id'), ['Acme', 'New']);
      } finally {
        await source.close();
      }
    });
  });
}

versionSuite('SQLite', () => sqliteSource(tables('datetime', 'integer primary key')));

versionSuite('PostgreSQL', () =>
  postgresSource(tables('timestamptz', 'integer generated by default as identity primary key')),
);

describe('an older version of the rows of a table', () => {
  it('[VER-5a] is described by its own names, which may be null', () => {
    const [newest = {}, older = {}] = describeVersions(MODEL);
    for (const [document, name] of [
      [newest, 'title'],
      [older, 'name'],
    ] as const) {
      const film = member(member(member(document, 'components'), 'schemas'), 'Film');
      assert.deepEqual(member(member(film, 'properties'), name)['type'], ['string', 'null']);
    }
  });
});

/** Values that do not fit their fields: SQLite enforces no type. */
const MISFITS = `create table entry (entry_id integer primary key, size integer, tags text);
  insert into entry values (1, 'b', 'no json'), (2, 7, '["x"]'), (3, 'a', null), (4, 'c', '[]')`;

const MISFIT_MODEL = `
name: shop
version: 2.0.0
default_version: 1
resources:
  entries:
    table: entry
    schema: { type: object, properties: { size: { type: integer }, tags: { type: array, items: { type: string } } } }
versions:
  1.0.0:
    changes: [{ resource: entries, rename: { amount: size, labels: tags } }]
`;

describe('an older version of rows with values that do not fit', () => {
  let source: ExistingSource;
  let api: ApiUnderTest;
  before(async () => {
    source = sqliteSource(MISFITS);
    api = await apiUnderTest(MISFIT_MODEL, { database: source.url, readOnly: true });
  });
  after(async () => {
    await api.close();
    await source.close();
  });

  it('[VER-5a] shows them as the newest version does', async () => {
    for (const id of [1, 2, 3]) {
      const { body } = await api.row({ send: `GET /api/v2/entries/${id}`, status: 200 });
      await api.row({ send: `GET /api/v1/entries/${id}`, status: 200, has: { amount: body.size, labels: body.tags } });
    }
  });

  it('[PAGE-5] [VER-5a] continues a page at the stored value', async () => {
    assert.deepEqual(await walkPages(api, 'entries?sort=amount&limit=1', 'next'), ['2', '3', '1', '4']);
  });

  it('[MET-1] [VER-5a] is not written, as in the newest version', async () => {
    await assertReadOnly(api, 'entries', '1');
  });
});
