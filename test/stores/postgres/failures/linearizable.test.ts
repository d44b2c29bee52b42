import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isLinearizable, type RowOperation, type Timed } from './linearizable.ts';
import { runs } from '../../../extent.ts';

const UNKNOWN = Number.POSITIVE_INFINITY;

/** Operations in a row: each with the times of its request and its response. */
function history(...entries: readonly (readonly [begun: number, ended: number, operation: RowOperation])[]): Timed[] {
  return entries.map(([begun, ended, operation]) => ({ begun, ended, operation }));
}

const read = (value: string | null): RowOperation => ({ kind: 'read', value });
const put = (value: string, created: boolean | null = null): RowOperation => ({ kind: 'put', value, created });
const change = (value: string, done: boolean | null): RowOperation => ({ kind: 'change', value, done });
const exchange = (from: string, value: string, done: boolean | null): RowOperation => ({
  kind: 'exchange',
  from,
  value,
  done,
});
const remove = (done: boolean | null): RowOperation => ({ kind: 'delete', done });

const valid: readonly (readonly [what: string, history: readonly Timed[]])[] = [
  ['a read of what was written before', history([0, 1, put('a')], [2, 3, read('a')])],
  [
    'a read of either value of a concurrent write',
    history([0, 1, put('a')], [2, 9, put('b')], [3, 4, read('a')], [5, 6, read('b')]),
  ],
  ['an unknown write that was made', history([0, UNKNOWN, put('a')], [2, 3, read(null)], [4, 5, read('a')])],
  ['an unknown write that was not made', history([0, 1, put('a')], [2, UNKNOWN, put('b')], [4, 5, read('a')])],
  [
    'concurrent exchanges of which one is done',
    history([0, 1, put('a')], [2, 5, exchange('a', 'b', true)], [2, 5, exchange('a', 'c', false)], [6, 7, read('b')]),
  ],
  [
    'a deletion, and a change that finds nothing',
    history([0, 1, put('a')], [2, 3, remove(true)], [4, 5, change('b', false)], [6, 7, put('c', true)]),
  ],
];

const broken: readonly (readonly [what: string, history: readonly Timed[]])[] = [
  ['a stale read', history([0, 1, put('a')], [2, 3, put('b')], [4, 5, read('a')])],
  ['a read that goes back', history([0, 1, put('a')], [2, 9, put('b')], [3, 4, read('b')], [5, 6, read('a')])],
  ['a lost update', history([0, 1, put('a')], [2, 5, exchange('a', 'b', true)], [2, 5, exchange('a', 'c', true)])],
  ['a phantom: a value that no one wrote', history([0, 1, put('a')], [2, 3, read('x')])],
  [
    'a phantom: a write that was refused',
    history([0, 1, put('a')], [2, 3, exchange('x', 'b', false)], [4, 5, read('b')]),
  ],
  ['a lost write', history([0, 1, put('a')], [2, 3, read(null)])],
  ['a row that returns after its deletion', history([0, 1, put('a')], [2, 3, remove(true)], [4, 5, read('a')])],
  ['two creations of one row', history([0, 3, put('a', true)], [1, 2, put('b', true)])],
  [
    'an unknown write that is undone',
    history([0, 1, put('a')], [2, UNKNOWN, put('b')], [3, 4, read('b')], [5, 6, read('a')]),
  ],
  ['a refused change of a row that exists', history([0, 1, put('a')], [2, 3, change('b', false)])],
];

describe('the judge of histories', () => {
  for (const [what, each] of valid) it(`[law] accepts ${what}`, () => assert.equal(isLinearizable(each), true));
  for (const [what, each] of broken) it(`[law] finds ${what}`, () => assert.equal(isLinearizable(each), false));

  it('[law] accepts what a register has done, and finds one result that is not of it', () => {
    const client = fc.array(
      fc.record({ kind: fc.constantFrom('read', 'put', 'exchange', 'delete'), pause: fc.nat(3), length: fc.nat(5) }),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(fc.array(client, { minLength: 1, maxLength: 4 }), fc.nat(), (clients, which) => {
        const done = registerHistory(clients);
        assert.equal(isLinearizable(done), true);
        const reads = done.filter(({ operation }) => operation.kind === 'read');
        const one = reads[which % reads.length];
        if (one === undefined) return;
        const changed = done.map((each) => (each === one ? { ...each, operation: read('never written') } : each));
        assert.equal(isLinearizable(changed), false);
      }),
      { numRuns: runs(20, 200) },
    );
  });
});

interface PlannedOperation {
  readonly kind: string;
  readonly pause: number;
  readonly length: number;
}

/** The history of clients of a register, in which each operation takes effect in the middle of its time. */
function registerHistory(clients: readonly (readonly PlannedOperation[])[]): readonly Timed[] {
  const planned = clients.flatMap((operations, client) => {
    let now = 0;
    return operations.map(({ kind, pause, length }, index) => {
      const begun = now + pause + 1;
      now = begun + length + 1;
      return { kind, begun, ended: now, effect: (begun + now) / 2, value: `${client}-${index}` };
    });
  });
  let state: string | null = null;
  const effects = planned.toSorted((one, other) => one.effect - other.effect);
  return effects.map(({ kind, begun, ended, value }, index) => {
    const from = effects[index - 1]?.value ?? value;
    const before = state;
    const isMade = kind === 'exchange' ? before === from : kind === 'put' || (kind === 'delete' && before !== null);
    if (isMade) state = kind === 'delete' ? null : value;
    const operations: Readonly<Record<string, RowOperation>> = {
      read: read(before),
      put: put(value, before === null),
      exchange: exchange(from, value, isMade),
      delete: remove(isMade),
    };
    return { begun, ended, operation: operations[kind] ?? assert.fail() };
  });
}
