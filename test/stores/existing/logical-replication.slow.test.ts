import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { EventEnvelope } from '../../../src/conventions/events/event.ts';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import { adoptTables } from '../../../src/stores/postgres/triggers/adopt-tables.ts';
import { type ApiUnderTest, apiUnderTest } from '../../pipeline/support/api-under-test.ts';
import { startOwnPostgres } from '../../postgres-server.ts';
import { type PostgresSource, postgresSource } from './postgres-source.ts';

const TABLE = 'create table item (id int primary key, value int, text text)';

const MODEL = `
name: stock
resources:
  items:
    table: item
    changes: triggers
    events: full
    schema: { type: object, properties: { value: { type: integer }, text: { type: string } } }
`;

const createSource = (): Promise<PostgresSource> =>
  postgresSource(TABLE, () => startOwnPostgres(null, { settings: ['wal_level=logical'] }));

describe('rows that arrive by logical replication', { timeout: 60_000 }, () => {
  let publisher: PostgresSource;
  let subscriber: PostgresSource;
  let api: ApiUnderTest;
  before(async () => {
    publisher = await createSource();
    await publisher.change("insert into item select id, id, 'copied' from generate_series(1, 3) as id");
    await publisher.change('create publication stock for table item');
    subscriber = await createSource();
    const { model } = loadModel({ text: MODEL });
    await adoptTables({ url: subscriber.url, model, remove: false, role: null, apply: true });
    api = await apiUnderTest(MODEL, { database: subscriber.url });
  });
  after(async () => {
    await api?.close();
    await subscriber?.change('drop subscription if exists stock');
    await subscriber?.close();
    await publisher?.close();
  });

  /** Waits for events. The server asks for recorded changes again and again, as this does. */
  const receive = async (count: number): Promise<readonly EventEnvelope[]> => {
    const events: EventEnvelope[] = [];
    while (events.length < count) {
      await api.api.foreignChanges?.drain();
      events.push(...(await api.newEvents()));
      await setImmediate();
    }
    return events;
  };
  const describeEvents = (events: readonly EventEnvelope[]): readonly string[] =>
    events.map(({ type, payload: { resource, data } }) => `${type} ${resource.id} ${JSON.stringify(data?.['value'])}`);

  it('[OPS-9c] have events while the table is copied first', async () => {
    await subscriber.change(`create subscription stock connection '${publisher.url}' publication stock`);
    const events = await receive(3);
    assert.deepEqual(describeEvents(events), ['item.created 1 1', 'item.created 2 2', 'item.created 3 3']);
    assert.equal(new Set(events.map(({ metadata }) => metadata.correlation_id)).size, 1);
  });

  it('[OPS-9c] have events while changes are streamed, and each transaction has its own correlation', async () => {
    await publisher.change(`begin; insert into item values (4, 4, 'streamed'); update item set value = 10 where id = 1;
      delete from item where id = 2; commit`);
    await publisher.change('update item set value = 11 where id = 1');
    const events = await receive(4);
    assert.deepEqual(describeEvents(events), [
      'item.created 4 4',
      'item.updated 1 10',
      'item.deleted 2 2',
      'item.updated 1 11',
    ]);
    const [first, ...others] = events.map(({ metadata }) => metadata.correlation_id);
    assert.deepEqual(
      others.map((id) => id === first),
      [true, true, false],
    );
    await api.row({ send: 'GET /api/v1/items/1', status: 200, has: { value: 11 } });
  });

  it('[OPS-9c] are updated where one transaction deletes a row and inserts it again', async () => {
    await publisher.change("begin; delete from item where id = 3; insert into item values (3, 30, 'again'); commit");
    assert.deepEqual(describeEvents(await receive(1)), ['item.updated 3 30']);
  });

  it('[CACHE-3] are as they were read, or refuse a write', async () => {
    const read = await api.send({ send: 'GET /api/v1/items/3' });
    await publisher.change('update item set value = 31 where id = 3');
    await receive(1);
    const headers = { 'If-Match': read.headers.get('etag') ?? '' };
    await api.row({ send: 'PATCH /api/v1/items/3', headers, body: { value: 0 }, status: 412 });
  });
});
