import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { parseSource } from '../architecture/source.ts';
import { OracleCollection, type Comparison, type Item } from './oracle-collection.ts';
import { compareValues, type FieldKind, type Value } from './values.ts';
import { matchesSearch } from './text-search.ts';

const here = import.meta.dirname;

/** Values of each kind in ascending order. */
const ORDERS: readonly (readonly [kind: FieldKind, values: readonly Value[]])[] = [
  ['text', [null, '', 'A', 'Z', 'a', 'aa', 'a\u0301', 'b', 'é', '\uFFFD', '😀']],
  ['number', [null, -1e300, -1, 0, 0.5, 2, 10]],
  ['boolean', [null, false, true]],
  ['decimal', [null, '-100', '-9.5', '-9.49', '0', '0.001', '9', '10', '99999999999999999999.5']],
  ['time', [null, '1969-12-31T23:59:59.999Z', '2026-01-01T00:00:00+02:00', '2025-12-31T23:00:00Z']],
];

describe('the oracle', () => {
  it('imports only files of its own folder', () => {
    for (const file of globSync('*.ts', { cwd: here }).filter((name) => !name.endsWith('.test.ts'))) {
      const { imports } = parseSource(file, readFileSync(path.join(here, file), 'utf8'));
      for (const { name, line } of imports) assert.match(name, /^\.\/[a-z-]+\.ts$/, `${file}:${line}`);
    }
  });

  for (const [kind, values] of ORDERS) {
    it(`[QRY-7] orders ${kind}, null first`, () => {
      for (const [at, one] of values.entries()) {
        for (const [place, other] of values.entries()) {
          const difference = Math.sign(compareValues(kind, one, other));
          assert.equal(difference, Math.sign(at - place), `${String(one)} and ${String(other)}`);
        }
      }
    });
  }

  it('[QRY-7] treats two notations of a number or an instant as equal', () => {
    assert.equal(compareValues('decimal', '019.90', '19.9'), 0);
    assert.equal(compareValues('decimal', '-0', '0.00'), 0);
    assert.equal(compareValues('time', '2026-01-01T00:00:00.0009Z', '2026-01-01T01:00:00+01:00'), 0);
  });

  it('[QRY-1] [QRY-7] matches null only with [exists]=false, [ne] and [nin]', () => {
    const rows: readonly (readonly [operator: Comparison['operator'], values: readonly Value[], ids: string])[] = [
      ['eq', ['b'], 'b'],
      ['in', ['a', 'b'], 'ab'],
      ['ne', ['b'], 'acu'],
      ['nin', ['a', 'b'], 'cu'],
      ['gt', ['b'], 'c'],
      ['gte', ['b'], 'bc'],
      ['lt', ['b'], 'a'],
      ['lte', ['b'], 'ab'],
      ['contains', ['c'], 'c'],
      ['starts_with', [''], 'abc'],
      ['exists', [true], 'abc'],
      ['exists', [false], 'u'],
    ];
    const collection = createCollection([...['a', 'b', 'c'].map((id) => ({ id, name: id })), { id: 'u' }]);
    for (const [operator, values, ids] of rows) {
      const comparisons = [{ path: 'name', operator, values }];
      assert.equal(joinIds(collection.select({ comparisons, search: null, order: [] })), ids, operator);
    }
  });

  it('[QRY-1] [QRY-7] compares on one related row, on unset fields where a reference is null, and in alternatives', () => {
    const rows = [
      { id: 'm', name: 'a', size: 1 },
      { id: 'n', name: 'b', size: 2 },
    ];
    const relations = { one: { field: 'one_id', rows }, many: { field: 'many_ids', rows } };
    const kinds = { 'one.name': 'text', 'many.name': 'text', 'many.size': 'number' } as const;
    const collection = new OracleCollection(kinds, [], relations);
    for (const item of [
      { id: '1', one_id: 'm', many_ids: ['m', 'n'] },
      { id: '2', one_id: null, many_ids: [] },
    ]) {
      collection.items.set(item.id, item);
    }
    const is = (at: string, value: Value): Comparison => ({ path: at, operator: 'eq', values: [value] });
    const not = (at: string, value: Value): Comparison => ({ path: at, operator: 'ne', values: [value] });
    const found = (comparisons: readonly Comparison[], ...alternatives: readonly (readonly Comparison[])[]) =>
      joinIds(collection.select({ comparisons, alternatives, search: null, order: [] }));
    assert.equal(found([is('one.name', 'a')]), '1');
    assert.equal(found([not('one.name', 'a')]), '2');
    assert.equal(found([not('many.name', 'a')]), '1');
    assert.equal(found([is('many.name', 'a'), is('many.size', 1)]), '1');
    assert.equal(found([is('many.name', 'a'), is('many.size', 2)]), '');
    assert.equal(found([], [is('one.name', 'b')], [not('one.name', 'a')]), '2');
    assert.equal(found([is('many.name', 'b')], [is('one.name', 'a'), is('many.size', 1)]), '1');
  });

  it('[PAGE-5] breaks ties by id, in the direction of the last key, and accepts positions without an item', () => {
    const collection = createCollection(['b', 'c', 'a'].map((id) => ({ id, name: 'same' })));
    const query = { comparisons: [], search: null, order: [{ path: 'name', descending: true }] };
    assert.equal(joinIds(collection.select(query)), 'cba');
    assert.equal(joinIds(collection.after(query, { id: 'bb', name: 'same' })), 'ba');
    assert.equal(joinIds(collection.before(query, { id: 'b', name: 'same' })), 'c');
    const byId = { ...query, order: ['id', 'name'].map((each) => ({ path: each, descending: false })) };
    assert.equal(joinIds(collection.after(byId, { id: 'b', name: 'another' })), 'c', 'keys after the id are ignored');
  });

  it('[QRY-6] matches words by prefix, without case and accents', () => {
    for (const [search, found] of [
      ['cafe', true],
      ['CAFÉ', true],
      ['caf ros', true],
      ['ROSÉ_wine', true],
      ['afe', false],
      ['cafes', false],
      ['cafe tea', false],
    ] as const) {
      assert.equal(matchesSearch(search, ['Café-Bar', 'wine, rosé']), found, search);
    }
  });
});

function createCollection(items: readonly Item[]): OracleCollection {
  const collection = new OracleCollection({ name: 'text' });
  for (const item of items) collection.items.set(item.id, item);
  return collection;
}

function joinIds(items: readonly Item[]): string {
  return items.map(({ id }) => id).join('');
}
