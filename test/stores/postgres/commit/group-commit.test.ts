import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { describe, it } from 'node:test';
import type { WriteOutcome, WriteUnit } from '../../../../src/plan/write-unit.ts';
import { PostgresGroupCommit } from '../../../../src/stores/postgres/commit/group-commit.ts';
import { Session } from '../../../../src/stores/postgres/connection/sessions.ts';
import { postgres } from '../../../../src/stores/postgres/dialect/postgres-dialect.ts';
import type { PostgresConnection, QueryResult } from '../../../../src/stores/postgres/driver/pg.ts';
import type { SqlValue } from '../../../../src/stores/sql/dialect.ts';
import { Tables } from '../../../../src/stores/sql/tables.ts';
import { StoreUnavailable } from '../../../../src/stores/store.ts';
import { settle } from '../../../events/dispatch-scene.ts';
import { sampleModel } from '../../../../store-suite/sample-model.ts';
import { createProduct, createReview, update } from '../../../../store-suite/sample-writes.ts';

const tables = new Tables(sampleModel(), postgres);
const LOCKED = { slot: 0, changes: 7, events: 3, server: '1', timeline: '00000001', last_timeline: '00000001' };

/** The statements with which a transaction of several updates begins. */
const BEGIN = ['begin', 'join writers', 'lock parts', 'lock rows', 'allocate'];

/** An array of numbers after one, as the database writes it. */
function numbersAfter(last: number, count: SqlValue | undefined): string {
  return `{${Array.from({ length: Number(count) }, (_, index) => last + 1 + index).join(',')}}`;
}
const NOW = Date.parse('2026-01-02T03:04:05.678Z');

/** A statement as the database gets it. */
interface Sent {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** The answer of the database to a statement: the number of rows that it changes, rows, or an error. */
type Answer = number | Error | QueryResult;

/** An error that the database reports. */
class DatabaseError extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`error ${code}`);
    this.code = code;
  }
}

interface WriterOptions {
  /** The row that a transaction locks. */
  readonly locked?: Readonly<Record<string, SqlValue>>;
  /** The number of sessions. Default: 1. */
  readonly count?: number;
  /** Commits are answered after it. */
  readonly committed?: Promise<void>;
}

/** A writer whose database answers as a test says. @param answer of the statements of units; undefined for one row */
function writer(answer: (sent: Sent) => Answer | undefined, options: WriterOptions = {}) {
  const { locked = LOCKED, count = 1, committed } = options;
  const log: string[] = [];
  const sent: Sent[] = [];
  let sessions = 0;
  const query = async (text: string, values: readonly SqlValue[] = []): Promise<QueryResult> => {
    sent.push({ text, values });
    log.push(nameStatement(text));
    if (isAllocation(text)) {
      const numbers = { revisions: numbersAfter(7, values[0]), sequences: numbersAfter(3, values[1]) };
      return Promise.resolve({ rows: [{ ...locked, ...numbers }], count: 1 });
    }
    if (text === 'commit') await committed;
    const answered = answer({ text, values }) ?? 1;
    if (answered instanceof Error) throw answered;
    if (typeof answered === 'object') return Promise.resolve(answered);
    return Promise.resolve({ rows: [], count: answered });
  };
  const connect = (): Promise<PostgresConnection> => {
    sessions += 1;
    let isOpen = true;
    const close = (): Promise<void> => {
      isOpen = false;
      return Promise.resolve();
    };
    return Promise.resolve({
      get isOpen() {
        return isOpen;
      },
      query,
      script: () => Promise.resolve([]),
      close,
    });
  };
  const explain = async (failure: unknown): Promise<unknown> => Promise.resolve(failure);
  const commits = new PostgresGroupCommit({
    sessions: Array.from({ length: count }, () => new Session(connect)),
    tables,
    handlerTimeout: 30_000,
    clock: { now: () => NOW },
    observe: () => undefined,
    stamps: { committed: () => undefined },
    health: { writeFailed: (error) => error },
    client: { requireMatch: () => undefined, explain },
  });
  return {
    log,
    sent,
    sessions: () => sessions,
    /** Commits units in one group. @returns their outcomes */
    commit: (...units: readonly WriteUnit[]): Promise<readonly WriteOutcome[]> =>
      Promise.all(units.map((unit) => commits.commit(unit))),
  };
}

/** The first words of a statement: `update "products"`, `savepoint unit`. */
function nameStatement(text: string): string {
  if (isAllocation(text)) return 'allocate';
  if (text.startsWith('select pg_advisory_xact_lock_shared')) return 'join writers';
  if (text.startsWith('select case when exclusive')) return 'lock parts';
  if (text.endsWith('for no key update')) return 'lock rows';
  return /^(?:insert into|update|delete from) [\w."]+|^select 1/.exec(text)?.[0] ?? text;
}

const isAllocation = (text: string): boolean => text.includes('for update skip locked');
const isUpdate = ({ text }: Sent): boolean => text.startsWith('update "products"');
/** True if a statement is one of many rows. */
const isMerged = (sent: Sent): boolean => sent.text.includes('unnest') && !isLock(sent);
const isLock = ({ text }: Sent): boolean => nameStatement(text).startsWith('lock ');
const updates = (...ids: readonly string[]): readonly WriteUnit[] =>
  ids.map((id) => ({ plans: [{ ...update('products', id, 5, { name: id }), event: null }] }));

describe('a group of write units on PostgreSQL', () => {
  it('[OPS-4b] is one statement and one transaction where each row has changed', async () => {
    const { log, commit } = writer((sent) => (isMerged(sent) && isUpdate(sent) ? 3 : undefined));
    assert.deepEqual(await commit(...updates('a', 'b', 'c')), [
      { kind: 'committed', revisions: [8] },
      { kind: 'committed', revisions: [9] },
      { kind: 'committed', revisions: [10] },
    ]);
    assert.deepEqual(log.slice(0, 6), [...BEGIN, 'update "products"']);
    assert.equal(log.at(-1), 'commit');
    assert.ok(!log.includes('rollback'));
  });

  for (const changed of [0, 1, 2]) {
    it(`[CACHE-3] loses no update: a statement that changes ${changed} of 3 rows is rolled back, and its units run one by one`, async () => {
      const { log, commit } = writer((sent) => {
        if (!isUpdate(sent)) return undefined;
        return isMerged(sent) ? changed : Number(!sent.values.includes('b'));
      });
      assert.deepEqual(await commit(...updates('a', 'b', 'c')), [
        { kind: 'committed', revisions: [8] },
        { kind: 'stale', plan: 0 },
        { kind: 'committed', revisions: [9] },
      ]);
      const again = log.indexOf('rollback');
      assert.deepEqual(log.slice(0, again), [...BEGIN, 'update "products"']);
      assert.deepEqual(
        log.slice(again + 1, -1).filter((each) => !each.includes('restwright_')),
        [
          ...BEGIN,
          'savepoint unit',
          'update "products"',
          'release savepoint unit',
          'savepoint unit',
          'update "products"',
          'rollback to savepoint unit',
          'savepoint unit',
          'update "products"',
          'release savepoint unit',
        ],
      );
    });
  }

  it('[OPS-4b] begins next to one that is committing once enough units wait, else a moment later', async ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    for (const [others, isBegun] of [
      [16, true],
      [15, false],
    ] as const) {
      const { promise: committed, resolve: answer } = Promise.withResolvers<void>();
      const { log, commit } = writer((sent) => (isMerged(sent) ? others : undefined), { count: 2, committed });
      const begun = (): number => log.filter((each) => each === 'begin').length;
      const ids = Array.from({ length: others }, (_, index) => `p${index}`);
      const creations = ids.map((id): WriteUnit => ({ plans: [{ ...createProduct(id), event: null }] }));
      const first = commit(...updates('a'));
      while (!log.includes('commit')) await setImmediate();
      const rest = commit(...creations);
      await settle();
      assert.equal(begun(), isBegun ? 2 : 1);
      mock.timers.tick(10);
      await settle();
      assert.equal(begun(), 2);
      answer();
      assert.deepEqual(
        (await Promise.all([first, rest])).map(({ length }) => length),
        [1, others],
      );
    }
  });

  it('[OPS-4b] begins as soon as no other one is in flight', async ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const { promise: committed, resolve: answer } = Promise.withResolvers<void>();
    const { log, commit } = writer(() => undefined, { count: 2, committed });
    const first = commit(...updates('a'));
    while (!log.includes('commit')) await setImmediate();
    const rest = commit(...updates('b'));
    answer();
    await first;
    await settle();
    assert.equal(log.filter((each) => each === 'begin').length, 2);
    await rest;
  });

  it('[MET-12] refuses a unit whose idempotency record is there, and writes nothing of it', async () => {
    const record = { name: 'k', request: 'r', outcome: 'o', expiresAt: NOW + 1 };
    const [unit] = updates('a');
    const { log, commit } = writer(({ text }) => (text.startsWith('select 1') ? 1 : undefined));
    assert.deepEqual(await commit({ plans: [], ...unit, records: [record] }), [{ kind: 'recorded', name: 'k' }]);
    assert.equal(log.at(-1), 'rollback');
    assert.ok(!log.includes('commit'));
  });

  it('[MET-14] rolls a dry run back, and gives its revision to the next unit', async () => {
    const { log, sent, commit } = writer(() => undefined);
    const [dry, next] = updates('a', 'b');
    assert.ok(dry !== undefined && next !== undefined);
    assert.deepEqual(await commit({ ...dry, dry: true }, next), [
      { kind: 'committed', revisions: [8] },
      { kind: 'committed', revisions: [8] },
    ]);
    assert.deepEqual(
      log.filter((each) => each.includes('savepoint')),
      ['savepoint unit', 'rollback to savepoint unit', 'savepoint unit', 'release savepoint unit'],
    );
    assert.ok(!sent.some(isMerged));
  });

  it('[LIM-1] writes nothing of a unit that is refused before it is sent whole, and the others', async () => {
    const { log, commit } = writer(() => undefined);
    const [first, last] = updates('a', 'b');
    assert.ok(first !== undefined && last !== undefined);
    const overlong = { plans: [createProduct('w'), { ...createProduct('x'), overlong: ['name'] }] };
    assert.deepEqual(await commit(first, overlong, last), [
      { kind: 'committed', revisions: [8] },
      { kind: 'too-long', plan: 1, fields: ['name'] },
      { kind: 'committed', revisions: [9] },
    ]);
    const written = log.slice(log.indexOf('insert into "products"'));
    assert.equal(
      written.find((each) => each.includes('savepoint')),
      'rollback to savepoint unit',
    );
  });

  it('[OPS-4b] has at most 50 savepoints in a transaction', async () => {
    const { log, commit } = writer((sent) => (isMerged(sent) ? 0 : undefined));
    const outcomes = await commit(...updates(...Array.from({ length: 120 }, (_, index) => `p${index}`)));
    assert.ok(outcomes.every(({ kind }) => kind === 'committed'));
    const begun = log.join('\n').split('begin\n').slice(1);
    assert.deepEqual(
      begun.map((each) => each.split('\nsavepoint unit').length - 1),
      [0, 50, 50, 20],
    );
  });

  it('[REP-8] leaves revisions and sequences out on a new timeline, which it stores before it allocates any', async () => {
    const found = { timeline: '00000002', last_timeline: '00000001' };
    const isQuestion = ({ text }: Sent): boolean => text.startsWith('select left(pg_walfile_name');
    const { log, sent, commit } = writer((each) => (isQuestion(each) ? { rows: [found], count: 1 } : undefined), {
      locked: {
        ...LOCKED,
        ...found,
      },
    });
    await commit(...updates('a'));
    const skipped = sent.findIndex(({ text }) => text.includes('+ 1048576') && text.includes('+ 8192'));
    const stored = sent.findIndex(({ values }) => values.includes('00000002'));
    assert.ok(log.indexOf('rollback') < skipped && skipped < stored && stored < log.lastIndexOf('allocate'));
    const same = writer(() => undefined);
    assert.deepEqual(await same.commit(...updates('a')), [{ kind: 'committed', revisions: [8] }]);
    assert.ok(!same.sent.some(({ values }) => values.includes('00000001')));
  });

  it('[MET-10] finds out what a violation means after what its unit had written before it', async () => {
    const isReview = ({ text }: Sent): boolean => text.startsWith('insert into "reviews"');
    let isProbing = false;
    const { log, commit } = writer((sent) => {
      if (isReview(sent)) return new DatabaseError('23503');
      // The product that the review refers to is missing. Shapes of events are inserted where they do not exist, too.
      if (sent.text.startsWith('select') && sent.text.includes('where not exists')) {
        isProbing = true;
        return { rows: [{ position: 0 }], count: 1 };
      }
      return isProbing && sent.text.startsWith('select 1') ? 0 : undefined;
    });
    const plans = [createProduct('p'), createReview('r', 'q')];
    assert.deepEqual(await commit({ plans }), [{ kind: 'reference', plan: 1, fields: ['product_id'] }]);
    const probing = log.slice(log.indexOf('rollback to savepoint unit') + 1);
    assert.equal(probing[0], 'insert into "products"');
    const probe = probing.findIndex((text) => text.startsWith('select'));
    assert.ok(probe > probing.lastIndexOf('insert into "products"'));
  });
});

describe('a transaction on PostgreSQL that fails', () => {
  it('[OPS-4b] is tried again in a new session, at most five times, where the database ended it for another one', async () => {
    let failures = 4;
    const fails = ({ text }: Sent): Answer | undefined =>
      text === 'commit' && failures-- > 0 ? new DatabaseError('40001') : undefined;
    const repeated = writer(fails);
    assert.deepEqual(await repeated.commit(...updates('a')), [{ kind: 'committed', revisions: [8] }]);
    assert.equal(repeated.sessions(), 5);
    failures = 5;
    const given = writer(fails);
    await assert.rejects(given.commit(...updates('a')), { code: '40001' });
    assert.equal(given.log.filter((each) => each === 'begin').length, 5);
  });

  for (const code of ['53100', '57P01', '58030']) {
    it(`[ERR-7] refuses all of its units where the error ${code} is of the whole database`, async () => {
      const { log, commit } = writer((sent) => (isUpdate(sent) ? new DatabaseError(code) : undefined));
      await assert.rejects(commit(...updates('a', 'b')), StoreUnavailable);
      assert.equal(log.filter((each) => each === 'begin').length, 1);
      assert.ok(!log.includes('commit'));
    });
  }

  it('[ERR-7] refuses one unit alone where the error is of its statement', async () => {
    const { commit } = writer((sent) =>
      isUpdate(sent) && (isMerged(sent) || sent.values.includes('b')) ? new DatabaseError('22003') : undefined,
    );
    const [a, b, c] = updates('a', 'b', 'c').map((unit) => commit(unit));
    assert.deepEqual(await a, [{ kind: 'committed', revisions: [8] }]);
    await assert.rejects(b ?? assert.fail(), { code: '22003' });
    assert.deepEqual(await c, [{ kind: 'committed', revisions: [9] }]);
  });
});
