import assert from 'node:assert/strict';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, it, type TestContext } from 'node:test';
import { atEndOfTurn } from '../../../src/platform/end-of-turn.ts';
import { CurrentRows } from '../../../src/stores/sqlite/current-rows.ts';
import { sqlite } from '../../../src/stores/sqlite/dialect.ts';
import { Connection } from '../../../src/stores/sqlite/driver.ts';
import { ReadingTurn } from '../../../src/stores/sqlite/reading-turn.ts';
import { Tables } from '../../../src/stores/sql/tables.ts';
import { sampleModel } from '../../../src/testing/sample-model.ts';
import { commit, createProduct, update } from '../../../src/testing/sample-writes.ts';
import { directory, openSample } from './open-sample.ts';

interface Sides {
  readonly turn: ReadingTurn;
  readonly reader: Connection;
  /** Another number is committed. */
  readonly write: (number: number) => void;
  readonly read: () => unknown;
}

function sides(context: TestContext): Sides {
  const file = path.join(directory(context), 'turn.db');
  const writer = Connection.writer(file);
  writer.script('create table numbers (number integer not null); insert into numbers values (0)');
  const reader = Connection.reader(file);
  context.after(() => {
    reader.close();
    writer.close();
  });
  return {
    turn: new ReadingTurn(reader),
    reader,
    write: (number) => void writer.run('update numbers set number = ?', [number]),
    read: () => reader.get('select number from numbers')?.['number'],
  };
}

describe('the reads of one turn', () => {
  it('[REP-8] see one state of the database, and those of the next turn what has become of it', async (context) => {
    const { turn, write, read } = sides(context);
    turn.begin();
    assert.equal(read(), 0);
    write(1);
    turn.begin();
    assert.equal(read(), 0);
    await setImmediate();
    turn.begin();
    assert.equal(read(), 1);
  });

  it('[REP-8] see what was committed once they are told to', (context) => {
    const { turn, write, read } = sides(context);
    turn.begin();
    assert.equal(read(), 0);
    write(1);
    turn.end();
    turn.begin();
    assert.equal(read(), 1);
  });

  it('[OPS-4] lock nothing beyond their turn, and need no transaction that has ended before them', async (context) => {
    const { turn, reader } = sides(context);
    turn.begin();
    assert.equal(reader.inTransaction, true);
    await setImmediate();
    assert.equal(reader.inTransaction, false);
    turn.begin();
    reader.run('rollback');
    turn.end();
    assert.equal(reader.inTransaction, false);
    turn.begin();
    reader.close();
    turn.end();
    assert.equal(reader.inTransaction, false);
  });

  it('[OPS-4] are over before a commit of their turn begins, so that the log can begin anew', async (context) => {
    const { turn, reader } = sides(context);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    atEndOfTurn('work', () => resolve(reader.inTransaction));
    turn.begin();
    assert.equal(await promise, false);
  });

  it('[REP-8] see what this process has written meanwhile, whenever it was', async (context) => {
    const file = path.join(directory(context), 'sample.db');
    const store = await openSample({ path: file });
    const [revision = 0] = await commit(store, createProduct('p', { stock: 0 }), createProduct('q'));
    const [writer, reader] = [Connection.writer(file), Connection.reader(file)];
    const rows = new CurrentRows(reader, writer, new Tables(sampleModel(), sqlite), new ReadingTurn(reader));
    const stock = (id: string): unknown => rows.read({ kind: 'item', resource: 'products', id, within: [] })?.['stock'];
    await setImmediate();
    assert.equal(stock('q'), null);
    writer.run('update products set stock = 1 where id = ?', ['p']);
    rows.wrote([update('products', 'p', revision, { stock: 1 })], [revision + 1]);
    assert.equal(stock('p'), 1);
    await store.close();
    reader.close();
    writer.close();
  });
});
