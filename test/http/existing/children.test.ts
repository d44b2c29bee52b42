import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../../pipeline/support/api-under-test.ts';
import type { ExistingSource } from '../../stores/existing/existing-source.ts';
import { postgresSource } from '../../stores/existing/postgres-source.ts';
import { sqliteSource } from '../../stores/existing/source-file.ts';
import { startReceiver } from '../../events/webhooks/receiver.ts';
import { until, webhookScene } from '../../events/webhooks/scene.ts';
import { listIds } from './pages.ts';

const TABLES = `
create table film (film_id integer primary key, title text not null);
create table order_line (order_id integer, line integer, note text, primary key (order_id, line));
insert into film values (1, 'First'), (2, 'Second'), (3, 'Third');
insert into order_line values (7, 1, 'x'), (7, 2, 'y');
`;

/** Own children of rows of tables: one restricts the deletion of its parent, others are deleted with theirs. */
const MODEL = `
name: shop
resources:
  films: { table: film, schema: { type: object, required: [title], properties: { title: { type: string } } } }
  order_lines: { table: order_line, schema: { type: object, properties: { note: { type: string } } } }
  reviews:
    parent: films
    schema: { type: object, required: [stars], properties: { stars: { type: integer, minimum: 1 } } }
  marks:
    parent: films
    on_parent_delete: cascade
    schema: { type: object, properties: { text: { type: string } } }
  replies:
    parent: reviews
    on_parent_delete: cascade
    schema: { type: object, properties: { text: { type: string } } }
  remarks:
    parent: order_lines
    schema: { type: object, properties: { text: { type: string } } }
`;

/** Tests children that the server stores, of rows of tables that exist. */
function childSuite(database: string, open: () => ExistingSource | Promise<ExistingSource>): void {
  describe(`an own child of a row of a table in ${database}`, () => {
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

    it('[MET-1] is created, read, changed and deleted below its parent', async () => {
      const { body } = await api.row({
        send: 'POST /api/v1/films/1/reviews',
        body: { stars: 5 },
        status: 201,
        has: { film_id: '1', stars: 5 },
        events: ['review.created'],
      });
      const self = `/api/v1/films/1/reviews/${body.id}`;
      assert.deepEqual([body.links.self, body.links.up], [self, '/api/v1/films/1']);
      await api.row({ send: `GET ${self}`, status: 200, has: { stars: 5 } });
      assert.deepEqual(await listIds(api, 'films/1/reviews'), [body.id]);
      assert.deepEqual(await listIds(api, 'films/2/reviews'), []);
      await api.row({ send: `GET /api/v1/films/2/reviews/${body.id}`, status: 404, has: {} });
      const film = await api.send({ send: 'GET /api/v1/films/1?expand=reviews' });
      assert.deepEqual(film.body.links.reviews, '/api/v1/films/1/reviews');
      assert.deepEqual(film.body.reviews.data[0].stars, 5);
      const expanded = await api.send({ send: `GET ${self}?expand=film` });
      assert.equal(expanded.body.film.title, 'First');
      await api.row({
        send: `PATCH ${self}`,
        body: { stars: 4 },
        status: 200,
        has: { stars: 4 },
        events: ['review.updated'],
      });
      await api.row({
        send: `POST ${self}/replies`,
        body: { text: 'a' },
        status: 201,
        has: {},
        events: ['reply.created'],
      });
      await api.row({ send: `DELETE ${self}`, status: 204, events: ['reply.deleted', 'review.deleted'] });
      await api.row({ send: `GET ${self}`, status: 404, has: {} });
    });

    it('[URL-1] is 404 below a parent that does not exist, where another program may leave a child', async () => {
      for (const id of ['99', 'x']) {
        await api.row({ send: `GET /api/v1/films/${id}/reviews`, status: 404, has: {} });
        await api.row({ send: `POST /api/v1/films/${id}/reviews`, body: { stars: 1 }, status: 404, has: {} });
      }
      const { body } = await api.send({ send: 'POST /api/v1/films/3/marks', body: { text: 'a' } });
      await api.newEvents();
      await source.change('delete from film where film_id = 3');
      await api.row({ send: 'GET /api/v1/films/3/marks', status: 404, has: {} });
      await api.row({ send: 'POST /api/v1/films/3/marks', body: { text: 'b' }, status: 404, has: {} });
      await api.row({
        send: `PATCH ${body.links.self}`,
        body: { text: 'b' },
        status: 200,
        has: { text: 'b' },
        events: ['mark.updated'],
      });
      await api.row({ send: `DELETE ${body.links.self}`, status: 204, events: ['mark.deleted'] });
    });

    it('[MET-4c] restricts the deletion of its parent, or is deleted with it', async () => {
      const { body: mark } = await api.send({ send: 'POST /api/v1/films/2/marks', body: { text: 'a' } });
      const { body: review } = await api.send({ send: 'POST /api/v1/films/2/reviews', body: { stars: 1 } });
      await api.newEvents();
      await api.row({ send: 'DELETE /api/v1/films/2', status: 409, has: { errorCode: 'FILM_HAS_DEPENDENTS' } });
      await api.row({ send: `GET ${mark.links.self}`, status: 200, has: { text: 'a' } });
      await api.row({ send: `DELETE ${review.links.self}`, status: 204, events: ['review.deleted'] });
      await api.row({ send: 'DELETE /api/v1/films/2', status: 204, events: ['mark.deleted', 'film.deleted'] });
      await api.row({ send: `GET ${mark.links.self}`, status: 404, has: {} });
      assert.deepEqual(
        await source.list('select count(*) from film where film_id = 2').then((all) => all.map(Number)),
        [0],
      );
    });

    it('[URL-3] is below a row whose key has several columns', async () => {
      const { body } = await api.row({
        send: 'POST /api/v1/order-lines/7%2C2/remarks',
        body: { text: 'a' },
        status: 201,
        has: { order_line_id: '7,2' },
        events: ['remark.created'],
      });
      await api.row({ send: `GET ${body.links.self}`, status: 200, has: { text: 'a' } });
      assert.deepEqual(await listIds(api, 'order-lines/7,1/remarks'), []);
      await api.row({
        send: 'DELETE /api/v1/order-lines/7,2',
        status: 409,
        has: { errorCode: 'ORDER_LINE_HAS_DEPENDENTS' },
      });
    });

    it('[MET-13] is created with its parent in one batch', async () => {
      const operations = [
        { method: 'POST', path: '/films', body: { id: '50', title: 'New' } },
        { method: 'POST', path: '/films/50/reviews', body: { stars: 2 } },
      ];
      const { status, text } = await api.send({ send: 'POST /api/v1/batches', body: { operations } });
      assert.equal(status, 201, text);
      assert.equal((await listIds(api, 'films/50/reviews')).length, 1);
    });
  });
}

/** Opens a database of PostgreSQL with the tables, and a schema for what the server stores. */
async function openPostgres(): Promise<ExistingSource> {
  const source = await postgresSource(TABLES);
  await source.change('create schema restwright');
  return source;
}

/** Tests that webhooks get the events of own rows next to tables, and those of tables. */
function webhookSuite(database: string, open: () => ExistingSource | Promise<ExistingSource>): void {
  describe(`a webhook next to tables that exist in ${database}`, () => {
    it('[EVT-4a] gets the events of own rows and of rows of tables, in the order of the log', async () => {
      const source = await open();
      try {
        await using receiver = await startReceiver();
        await using scene = await webhookScene(`${MODEL}webhooks: {}\n`, undefined, source.url);
        await scene.webhook({ url: receiver.url, ordered: true });
        await scene.send('POST', 'films/1/marks', { text: 'a' });
        await scene.send('PATCH', 'films/1', { title: 'New' });
        await scene.send('DELETE', 'films/1');
        await until(() => receiver.requests.length === 4);
        assert.deepEqual(receiver.types(), ['mark.created', 'film.updated', 'mark.deleted', 'film.deleted']);
      } finally {
        await source.close();
      }
    });
  });
}

webhookSuite('SQLite', () => sqliteSource(TABLES));
webhookSuite('PostgreSQL', openPostgres);
childSuite('SQLite', () => sqliteSource(TABLES));
childSuite('PostgreSQL', openPostgres);
