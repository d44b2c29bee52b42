import assert from 'node:assert/strict';
import { topLevel } from '../../../store-suite/sample-writes.ts';
import { describe, it } from 'node:test';
import { type ItemRead, type RowSource, VisibleRows } from '../../../src/operations/visible-rows.ts';
import type { FilterCondition } from '../../../src/plan/condition.ts';
import {
  type Condition,
  EVERYTHING,
  type ItemPlan,
  type ListPlan,
  type ListRead,
  type LookupPlan,
  type RelatedPlan,
  type Visibility,
  type VisibleAncestor,
} from '../../../src/plan/plan.ts';
import type { RowVisibilities } from '../../../src/plan/policy/visibilities.ts';
import type { RowReader } from '../../../src/stores/store.ts';

/** The argument of a call to the store. */
type Plan = ItemPlan | ListPlan | LookupPlan | RelatedPlan | readonly VisibleAncestor[];

interface RecordingSource extends RowSource {
  readonly plans: Plan[];
}

/** A store without rows that records its plans. */
function recordingSource(): RecordingSource {
  const plans: Plan[] = [];
  const record = <T>(plan: Plan, result: T): T => {
    plans.push(plan);
    return result;
  };
  return {
    plans,
    rows: {
      item: (plan) => record(plan, null),
      wasVisible: (plan) => record(plan, false),
      list: (plan) => record(plan, { rows: [], more: false, total: null, size: 0 }),
      lookup: (plan) => record(plan, []),
      related: (plan) => record(plan, []),
      missingAncestor: (within) => record(within, null),
      missingReferences: (references) => record(references, []),
    },
    stamps: {
      rowStamp: (_resource, id) => id.length,
      knownRowStamp: (_resource, id) => id.length,
      rowStampAhead: (_resource, id) => id.length,
      resourceStamps: (resources) => resources.map(() => 7),
      partitionStamp: () => 5,
      settledRevision: () => null,
    },
  };
}

/** One visibility per resource. All are equal: the tests compare identity. */
const VISIBILITIES: Readonly<Record<string, Visibility>> = {
  notes: { kind: 'everything' },
  lines: { kind: 'everything' },
  words: { kind: 'everything' },
};

function findVisibility(resource: string): Visibility {
  return VISIBILITIES[resource] ?? assert.fail(`no visibility of ${resource}`);
}

const visibilities: RowVisibilities = {
  own: findVisibility,
  whole: findVisibility,
  below: findVisibility,
  list: ({ resource, effort }) => ({ visible: findVisibility(resource), effort }),
};

const WITHIN = [
  { resource: 'lines', id: 'l' },
  { resource: 'notes', id: 'n' },
];
const ADDRESS = { resource: 'words', id: 'w', within: WITHIN };
const ITEM: ItemRead = { ...ADDRESS, columns: ['text'] };
const RELATED_LINE: FilterCondition = {
  operator: 'related',
  relation: { resource: 'lines', field: 'line_id', inverse: false },
  conditions: [{ path: 'text', operator: 'in', values: ['x'] }],
};
const RELATED_NOTE: FilterCondition = { ...RELATED_LINE, relation: { resource: 'notes', field: 'a', inverse: true } };
const LIST: ListRead = {
  kind: 'list',
  resource: 'words',
  within: WITHIN,
  filter: [
    RELATED_LINE,
    { operator: 'any', alternatives: [[RELATED_NOTE], [...RELATED_LINE.conditions, RELATED_LINE]] },
  ],
  order: [{ path: 'id', descending: false }],
  window: { kind: 'offset', offset: 0, limit: 3 },
  count: { kind: 'none' },
  effort: 'light',
};
const REFERENCES = WITHIN.map((row) => ({ ...row, within: [] }));
const LOOKUP = { resource: 'notes', rows: topLevel('a', 'b'), effort: 'bounded' } as const;
const RELATED = { resource: 'lines', field: 'note_id', owners: topLevel('a'), order: [], limit: 2 } as const;

/** Every read, and the plan without visibility that it should lead to. */
const READS: Readonly<Record<keyof RowReader, readonly [read: (rows: VisibleRows) => unknown, plan: object]>> = {
  item: [(rows) => rows.item(ITEM), { kind: 'item', ...ITEM }],
  wasVisible: [(rows) => rows.wasVisible(ITEM), { kind: 'item', ...ADDRESS }],
  list: [(rows) => rows.list(LIST), LIST],
  lookup: [(rows) => rows.lookup(LOOKUP), LOOKUP],
  related: [(rows) => rows.related(RELATED), RELATED],
  missingAncestor: [(rows) => rows.missingAncestor(WITHIN), WITHIN],
  missingReferences: [(rows) => rows.missingReferences(REFERENCES), REFERENCES],
};

/** Each resource that a plan reads, with the visibility that it has there. */
function visibilitiesIn(plan: Plan): readonly (readonly [resource: string, visible: Visibility])[] {
  const parts = 'resource' in plan ? [plan, ...('within' in plan ? plan.within : [])] : plan;
  const filtered = 'kind' in plan && plan.kind === 'list' ? plan.filter.flatMap(relatedVisibilities) : [];
  return [...parts.map(({ resource, visible }) => [resource, visible] as const), ...filtered];
}

function relatedVisibilities(condition: Condition): readonly (readonly [resource: string, visible: Visibility])[] {
  if (condition.operator === 'any') return condition.alternatives.flat().flatMap(relatedVisibilities);
  return condition.operator === 'related' ? [[condition.relation.resource, condition.visible]] : [];
}

/** Asserts that a source was read once, with a visibility for each resource. */
function assertRead({ plans }: RecordingSource, visibility: (resource: string) => Visibility): void {
  const [plan = assert.fail('nothing was read'), ...others] = plans;
  assert.deepEqual(others, []);
  const found = visibilitiesIn(plan);
  assert.ok(found.length > 0);
  for (const [resource, visible] of found) assert.equal(visible, visibility(resource), `visibility of ${resource}`);
}

/** A plan without its visibilities. */
function withoutVisibility(plan: unknown): unknown {
  return JSON.parse(JSON.stringify(plan, (name, value: unknown) => (name === 'visible' ? undefined : value)));
}

describe('VisibleRows', () => {
  for (const [method, [read, expected]] of Object.entries(READS)) {
    it(`[AUTH-5a] passes the visibility of each resource to the plan of ${method}`, async () => {
      const source = recordingSource();
      await read(new VisibleRows(source, visibilities));
      assertRead(source, findVisibility);
      assert.deepEqual(withoutVisibility(source.plans), [expected]);
    });

    it(`[AUTH-5a] reads everything for the system, and only there: ${method}`, async () => {
      const source = recordingSource();
      const rows = new VisibleRows(source, visibilities);
      await read(rows.unrestricted());
      assertRead(source, () => EVERYTHING);
      source.plans.length = 0;
      await read(VisibleRows.unrestricted(source));
      assertRead(source, () => EVERYTHING);
      source.plans.length = 0;
      await read(rows);
      assertRead(source, findVisibility);
    });

    it(`[AUTH-5a] keeps its visibility over other rows: ${method}`, async () => {
      const [stored, staged] = [recordingSource(), recordingSource()];
      const { rows, source } = new VisibleRows(stored, visibilities).over((given) => {
        assert.equal(given, stored);
        return staged;
      });
      assert.equal(source, staged);
      await read(rows);
      assertRead(staged, findVisibility);
      assert.deepEqual(stored.plans, []);
    });
  }

  it('does not call the store without ancestors or references', async () => {
    const source = recordingSource();
    const rows = new VisibleRows(source, visibilities);
    assert.deepEqual([await rows.missingAncestor([]), await rows.missingReferences([])], [null, []]);
    assert.deepEqual(source.plans, []);
  });

  it('returns the stamps of its source', async () => {
    const rows = new VisibleRows(recordingSource(), visibilities);
    assert.deepEqual([rows.rowStamp('notes', 'abc'), await rows.resourceStamps(['notes', 'lines'])], [3, [7, 7]]);
  });
});
