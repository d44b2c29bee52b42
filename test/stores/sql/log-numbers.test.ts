import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { postgres } from '../../../src/stores/postgres/dialect/postgres-dialect.ts';
import { addChange, allocated, stampChange } from '../../../src/stores/sql/log-numbers.ts';
import { sqlite } from '../../../src/stores/sqlite/dialect/sqlite-dialect.ts';
import { runs } from '../../extent.ts';

const LIMIT = 2 ** 52;

/** Revisions of each size, neighbours among them. */
const revision = fc.oneof(
  fc.integer({ min: 1, max: 2_000 }),
  fc.integer({ min: 2 ** 32 - 1_000, max: 2 ** 32 + 1_000 }),
  fc.maxSafeInteger().filter((each) => each > 0),
);
const revisions = fc.uniqueArray(revision, { minLength: 1, maxLength: 20 });

function sumChanges(changes: readonly number[]): number {
  return changes.reduce((sum, each) => addChange(postgres, sum, each), 0);
}

/** Chooses one of the elements by the remainder of a number. */
function shuffle(changes: readonly number[], seed: readonly number[]): readonly number[] {
  const left = [...changes];
  return changes.map((_, index) => left.splice((seed[index] ?? 0) % left.length, 1)[0] ?? assert.fail());
}

describe('the stamp of changes with allocated revisions', () => {
  it('[law] [CACHE-2] does not depend on their order, nor on the slots in which they were added up', () => {
    const law = fc.property(revisions, fc.array(fc.nat(), { minLength: 20, maxLength: 20 }), (changes, seed) => {
      const stamp = sumChanges(changes);
      assert.equal(sumChanges(shuffle(changes, seed)), stamp);
      const slots = [0, 1, 2].map((slot) => sumChanges(changes.filter((_, index) => (seed[index] ?? 0) % 3 === slot)));
      assert.equal(
        slots.reduce((sum, each) => (sum + each) % LIMIT),
        stamp,
      );
      assert.equal(
        changes.map((each) => stampChange(postgres, each)).reduce((sum, each) => (sum + each) % LIMIT),
        stamp,
      );
    });
    fc.assert(law, { numRuns: runs(200, 2_000) });
  });

  it('[law] [CACHE-2] is an integer below 2^52, so that two of them are added exactly', () => {
    const law = fc.property(revisions, (changes) => {
      const stamp = sumChanges(changes);
      assert.ok(Number.isInteger(stamp) && stamp >= 0 && stamp < LIMIT);
    });
    fc.assert(law, { numRuns: runs(200, 2_000) });
  });

  it('[law] [CACHE-1] differs for other changes', () => {
    const sets = new Map<string, number>();
    const law = fc.property(revisions, (changes) => {
      sets.set(changes.toSorted((one, other) => one - other).join(), sumChanges(changes));
    });
    fc.assert(law, { numRuns: runs(2_000, 50_000) });
    assert.equal(new Set(sets.values()).size, sets.size);
  });

  it('[CACHE-1] differs for each revision, for each pair of the first ones, and for all that were committed so far', () => {
    const many = runs(100_000, 1_000_000);
    const single = new Set<number>();
    const soFar = new Set<number>();
    let sum = 0;
    for (let each = 1; each <= many; each += 1) {
      single.add(stampChange(postgres, each));
      sum = addChange(postgres, sum, each);
      soFar.add(sum);
    }
    assert.deepEqual([single.size, soFar.size], [many, many]);
    const pairs = new Set<number>();
    const first = Array.from({ length: 400 }, (_, index) => index + 1);
    for (const one of first) for (const other of first) if (one < other) pairs.add(sumChanges([one, other]));
    assert.equal(pairs.size, (first.length * (first.length - 1)) / 2);
  });

  it('[CACHE-1] has each of its bits in half of the changes', () => {
    const count = 20_000;
    const stamps = Array.from({ length: count }, (_, index) => BigInt(stampChange(postgres, index + 1)));
    for (let bit = 0n; bit < 52n; bit += 1n) {
      const ones = stamps.filter((stamp) => ((stamp >> bit) & 1n) === 1n).length;
      assert.ok(Math.abs(ones / count - 0.5) < 0.02, `bit ${bit} is set in ${ones} of ${count}`);
    }
  });

  it('[CACHE-2] is the last revision where revisions are counted', () => {
    assert.equal(addChange(sqlite, 7, 8), 8);
    assert.equal(stampChange(sqlite, 8), 8);
  });
});

describe('the numbers that were allocated to a transaction', () => {
  it('[law] [REP-8] [EVT-3b] are given in ascending order, each once, until they are used up', () => {
    const law = fc.property(revisions, (numbers) => {
      const sorted = numbers.toSorted((one, other) => one - other);
      const next = allocated(sorted);
      const given: number[] = [];
      for (let last = 0; given.length < sorted.length; given.push(last)) last = next(last);
      assert.deepEqual(given, sorted);
      assert.throws(() => next(given.at(-1) ?? 0), RangeError);
    });
    fc.assert(law, { numRuns: runs(100, 1_000) });
  });

  it('[REP-8] are given again after a unit that was rolled back: the next one begins with the same last number', () => {
    const next = allocated([5, 9, 12]);
    const before = next(0);
    assert.deepEqual([next(before), next(next(before))], [9, 12]);
    assert.deepEqual([next(before), next(next(before))], [9, 12]);
  });

  it('[REP-8] are none where none were needed', () => {
    assert.throws(() => allocated([])(0), /more numbers than were allocated/);
  });
});
