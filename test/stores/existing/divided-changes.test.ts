import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import { adoptTables } from '../../../src/stores/postgres/triggers/adopt-tables.ts';
import { type ApiUnderTest, apiUnderTest } from '../../pipeline/support/api-under-test.ts';
import { type PostgresSource, postgresSource } from './postgres-source.ts';

const MODEL = `
name: stock
resources:
  items: { table: item, changes: triggers, schema: { type: object, properties: { value: { type: integer } } } }
`;

/** The backend that waits for a lock on the log. */
const DRAINING = `select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;

describe('many changes by other programs', () => {
  let source: PostgresSource;
  let api: ApiUnderTest;
  before(async () => {
    source = await postgresSource('create table item (id int primary key, value int)');
    await adoptTables({
      url: source.url,
      model: loadModel({ text: MODEL }).model,
      remove: false,
      role: null,
      apply: true,
    });
    api = await apiUnderTest(MODEL, { database: source.url });
  });
  after(async () => {
    await api?.close();
    await source?.close();
  });

  /** The types and ids of all events, once everything that is recorded is in the log. */
  const drain = async (): Promise<readonly string[]> => {
    while ((await api.api.foreignChanges?.drain()) === true);
    return (await api.newEvents()).map(({ type, payload }) => `${type} ${payload.resource.id}`);
  };

  it('are moved to the log with the whole of a transaction, so that a row which moves is updated', async () => {
    await source.change('insert into item select id, 0 from generate_series(1, 499) as id');
    assert.equal((await drain()).length, 499);
    // Entries 1 to 499 are of other transactions, and the deletion is entry 500.
    await source.change('update item set value = 1 where id < 500');
    await source.change('insert into item values (500, 0)');
    assert.equal((await drain()).length, 500);
    await source.change('update item set value = 2 where id < 500');
    await source.change(`begin; delete from item where id = 500; insert into item values (500, 1); commit`);
    const short = await drain();
    assert.equal(short.length, 500);
    assert.equal(short.at(-1), 'item.updated 500');
    await source.change(`begin; delete from item where id = 500;
      update item set value = 3 where id < 500; update item set value = 4 where id < 500;
      insert into item values (500, 2); commit`);
    const long = await drain();
    assert.equal(long.length, 999);
    assert.equal(long.filter((event) => event.endsWith(' 500')).join(), 'item.updated 500');
  });

  it('keep the order of each row, where transactions overlap', async () => {
    // The first transaction has the first and the last entry, and the row of the last one was changed in between.
    const first = await source.lock('insert into item values (1000, 0)');
    await source.change('update item set value = 5 where id < 500; insert into item values (1001, 0)');
    await first.run('update item set value = 1 where id = 1001');
    await first.release();
    const events = await drain();
    assert.equal(events.length, 502);
    assert.deepEqual(
      events.filter((event) => event.endsWith(' 1001')),
      ['item.created 1001', 'item.updated 1001'],
    );
  });

  it('are lost by no end of a session in the middle, and have one event each', async () => {
    const lock = await source.lock('lock table restwright.restwright_events in share mode');
    await source.change('insert into item select id, 0 from generate_series(2001, 3200) as id');
    const failed = assert.rejects(drain());
    let pids: readonly unknown[] = [];
    while (pids.length === 0) {
      pids = await source.list(DRAINING);
      await setImmediate();
    }
    await source.list('select pg_terminate_backend($1)', [pids[0]]);
    await failed;
    await lock.release();
    const events = await drain();
    assert.equal(events.length, 1_200);
    assert.equal(new Set(events).size, 1_200);
  });

  it('are divided where one transaction has more than 5,000, and none is lost', async () => {
    const statement = `begin; insert into item select id, 0 from generate_series(10001, 15600) as id; commit`;
    await source.change(statement);
    const moved = await api.api.foreignChanges?.drain();
    assert.equal(moved, true);
    assert.equal((await api.newEvents()).length, 5_000);
    assert.equal((await drain()).length, 600);
    await source.change('insert into item values (20000, 0), (20001, 0)');
    assert.equal((await drain()).length, 2);
  });
});
