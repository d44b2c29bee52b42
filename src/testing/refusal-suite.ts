import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Refusal, WritePlan } from '../plan/plan.ts';
import type { Store } from '../stores/store.ts';
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

/** Suppliers s1, s2; products p1 (of s1, named as its id), p2 (related to p1), p3 with a review r1. */
async function seed(store: Store): Promise<void> {
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
  /** The plan, with the present revision of the row that it changes. */
  readonly plan: (revisionOf: (resource: string, id: string) => number) => WritePlan;
  readonly refusal: Refusal | null;
}

const CASES: readonly RefusalCase[] = [
  { title: 'an id that is taken', plan: () => createProduct('p1'), refusal: { kind: 'exists', plan: 0 } },
  {
    title: 'a value that is unique, on create',
    plan: () => createProduct('new', { serial: '1' }),
    refusal: { kind: 'unique', plan: 0, fields: ['serial'] },
  },
  {
    title: 'values that are unique together, on update of one of them',
    plan: (revision) => update('products', 'p2', revision('products', 'p2'), { name: 'p1', supplier_id: 's1' }),
    refusal: { kind: 'unique', plan: 0, fields: ['supplier_id', 'name'] },
  },
  {
    title: 'no value that is unique together with a null',
    plan: () => createProduct('new', { name: 'p2' }),
    refusal: null,
  },
  {
    title: 'a taken id before a value that is unique too',
    plan: () => createProduct('p1', { serial: '1' }),
    refusal: { kind: 'exists', plan: 0 },
  },
  {
    title: 'several values that are unique by the first that the model declares',
    plan: () => createProduct('new', { name: 'p1', supplier_id: 's1', serial: '1' }),
    refusal: { kind: 'unique', plan: 0, fields: ['serial'] },
  },
  {
    title: 'a row without change of its unique values never',
    plan: (revision) => update('products', 'p1', revision('products', 'p1'), { serial: '1', stock: 1 }),
    refusal: null,
  },
  {
    title: 'all references to nothing, items by their place',
    plan: () => createProduct('new', { supplier_id: 'none', related_ids: ['p1', 'none', 'p2', 'neither'] }),
    refusal: { kind: 'reference', plan: 0, fields: ['supplier_id', 'related_ids[1]', 'related_ids[3]'] },
  },
  {
    title: 'a reference to nothing on update',
    plan: (revision) => update('products', 'p1', revision('products', 'p1'), { supplier_id: 'p1' }),
    refusal: { kind: 'reference', plan: 0, fields: ['supplier_id'] },
  },
  {
    title: 'an item that refers to nothing on update',
    plan: (revision) => update('products', 'p1', revision('products', 'p1'), { related_ids: ['p2', 'none'] }),
    refusal: { kind: 'reference', plan: 0, fields: ['related_ids[1]'] },
  },
  {
    title: 'a reference to nothing before a value that is unique',
    plan: () => createProduct('new', { supplier_id: 'none', serial: '1' }),
    refusal: { kind: 'reference', plan: 0, fields: ['supplier_id'] },
  },
  {
    title: 'a parent that is absent',
    plan: () => createReview('new', 'none'),
    refusal: { kind: 'ancestor', plan: 0, resource: 'products', id: 'none' },
  },
  {
    title: 'a parent below another ancestor than the path names',
    plan: () => createAnswer('r1', 'p1'),
    refusal: { kind: 'ancestor', plan: 0, resource: 'reviews', id: 'r1' },
  },
  {
    title: 'the outermost of the ancestors that are absent',
    plan: () => createAnswer('none', 'neither'),
    refusal: { kind: 'ancestor', plan: 0, resource: 'products', id: 'neither' },
  },
  { title: 'nothing below ancestors that stand', plan: () => createAnswer('r1', 'p3'), refusal: null },
  {
    title: 'removal of a row that a reference names',
    plan: (revision) => remove('suppliers', 's1', revision('suppliers', 's1')),
    refusal: { kind: 'dependents', plan: 0 },
  },
  {
    title: 'removal of a row that an item of an array names',
    plan: (revision) => remove('products', 'p1', revision('products', 'p1')),
    refusal: { kind: 'dependents', plan: 0 },
  },
  {
    title: 'removal of a row with children',
    plan: (revision) => remove('products', 'p3', revision('products', 'p3')),
    refusal: { kind: 'dependents', plan: 0 },
  },
  {
    title: 'no removal of a row that only refers to others',
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
        `[MET-4][MET-10] ${title}`,
        withStore(open, async (store) => {
          await seed(store);
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
      '[MET-4] lets a row go once nothing refers to it any more',
      withStore(open, async (store) => {
        await seed(store);
        const revision = await readRevisions(store);
        await commit(
          store,
          update('products', 'p2', revision('products', 'p2'), { related_ids: [] }),
          remove('products', 'p1', revision('products', 'p1')),
          remove('suppliers', 's1', revision('suppliers', 's1')),
        );
        assert.equal(await store.rows.item({ kind: 'item', resource: 'products', id: 'p1', within: [] }), null);
      }),
    );
  });
}
