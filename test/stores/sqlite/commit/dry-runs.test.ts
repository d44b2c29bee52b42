import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { WriteUnit } from '../../../../src/plan/write-unit.ts';
import type { Store } from '../../../../src/stores/store.ts';
import {
  commit,
  createProduct,
  createReview,
  createSupplier,
  remove,
  update,
} from '../../../../store-suite/sample-writes.ts';
import { temporaryDirectory } from '../../../temporary-directory.ts';
import { openSample } from '../open-sample.ts';
import { Database } from '../driver-under-test.ts';

const MEMO = { name: 'm', request: 'digest', outcome: '{}', expiresAt: Number.MAX_SAFE_INTEGER };

/** Writes to rows, links, counters, events, bookmarks and idempotency records, after `opened`. */
const DRY: WriteUnit = {
  plans: [
    createProduct('q', { related_ids: ['p'] }),
    update('products', 'p', 1, { stock: 9, related_ids: [] }),
    { ...update('products', 'p', 0, { stock: 10 }), revision: { plan: 1 } },
    createReview('r', 'q'),
    remove('suppliers', 's', 2),
  ],
  bookmark: { name: 'b', value: '2' },
  records: [MEMO],
  dry: true,
};

interface Opened {
  readonly store: Store;
  /** Every row of every table. */
  readonly dump: () => Readonly<Record<string, unknown>>;
  /** The statements that ran since the last call. */
  readonly ran: () => readonly string[];
}

/** A store with a product that refers to itself, a supplier and a bookmark. */
async function opened(context: TestContext): Promise<Opened> {
  const file = path.join(temporaryDirectory(context), 'sample.db');
  const statements: string[] = [];
  const store = await openSample({ path: file, writer: { trace: (statement) => statements.push(statement) } });
  await commit(store, createProduct('p', { related_ids: ['p'] }), createSupplier('s'));
  await store.writes.commit({ plans: [], bookmark: { name: 'b', value: '1' }, records: [{ ...MEMO, name: 'kept' }] });
  const watcher = new Database(file, { readonly: true });
  context.after(async () => {
    watcher.close();
    await store.close();
  });
  const names = watcher.prepare("select name from sqlite_schema where type = 'table'").texts();
  const dump = (): Record<string, unknown> =>
    Object.fromEntries(names.map((name) => [name, watcher.prepare(`select * from "${name}"`).all()]));
  return { store, dump, ran: () => statements.splice(0) };
}

/** The number of statements that ran with a given start. */
function count(statements: readonly string[], start: string): number {
  return statements.filter((each) => each.startsWith(start)).length;
}

describe('a dry run in SQLite', () => {
  it('[MET-14] leaves all tables unchanged, and returns the revisions that would be assigned', async (context) => {
    const { store, dump } = await opened(context);
    const before = dump();
    const outcome = await store.writes.commit(DRY);
    assert.deepEqual(outcome, { kind: 'committed', revisions: [3, 4, 5, 6, 0] });
    assert.deepEqual(dump(), before);
    assert.deepEqual(await store.writes.commit({ ...DRY, dry: false }), outcome);
    const untouched = Object.entries(dump()).filter(
      ([name, rows]) => JSON.stringify(rows) === JSON.stringify(before[name]),
    );
    assert.deepEqual(
      untouched.map(([name]) => name).sort(),
      [
        'answers',
        'restwright_deliveries',
        'restwright_event_blocks',
        'restwright_meta',
        'restwright_partitions',
        'restwright_readers',
        'restwright_subscriptions',
        'restwright_tombstones',
      ],
      'the unit writes to all others',
    );
  });

  it('[MET-14] leaves all tables unchanged among units that are committed and refused', async (context) => {
    const { store, dump } = await opened(context);
    const twin = await opened(context);
    const real = { plans: [createProduct('x', { serial: '1' })] };
    const refused = { plans: [createProduct('y', { serial: '1' })] };
    const outcomes = await Promise.all([DRY, real, DRY, refused].map((unit) => store.writes.commit(unit)));
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.kind === 'committed' ? outcome.revisions : outcome.kind)),
      [[3, 4, 5, 6, 0], [3], [4, 5, 6, 7, 0], 'unique'],
    );
    await twin.store.writes.commit(real);
    assert.deepEqual({ ...dump(), restwright_meta: [] }, { ...twin.dump(), restwright_meta: [] });
  });

  it('[MET-14] needs no fsync: a transaction of dry runs only is rolled back', async (context) => {
    const { store, ran } = await opened(context);
    ran();
    await Promise.all([DRY, DRY].map((unit) => store.writes.commit(unit)));
    await store.writes.commit(DRY);
    const statements = ran();
    assert.deepEqual(
      [count(statements, 'commit'), count(statements, 'rollback to'), count(statements, 'rollback')],
      [0, 2, 4],
    );
  });

  it('[MET-12] [MET-14] adds no statement to units that are not dry and have no records', async (context) => {
    const { store, ran } = await opened(context);
    ran();
    await commit(store, { ...createSupplier('t'), event: null });
    const statements = ran().map((each) => each.split(' ').slice(0, 3).join(' '));
    assert.deepEqual(statements, [
      'begin immediate',
      'pragma data_version',
      'select change as',
      'insert into "suppliers"',
      'update restwright_counts set',
      'insert into restwright_counts',
      'commit',
    ]);
  });
});
