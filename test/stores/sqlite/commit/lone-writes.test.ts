import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Store } from '../../../../src/stores/store.ts';
import { commit, createSupplier, update } from '../../../../store-suite/sample-writes.ts';
import { temporaryDirectory } from '../../../temporary-directory.ts';
import { Database } from '../driver-under-test.ts';
import { openSample } from '../open-sample.ts';

/** Bytes of a page in the write-ahead log, with its header, and of the header of the log. */
const FRAME = 4_096 + 24;
const LOG_HEADER = 32;

/** Counts the tables and indexes that a supplier and its event change, each by a page most times. */
const TREES = `select count(*) from sqlite_schema
  where tbl_name in ('suppliers', 'restwright_events', 'restwright_counts') and type in ('table', 'index')`;

/** Opens a database with 2,000 suppliers, and an empty write-ahead log. */
async function opened(
  context: TestContext,
): Promise<{ readonly store: Store; readonly file: string; readonly statements: string[] }> {
  const file = path.join(temporaryDirectory(context), 'sample.db');
  const filled = await openSample({ path: file });
  for (let part = 0; part < 4; part += 1)
    await commit(filled, ...Array.from({ length: 500 }, (_, index) => createSupplier(`s${part * 500 + index}`)));
  await filled.close();
  const statements: string[] = [];
  const store = await openSample({ path: file, writer: { trace: (statement) => statements.push(statement) } });
  context.after(() => store.close());
  return { store, file, statements };
}

describe('a lone write in SQLite', () => {
  it('writes the pages of the row and its id, of the event and its resource, and of the counters', async (context) => {
    const { store, file } = await opened(context);
    const reader = new Database(file, { readonly: true });
    // While a reader holds its snapshot, the log only grows.
    reader.exec('begin; select count(*) from suppliers');
    context.after(() => reader.close());
    const pages = (): number => Math.round((statSync(`${file}-wal`).size - LOG_HEADER) / FRAME);
    await commit(store, createSupplier('first'));
    const before = pages();
    for (let index = 0; index < 100; index += 1) await commit(store, createSupplier(`t${index}`));
    const each = (pages() - before) / 100;
    const trees = Number(reader.prepare(TREES).value());
    assert.ok(each >= 3 && each <= trees + 1, `${each} pages for each write to ${trees} tables and indexes`);
  });

  it('runs one statement for its event once its shape is stored, as long as nobody else writes', async (context) => {
    const { store, file, statements } = await opened(context);
    const kinds = (): readonly string[] =>
      statements
        .splice(0)
        .map(
          (each) =>
            /^(?:\w+ (?:immediate|into \S+|data_version|restwright_\w+|"\w+")|commit|select)/.exec(each)?.[0] ?? each,
        );
    await commit(store, createSupplier('a'));
    kinds();
    await commit(store, createSupplier('b'));
    const known = [
      'begin immediate',
      'pragma data_version',
      'select',
      'insert into "suppliers"',
      'insert into restwright_events',
      'update restwright_counts',
      'insert into restwright_counts',
      'commit',
    ];
    assert.deepEqual(kinds(), known);
    const other = new Database(file);
    other.exec('pragma user_version = 7');
    other.close();
    await commit(store, createSupplier('c'));
    const noted = ['insert into restwright_event_shapes', 'insert into restwright_block_shapes'];
    assert.deepEqual(kinds(), known.toSpliced(4, 0, ...noted));
    await commit(store, createSupplier('d'));
    assert.deepEqual(kinds(), known);
  });

  it('[EVT-8c] stores the shape of an event again once the events that had it are removed', async (context) => {
    const { store } = await opened(context);
    await commit(store, createSupplier('a'));
    await store.writes.commit({ plans: [], delivery: { removeThrough: 1_024 } });
    await store.writes.commit({ plans: [], delivery: { removeThrough: 2_001 } });
    await commit(store, createSupplier('b'));
    const events = await store.events.list({ after: 0, limit: 10 });
    assert.deepEqual(
      events.map(({ sequence, type }) => [sequence, type]),
      [[2_002, 'created']],
    );
    assert.deepEqual(await store.events.range(), {
      removed: 0,
      last: 2_002,
      since: Date.parse('2026-01-02T03:04:05.678Z'),
    });
  });

  it('[EVT-8b] finds events by time, type and id in full blocks and in the last one', async (context) => {
    const { store } = await opened(context);
    const at = Date.parse('2026-01-02T03:04:05.678Z');
    await commit(store, update('suppliers', 's5', 6, { name: 'other' }));
    const found = async (query: object): Promise<readonly number[]> =>
      (await store.events.list({ after: 0, limit: 3, ...query })).map(({ sequence }) => sequence);
    assert.deepEqual(await found({ from: at, to: at + 1, after: 1_022 }), [1_023, 1_024, 1_025]);
    assert.deepEqual(await found({ from: at + 1 }), []);
    assert.deepEqual(await found({ types: ['created'], after: 1_023 }), [1_024, 1_025, 1_026]);
    assert.deepEqual(await found({ types: ['created'], until: 1 }), [1]);
    assert.deepEqual(await found({ types: ['updated'] }), [2_001]);
    assert.equal((await store.events.find('created:s3'))?.sequence, 4);
    assert.equal((await store.events.find('updated:s5'))?.sequence, 2_001);
  });
});
