import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { type ReferenceEdge, deletionOrder } from '../../../src/plan/write/deletion-order.ts';

type Graph = Readonly<Record<string, readonly (readonly [from: string, nullable: boolean])[]>>;

const order = (graph: Graph, root = 'a') =>
  deletionOrder(root, (key) =>
    (graph[key] ?? []).map(([from, nullable]): ReferenceEdge => ({ from, field: 'f', nullable: nullable })),
  );

describe('deletionOrder', () => {
  it('[MET-4d] deletes referring rows before the rows they refer to', () => {
    const graph: Graph = {
      a: [
        ['b', false],
        ['c', false],
      ],
      b: [['c', false]],
      c: [['d', true]],
    };
    assert.deepEqual(order(graph).detached, []);
    const { order: keys } = order(graph);
    for (const [key, referrers] of Object.entries(graph)) {
      for (const [from] of referrers) assert.ok(keys.indexOf(from) < keys.indexOf(key), `${from} before ${key}`);
    }
  });

  it('[MET-4e] detaches the nullable reference of a cycle, wherever it is', () => {
    const graph: Graph = { a: [['b', false]], b: [['c', true]], c: [['b', false]] };
    const { detached } = order({
      ...graph,
      a: [
        ['b', false],
        ['c', false],
      ],
    });
    assert.deepEqual(detached, [{ from: 'c', field: 'f', nullable: true }]);
    const twins: Graph = {
      a: [
        ['b', false],
        ['c', false],
      ],
      b: [['c', true]],
      c: [['b', true]],
    };
    assert.equal(order(twins).detached.length, 1);
  });

  it('[MET-4e] respects all references that are not nullable, if they have no cycle', () => {
    const edge = fc.tuple(fc.nat(7), fc.nat(7), fc.boolean());
    fc.assert(
      fc.property(fc.array(edge, { maxLength: 30 }), (list) => {
        // References that are not nullable go from greater to smaller keys, so there is no cycle. Every row is
        // reachable from the first.
        const edges = [
          ...list.filter(([to, from, nullable]) => nullable || from > to),
          ...[1, 2, 3, 4, 5, 6, 7].map((from) => [0, from, false] as const),
        ];
        const referrers = (key: string): readonly ReferenceEdge[] =>
          edges
            .filter(([to]) => String(to) === key)
            .map(([, from, nullable]) => ({ from: String(from), field: key, nullable }));
        const { order: keys, detached } = deletionOrder('0', referrers);
        assert.deepEqual(keys.toSorted(), ['0', '1', '2', '3', '4', '5', '6', '7']);
        for (const [to, from, nullable] of edges) {
          if (to === from) continue;
          const kept = keys.indexOf(String(from)) < keys.indexOf(String(to));
          assert.ok(
            kept || (nullable && detached.some((each) => each.from === String(from) && each.field === String(to))),
          );
        }
      }),
    );
  });
});
