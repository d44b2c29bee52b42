import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WritePlan } from '../../../../src/plan/plan.ts';
import type { WriteUnit } from '../../../../src/plan/write-unit.ts';
import { postgres } from '../../../../src/stores/postgres/dialect/postgres-dialect.ts';
import { logState } from '../../../../src/stores/sql/events/append-event.ts';
import { addChange, allocated, COUNTED } from '../../../../src/stores/sql/log-numbers.ts';
import { Tables } from '../../../../src/stores/sql/tables.ts';
import { type CompiledUnit, compileUnit } from '../../../../src/stores/sql/write/compile-unit.ts';
import {
  closingStatements,
  type Counters,
  hasNumbers,
  unchangedCounters,
} from '../../../../src/stores/sql/write/counters.ts';
import { sqlite } from '../../../../src/stores/sqlite/dialect/sqlite-dialect.ts';
import { sampleModel } from '../../../../store-suite/sample-model.ts';
import {
  create,
  createProduct,
  createReview,
  createSupplier,
  remove,
  update,
} from '../../../../store-suite/sample-writes.ts';

const tables = new Tables(sampleModel(), sqlite);
const START = unchangedCounters({ revision: 7, next: COUNTED, log: logState({ sequence: 3 }) });
const NOW = 1_000;
const record = { name: 'k', request: 'r', outcome: 'o', expiresAt: 2_000 };

function compile(unit: WriteUnit, counters = START): CompiledUnit {
  return compileUnit(tables, unit, counters, NOW);
}

/** Summarizes each statement, with its expectation and refusal: `insert into "products"`, `change`, `stale 0`. */
function summary({ statements }: CompiledUnit): readonly (readonly [string, string | null, string | null])[] {
  return statements.map(({ statement, expects, refusal }) => [
    /^(?:insert into|update|delete from) \S+|^select 1/.exec(statement.text)?.[0] ?? statement.text,
    expects,
    refusal === null
      ? null
      : [refusal.kind, 'plan' in refusal ? refusal.plan : refusal.kind === 'recorded' && refusal.name].join(' '),
  ]);
}

describe('a compiled unit', () => {
  it('[CACHE-3] is statements in order, with what each must do and the refusal otherwise', () => {
    const unit = compile({
      plans: [createProduct('p'), update('products', 'q', 5, { stock: 1 }), remove('products', 'r', 6)],
      bookmark: { name: 'import', value: '1' },
    });
    assert.deepEqual(summary(unit), [
      ['insert into "products"', 'change', 'stale 0'],
      ['insert into restwright_event_shapes', null, null],
      ['insert into restwright_block_shapes', null, null],
      ['insert into restwright_events', null, null],
      ['update "products"', 'change', 'stale 1'],
      ['insert into restwright_event_shapes', null, null],
      ['insert into restwright_block_shapes', null, null],
      ['insert into restwright_events', null, null],
      ['insert into restwright_event_shapes', null, null],
      ['insert into restwright_block_shapes', null, null],
      ['insert into restwright_events', null, null],
      ['delete from "products"', 'change', 'stale 2'],
      ['insert into restwright_bookmarks', null, null],
    ]);
  });

  it('[REP-8][EVT-3b] assigns revisions and sequences from the counters, and returns the next ones', () => {
    const plans = [createProduct('p'), { ...update('products', 'q', 5, {}), event: null }, remove('reviews', 'r', 6)];
    const { outcome, counters } = compile({ plans });
    assert.deepEqual(outcome, { kind: 'committed', revisions: [8, 9, 0] });
    assert.equal(counters.log.sequence, 5);
    assert.deepEqual(counters, {
      revision: 10,
      next: COUNTED,
      changes: 3,
      log: counters.log,
      totals: new Map([
        ['products', { added: 1, stamp: 9 }],
        ['reviews', { added: -1, stamp: 10 }],
      ]),
      records: 0,
      tombstones: 0,
    });
  });

  it('[REP-8] [CACHE-2] assigns allocated revisions and sequences, and adds up the parts of its changes', () => {
    const log = logState({ sequence: 0, end: 90, next: allocated([104, 131]), slot: 3 });
    const start = unchangedCounters({ revision: 0, next: allocated([8, 15, 16, 40]), log });
    const plans = [createProduct('p'), { ...update('products', 'q', 5, {}), event: null }, remove('reviews', 'r', 6)];
    const { outcome, counters } = compileUnit(new Tables(sampleModel(), postgres), { plans }, start, NOW);
    assert.deepEqual(outcome, { kind: 'committed', revisions: [8, 15, 0] });
    assert.deepEqual([counters.log.sequence, counters.log.added, counters.changes], [131, 2, 3]);
    const stamps = [[8, 15], [16]].map((revisions) =>
      revisions.reduce((sum, each) => addChange(postgres, sum, each), 0),
    );
    assert.deepEqual(
      [...counters.totals],
      [
        ['products', { added: 1, stamp: stamps[0] }],
        ['reviews', { added: -1, stamp: stamps[1] }],
      ],
    );
  });

  it('leaves the counters that it started from unchanged', () => {
    const totals = new Map([['products', { added: 1, stamp: 7 }]]);
    const { counters } = compile({ plans: [createProduct('p')] }, { ...START, totals });
    assert.deepEqual([...totals], [['products', { added: 1, stamp: 7 }]]);
    assert.deepEqual([...counters.totals], [['products', { added: 2, stamp: 8 }]]);
  });

  it('[MET-12] checks its idempotency records first, and stores them with the revisions', () => {
    const unit = compile({ plans: [createSupplier('s')], records: [record] });
    const [first, ...others] = summary(unit);
    assert.deepEqual(first, ['select 1', 'no row', 'recorded k']);
    assert.deepEqual(others.at(-1), ['insert into restwright_memos', null, null]);
    assert.deepEqual(unit.statements.at(-1)?.statement.values, ['k', 'r', 'o', '[8]', 2_000]);
    assert.equal(unit.counters.records, 1);
  });

  it('[URL-7] checks the ancestors of a row, the outermost first', () => {
    const within = [
      { resource: 'reviews', id: 'r' },
      { resource: 'products', id: 'p' },
    ];
    const unit = compile({ plans: [create('answers', 'a', {}, { within })] });
    assert.deepEqual(
      unit.statements.slice(0, 2).map(({ expects, refusal }) => [expects, refusal]),
      [
        ['row', { kind: 'ancestor', plan: 0, resource: 'products', id: 'p' }],
        ['row', { kind: 'ancestor', plan: 0, resource: 'reviews', id: 'r' }],
      ],
    );
  });

  it('[CACHE-3] expects the stamps of resources, and is refused where its transaction has changed one', () => {
    const plan = { ...createProduct('p'), expectStamps: [{ resource: 'suppliers', stamp: 4 }] };
    assert.deepEqual(summary(compile({ plans: [plan] }))[0], ['select 1', 'row', 'stale 0']);
    const late = compile({ plans: [createSupplier('s'), plan] });
    assert.deepEqual(late.outcome, { kind: 'stale', plan: 1 });
    assert.deepEqual(
      summary(late).map(([text]) => text),
      [
        'insert into "suppliers"',
        'insert into restwright_event_shapes',
        'insert into restwright_block_shapes',
        'insert into restwright_events',
      ],
    );
  });

  it('resolves the revision that an earlier plan of the unit assigns', () => {
    const later = (plan: number): WritePlan => ({ ...update('products', 'p', 0, {}), revision: { plan } });
    const { statements } = compile({ plans: [createProduct('p'), later(0)] });
    assert.equal(statements.find(({ statement }) => statement.text.startsWith('update'))?.statement.values.at(-1), 8);
    assert.throws(() => compile({ plans: [later(0)] }), /Plan 0 must come before/);
    assert.throws(() => compile({ plans: [remove('products', 'p', 1), later(0)] }), /Plan 0 deletes its row/);
  });

  it('says what a constraint violation of each statement means', () => {
    const { statements } = compile({ plans: [createReview('r', 'p'), remove('products', 'q', 1)] });
    assert.deepEqual(
      statements.flatMap(({ violation }) => (violation === null ? [] : [violation.kind])),
      ['unexplained', 'dependents'],
    );
  });
});

describe('the statements that close a transaction', () => {
  const texts = (counters: Counters): readonly string[] =>
    closingStatements(tables, counters, NOW).map(({ text }) => /^\w+ (?:\w+ )?restwright_\w+/.exec(text)?.[0] ?? text);

  it('[PAGE-9b] [CACHE-2] store the row counts and stamps of changed resources', () => {
    const { counters } = compile({ plans: [createProduct('p'), createSupplier('s')] });
    assert.deepEqual(texts(counters), ['insert into restwright_counts', 'insert into restwright_counts']);
    assert.deepEqual(
      closingStatements(tables, counters, NOW).map(({ values }) => values),
      [
        ['products', 1, 8],
        ['suppliers', 1, 9],
      ],
    );
  });

  it('[PAGE-9b] [CACHE-2] store the row counts and stamps in the slot of the transaction', () => {
    const log = logState({ sequence: 0, next: allocated([3]), slot: 5 });
    const start = unchangedCounters({ revision: 0, next: allocated([2]), log });
    const slots = new Tables(sampleModel(), postgres);
    const { counters } = compileUnit(slots, { plans: [createProduct('p')] }, start, NOW);
    const [closing, ...others] = closingStatements(slots, counters, NOW);
    assert.match(closing?.text ?? '', /^insert into restwright_totals/);
    assert.deepEqual([closing?.values, others], [['products', 1, addChange(postgres, 0, 2), 5], []]);
  });

  it('[REP-8] [EVT-3b] come with the numbers of the log where a revision, a sequence or a block has changed', () => {
    const numbered = (unit: WriteUnit): boolean => hasNumbers(START, compile(unit).counters);
    assert.ok(numbered({ plans: [createProduct('p')] }));
    assert.ok(numbered({ plans: [{ ...createProduct('p'), event: null }] }));
    assert.ok(!numbered({ plans: [], records: [record] }));
    const { log } = compile({ plans: [createProduct('p')] }).counters;
    const begun = { ...START, log };
    assert.ok(hasNumbers(begun, { ...begun, log: { ...log, open: null } }));
  });

  it('[MET-12] purge expired records if some were added, some more than were added', () => {
    const { counters } = compile({ plans: [], records: [record] });
    const [purge, ...others] = closingStatements(tables, counters, NOW);
    assert.match(purge?.text ?? '', /^delete from restwright_memos/);
    assert.deepEqual([purge?.values, others], [[NOW, 101], []]);
  });

  it('store nothing if nothing was changed', () => {
    assert.deepEqual(texts(START), []);
  });
});
