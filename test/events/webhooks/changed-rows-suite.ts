import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ChangedRows } from '../../../src/events/webhooks/changed-rows.ts';
import type { Model } from '../../../src/model/model.ts';
import { VisibleRows } from '../../../src/operations/visible-rows.ts';
import { EVERYTHING, type Row } from '../../../src/plan/plan.ts';
import type { Store } from '../../../src/stores/store.ts';
import { commit, createProduct, createReview, remove, update } from '../../../store-suite/sample-writes.ts';
import { sampleModel } from '../../../store-suite/sample-model.ts';
import { watchLists } from './watched-lists.ts';

/** Follows the rows of a resource, and counts the rows that it reads. */
class Follower {
  /** As it knows them. */
  readonly rows = new Map<string, Row>();
  /** Whole rows that were read, and rows of which the id alone was. */
  readonly read = { whole: 0, ids: 0 };
  readonly #changed: ChangedRows;

  constructor(store: Store, resource: string) {
    const watched = watchLists(store, ({ columns, count }, { rows }) => {
      if (columns === undefined) this.read.whole += rows.length;
      else if (count.kind === 'none') this.read.ids += rows.length;
    });
    this.#changed = new ChangedRows(VisibleRows.unrestricted(watched), resource);
  }

  async follow(): Promise<void> {
    const { changed, deleted } = await this.#changed.read();
    for (const row of changed) this.rows.set(row.id, row);
    for (const id of deleted) this.rows.delete(id);
  }
}

async function stored({ rows }: Store, resource: string): Promise<readonly Row[]> {
  const page = await rows.list({
    kind: 'list',
    resource,
    within: [],
    visible: EVERYTHING,
    filter: [],
    order: [{ path: 'id', descending: false }],
    window: { kind: 'seek', after: null, backward: false, limit: 1_000 },
    count: { kind: 'none' },
    effort: 'light',
  });
  return page.rows;
}

type Step = { readonly kind: 'write' | 'delete'; readonly id: string } | { readonly kind: 'follow' };
const id = fc.constantFrom('a', 'b', 'c', 'd');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('write' as const, 'delete' as const), id }),
  fc.constant({ kind: 'follow' as const }),
);

/** Tests that rows can be followed on a store. */
export function changedRowsSuite(name: string, open: (model: Model) => Promise<Store>, numRuns: number): void {
  describe(`${name}: changed rows`, () => {
    it('[EVT-4a] are all that follow from any writes, however often they are read', async () => {
      const law = fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const store = await open(sampleModel());
        try {
          const follower = new Follower(store, 'products');
          for (const each of steps) {
            if (each.kind === 'follow') await follower.follow();
            else await write(store, each);
          }
          await follower.follow();
          const found = [...follower.rows.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1));
          assert.deepEqual(found, await stored(store, 'products'));
        } finally {
          await store.close();
        }
      });
      await fc.assert(law, { numRuns, seed: 29 });
    });

    it('[EVT-4a] cost a read of each, and a deletion a read of ids', async () => {
      const store = await open(sampleModel());
      try {
        const follower = new Follower(store, 'products');
        const ids = Array.from({ length: 1_200 }, (_, index) => `p${index}`);
        await commit(store, ...ids.map((each) => createProduct(each)));
        await follower.follow();
        assert.deepEqual(follower.read, { whole: 1_200, ids: 0 });
        await follower.follow();
        assert.deepEqual(follower.read, { whole: 1_200, ids: 0 }, 'nothing has changed');
        await write(store, { kind: 'write', id: 'p7' });
        await follower.follow();
        assert.deepEqual(follower.read, { whole: 1_201, ids: 0 });
        await write(store, { kind: 'delete', id: 'p8' });
        await follower.follow();
        assert.deepEqual(follower.read, { whole: 1_201, ids: 1_199 });
        assert.equal(follower.rows.size, 1_199);
      } finally {
        await store.close();
      }
    });

    it('[EVT-4b] may be nested', async () => {
      const store = await open(sampleModel());
      try {
        const follower = new Follower(store, 'reviews');
        await commit(store, createProduct('p'), createReview('r1', 'p'), createReview('r2', 'p'));
        await follower.follow();
        const [review] = follower.rows.values();
        assert.equal(review?.['product_id'], 'p');
        await commit(store, remove('reviews', 'r1', review?.revision ?? 0, [{ resource: 'products', id: 'p' }]));
        await follower.follow();
        assert.deepEqual([...follower.rows.keys()], ['r2']);
      } finally {
        await store.close();
      }
    });
  });
}

/** Creates a product, updates it, or deletes it, if there is one. */
async function write(store: Store, { kind, id: of }: Exclude<Step, { kind: 'follow' }>): Promise<void> {
  const row = await store.rows.item({ kind: 'item', resource: 'products', id: of, within: [], visible: EVERYTHING });
  if (kind === 'delete') {
    if (row !== null) await commit(store, remove('products', of, row.revision));
  } else if (row === null) await commit(store, createProduct(of));
  else await commit(store, update('products', of, row.revision, { stock: row.revision }));
}
