import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WritePlan } from '../../../../src/plan/plan.ts';
import type { WriteUnit } from '../../../../src/plan/write-unit.ts';
import { logState } from '../../../../src/stores/sql/events/append-event.ts';
import { Tables } from '../../../../src/stores/sql/tables.ts';
import { type CompiledUnit, compileUnit } from '../../../../src/stores/sql/write/compile-unit.ts';
import { closingStatements, type Counters } from '../../../../src/stores/sql/write/counters.ts';
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
const START: Counters = { revision: 7, log: logState(3), rowCounts: new Map(), records: 0, tombstones: 0 };
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
      log: counters.log,
      rowCounts: new Map([
        ['products', 1],
        ['reviews', -1],
      ]),
      records: 0,
      tombstones: 0,
    });
  });

  it('leaves the counters that it started from unchanged', () => {
    const rowCounts = new Map([['products', 1]]);
    const { counters } = compile({ plans: [createProduct('p')] }, { ...START, rowCounts });
    assert.deepEqual([...rowCounts], [['products', 1]]);
    assert.deepEqual([...counters.rowCounts], [['products', 2]]);
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
    closingStatements(tables, START, counters, NOW).map(
      ({ text }) => /^\w+ (?:\w+ )?restwright_\w+/.exec(text)?.[0] ?? text,
    );

  it('[PAGE-9b] store the counters and the row counts of changed resources', () => {
    const { counters } = compile({ plans: [createProduct('p'), createSupplier('s')] });
    assert.deepEqual(texts(counters), [
      'update restwright_counts',
      'insert into restwright_counts',
      'insert into restwright_counts',
    ]);
  });

  it('[MET-12] purge expired records if some were added, some more than were added', () => {
    const { counters } = compile({ plans: [], records: [record] });
    const [purge, ...others] = closingStatements(tables, START, counters, NOW);
    assert.match(purge?.text ?? '', /^delete from restwright_memos/);
    assert.deepEqual([purge?.values, others], [[NOW, 101], []]);
  });

  it('store nothing if nothing was changed', () => {
    assert.deepEqual(texts(START), []);
  });
});
