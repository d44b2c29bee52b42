import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EVERYTHING, type WritePlan } from '../src/plan/plan.ts';
import { type Refusal } from '../src/plan/write-unit.ts';
import type { Store } from '../src/stores/store.ts';
import { type OpenStore, withStore } from './open-store.ts';
import {
  commit,
  create,
  createProduct,
  createReview,
  createSupplier,
  remove,
  readRow,
  update,
} from './sample-writes.ts';

/** Suppliers s1, s2; products p1 (of s1, whose name is its id), p2 (related to p1), p3 with a review r1. */
async function seedRefused(store: Store): Promise<void> {
  await commit(
    store,
    createSupplier('s1'),
    createSupplier('s2'),
    createProduct('p1', { supplier_id: 's1', serial: '1' }),
    createProduct('p2', { related_ids: ['p1'] }),
    createProduct('p3'),
    createReview('r1', 'p3'),
  );
}

function createAnswer(review: string, product: string): WritePlan {
  const within = [
    { resource: 'reviews', id: review },
    { resource: 'products', id: product },
  ];
  return create('answers', 'x', { review_id: review, text: null }, { within });
}

interface RefusalCase {
  readonly title: string;
  /** Makes the plan, given the current revisions of rows. */
  readonly plan: (revisionOf: (resource: string, id: string) => number) => WritePlan;
  readonly refusal: Refusal | null;
}

const CASES: readonly RefusalCase[] = [
  { title: 'a create with an existing id', plan: () => createProduct('p1'), refusal: { kind: 'exists', plan: 0 } },
  {
    title: 'a create with a duplicate unique value',
    plan: () => createProduct('new', { serial: '1' }),
    refusal: { kind: 'unique', plan: 0, fields: ['serial'] },
  },
  {
    title: 'an update of one field that duplicates a compound unique value',
    plan: (revision) => update('products', 'p2', revision('products', 'p2'), { name: 'p1', supplier_id: 's1' }),
    refusal: { kind: 'unique', plan: 0, fields: ['supplier_id', 'name'] },
  },
  {
    title: 'but not a compound unique value that contains null',
    plan: () => createProduct('new', { name: 'p2' }),
    refusal: null,
  },
  {
    title: 'an existing id before a duplicate unique value',
    plan: () => createProduct('p1', { serial: '1' }),
    refusal: { kind: 'exists', plan: 0 },
  },
  {
    title: 'several duplicate unique values with the first one in the model',
    plan: () => createProduct('new', { name: 'p1', supplier_id: 's1', serial: '1' }),
    refusal: { kind: 'unique', plan: 0, fields: ['serial'] },
  },
  {
    title: 'but not an update that repeats its own unique value',
    plan: (revision) => update('products', 'p1', revision('products', 'p1'), { serial: '1', stock: 1 }),
    refusal: null,
  },
  {
    title: 'missing references, all of them, array items with their index',
    plan: () => createProduct('new', { supplier_id: 'none', related_ids: ['p1', 'none', 'p2', 'neither'] }),
    refusal: { kind: 'reference', plan: 0, fields: ['supplier_id', 'related_ids[1]', 'related_ids[3]'] },
  },
  {
    title: 'missing references among thousands, each place of a repeated one',
    plan: () => createProduct('new', { related_ids: ['none', ...Array(1500).fill('p1'), 'p2', 'neither', 'none'] }),
    refusal: { kind: 'reference', plan: 0, fields: ['related_ids[0]', 'related_ids[1502]', 'related_ids[1503]'] },
  },
  {
    title: 'an update with a missing reference',
    plan: (revision) => update('products', 'p1', revision('products', 'p1'), { supplier_id: 'p1' }),
    refusal: { kind: 'reference', plan: 0, fields: ['supplier_id'] },
  },
  {
    title: 'an update with a missing reference in an array',
    plan: (revision) => update('products', 'p1', revision('products', 'p1'), { related_ids: ['p2', 'none'] }),
    refusal: { kind: 'reference', plan: 0, fields: ['related_ids[1]'] },
  },
  {
    title: 'a missing reference before a duplicate unique value',
    plan: () => createProduct('new', { supplier_id: 'none', serial: '1' }),
    refusal: { kind: 'reference', plan: 0, fields: ['supplier_id'] },
  },
  {
    title: 'a create below a missing parent',
    plan: () => createReview('new', 'none'),
    refusal: { kind: 'ancestor', plan: 0, resource: 'products', id: 'none' },
  },
  {
    title: 'a create below a parent with another ancestor than in the path',
    plan: () => createAnswer('r1', 'p1'),
    refusal: { kind: 'ancestor', plan: 0, resource: 'reviews', id: 'r1' },
  },
  {
    title: 'missing ancestors with the outermost one',
    plan: () => createAnswer('none', 'neither'),
    refusal: { kind: 'ancestor', plan: 0, resource: 'products', id: 'neither' },
  },
  { title: 'but not a create below existing ancestors', plan: () => createAnswer('r1', 'p3'), refusal: null },
  {
    title: 'a delete of a referenced row',
    plan: (revision) => remove('suppliers', 's1', revision('suppliers', 's1')),
    refusal: { kind: 'dependents', plan: 0 },
  },
  {
    title: 'a delete of a row that is referenced in an array',
    plan: (revision) => remove('products', 'p1', revision('products', 'p1')),
    refusal: { kind: 'dependents', plan: 0 },
  },
  {
    title: 'a delete of a row with children',
    plan: (revision) => remove('products', 'p3', revision('products', 'p3')),
    refusal: { kind: 'dependents', plan: 0 },
  },
  {
    title: 'but not a delete of a row that only refers to others',
    plan: (revision) => remove('products', 'p2', revision('products', 'p2')),
    refusal: null,
  },
];

const ROWS = [
  ['suppliers', 's1'],
  ['products', 'p1'],
  ['products', 'p2'],
  ['products', 'p3'],
] as const;

async function readRevisions(store: Store): Promise<(resource: string, id: string) => number> {
  const known = new Map<string, number>();
  for (const [resource, id] of ROWS) known.set(`${resource} ${id}`, (await readRow(store, resource, id)).revision);
  return (resource, id) => known.get(`${resource} ${id}`) ?? 0;
}

export function refusalSuite(name: string, open: OpenStore): void {
  describe(`${name}: refuses`, () => {
    for (const { title, plan, refusal } of CASES) {
      it(
        `[MET-4c][MET-10] ${title}`,
        withStore(open, async (store) => {
          await seedRefused(store);
          const before = await store.events.after(0, 100);
          const outcome = await store.writes.commit({ plans: [plan(await readRevisions(store))] });
          if (refusal === null) {
            assert.equal(outcome.kind, 'committed');
            return;
          }
          assert.deepEqual(outcome, refusal);
          assert.deepEqual(await store.events.after(0, 100), before);
        }),
      );
    }

    it(
      '[MET-4c] deletes a row after its last reference is removed',
      withStore(open, async (store) => {
        await seedRefused(store);
        const revision = await readRevisions(store);
        await commit(
          store,
          update('products', 'p2', revision('products', 'p2'), { related_ids: [] }),
          remove('products', 'p1', revision('products', 'p1')),
          remove('suppliers', 's1', revision('suppliers', 's1')),
        );
        assert.equal(
          await store.rows.item({ kind: 'item', resource: 'products', id: 'p1', within: [], visible: EVERYTHING }),
          null,
        );
      }),
    );
  });
}
