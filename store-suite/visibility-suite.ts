import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RelationKey } from '../src/plan/condition.ts';
import { isVisible } from '../src/plan/policy/holds.ts';
import { type Condition, EVERYTHING, NOTHING, type Row, type Visibility } from '../src/plan/plan.ts';
import { isJudgedByRow, visibilityWhere } from '../src/plan/visibility.ts';
import type { Store } from '../src/stores/store.ts';
import { type OpenStore, withStore } from './open-store.ts';
import { visibleRows } from './oracle.ts';
import { RELATED_NUMERIC, RELATED_VALUES, randomVisibility, seedRelated } from './relation-samples.ts';
import { field, model, refersTo, resource, sampleModel } from './sample-model.ts';
import { commit, create, itemPlan, listIds, listPlan, topLevel } from './sample-writes.ts';
import { SeededRandom } from './seeded-random.ts';

const SEEDS = [1, 2, 3, 4];
const VISIBILITIES = 60;

/** The rows of a store, and which of them the oracle finds visible. */
interface Seeded {
  readonly random: SeededRandom;
  readonly rowsOf: (of: string) => readonly Row[];
  readonly visibleIds: (of: string, visible: Visibility) => ReadonlySet<string>;
}

async function seedVisible(store: Store, number: number): Promise<Seeded> {
  const random = new SeededRandom(number);
  await seedRelated(store, random);
  const all = new Map<string, readonly Row[]>();
  for (const of of Object.keys(RELATED_VALUES)) {
    all.set(of, (await store.rows.list(listPlan({ resource: of }))).rows);
  }
  const rowsOf = (of: string): readonly Row[] => all.get(of) ?? [];
  const visibleIds = (of: string, visible: Visibility): ReadonlySet<string> =>
    new Set(visibleRows(rowsOf(of), visible, { numeric: RELATED_NUMERIC, rowsOf }).map(({ id }) => id));
  return { random, rowsOf, visibleIds };
}

/** Checks every read other than a list, which the suite of filters checks. */
async function checkReads(store: Store, { random, rowsOf, visibleIds }: Seeded): Promise<void> {
  const of = random.pick(Object.keys(RELATED_VALUES));
  const visible = randomVisibility(random, of);
  const wanted = visibleIds(of, visible);
  const message = JSON.stringify([of, visible]);
  const all = rowsOf(of);
  for (const row of all) {
    const found = await store.rows.item(itemPlan(of, row.id, { visible }));
    assert.deepEqual(found, wanted.has(row.id) ? row : null, message);
    const some = await store.rows.item(itemPlan(of, row.id, { visible, columns: [] }));
    assert.equal(some?.id, wanted.has(row.id) ? row.id : undefined, message);
    if (isJudgedByRow(visible)) {
      const compiled = sampleModel().resources.get(of);
      assert.ok(compiled !== undefined);
      assert.equal(isVisible(compiled, row, visible), wanted.has(row.id), message);
    }
  }
  const looked = await store.rows.lookup({ resource: of, rows: topLevel(...all.map(({ id }) => id)), visible });
  assert.deepEqual(new Set(looked.map(({ row }) => row.id)), wanted, message);
  const references = all.map(({ id }) => ({ resource: of, id, within: [], visible }));
  const missing = new Set((await store.rows.missingReferences(references)).map(({ id }) => id));
  assert.deepEqual(new Set(all.map(({ id }) => id)).difference(missing), wanted, message);
}

/** Checks the reviews of products: below visible products, and those of each. */
async function checkChildren(store: Store, { random, rowsOf, visibleIds }: Seeded): Promise<void> {
  const [above, visible] = [randomVisibility(random, 'products'), randomVisibility(random, 'reviews')];
  const [products, reviews] = [visibleIds('products', above), visibleIds('reviews', visible)];
  const message = JSON.stringify([above, visible]);
  const owners = rowsOf('products').map(({ id }) => id);
  const order = [{ path: 'id', descending: false }];
  const related = { resource: 'reviews', field: 'product_id', owners: topLevel(...owners), order, limit: 99 };
  const children = await store.rows.related({ ...related, visible });
  for (const [index, id] of owners.entries()) {
    const within = [{ resource: 'products', id, visible: above }];
    const ids = rowsOf('reviews')
      .filter((review) => review['product_id'] === id && reviews.has(review.id))
      .map((review) => review.id)
      .sort();
    assert.deepEqual(children[index]?.rows.map(({ row }) => row.id).sort(), ids, message);
    const below = products.has(id) ? ids : [];
    assert.deepEqual((await listIds(store, { resource: 'reviews', within, visible })).toSorted(), below, message);
    const { total } = await store.rows.list(
      listPlan({ resource: 'reviews', within, visible, count: { kind: 'capped', cap: 99 } }),
    );
    assert.deepEqual(total, { count: below.length, exact: true }, message);
    assert.equal(await store.rows.missingAncestor(within), products.has(id) ? null : within[0], message);
    for (const review of ids) {
      const found = await store.rows.item(itemPlan('reviews', review, { within, visible }));
      assert.equal(found?.id, products.has(id) ? review : undefined, message);
    }
  }
}

const TEXT = { kind: 'text', format: null } as const;

/**
 * Files whose ids are unique below their folder, and which refer to files of the same folder; folders belong to an
 * owner.
 */
const DRIVE = model([
  resource({ name: 'folders', fields: [field('owner', TEXT)] }),
  resource({
    name: 'files',
    parent: 'folders',
    fields: [field('name', TEXT), field('original_id', TEXT, { reference: { ...refersTo('files'), siblings: true } })],
  }),
]);

/** Rows for which the row that a reference leads to fulfills a condition. */
const through = (of: string, by: string, ...conditions: readonly Condition[]): Condition => {
  const relation: RelationKey = { resource: of, field: by, inverse: false };
  const parts = conditions.filter((each) => each.operator !== 'search');
  return { operator: 'related', relation, visible: EVERYTHING, conditions: parts };
};
const is = (path: string, ...values: readonly string[]): Condition => ({ path, operator: 'in', values });

export function visibilitySuite(name: string, open: OpenStore, seeds: number = SEEDS.length): void {
  describe(`${name}: visible rows`, () => {
    for (const number of SEEDS.slice(0, seeds)) {
      it(
        `[AUTH-5a] [QRY-7] are those that the oracle and the row itself say, in every read (seed ${number})`,
        withStore(open, async (store) => {
          const seeded = await seedVisible(store, number);
          for (let index = 0; index < VISIBILITIES; index += 1) await checkReads(store, seeded);
          for (let index = 0; index < VISIBILITIES / 10; index += 1) await checkChildren(store, seeded);
        }),
      );
    }

    it(
      '[AUTH-5a] [PAGE-9b] are none where nothing is visible, also in totals',
      withStore(open, async (store) => {
        await seedVisible(store, 1);
        const count = { kind: 'exact' } as const;
        const page = await store.rows.list(listPlan({ visible: NOTHING, count }));
        assert.deepEqual(page, { rows: [], more: false, total: { count: 0, exact: true }, size: 0 });
        const some = await store.rows.list(listPlan({ visible: visibilityWhere([is('id', 'p0')]), count }));
        assert.deepEqual(some.total, { count: 1, exact: true });
      }),
    );

    it('[AUTH-5a] [URL-7] follow references to rows whose ids are unique below their parent', async () => {
      const store = await open(DRIVE);
      try {
        for (const folder of ['a', 'b']) {
          const within = [{ resource: 'folders', id: folder }];
          const file = (id: string, original: string | null) =>
            create('files', id, { folder_id: folder, name: `${folder}:${id}`, original_id: original }, { within });
          await commit(store, create('folders', folder, { owner: `owner-${folder}` }));
          await commit(store, file('x', null), file('y', 'x'), file('z', 'y'));
        }
        const rows: readonly (readonly [condition: Condition, files: readonly string[]])[] = [
          [through('folders', 'folder_id', is('owner', 'owner-b')), ['b:x', 'b:y', 'b:z']],
          [through('files', 'original_id', is('name', 'a:x')), ['a:y']],
          [through('files', 'original_id', through('folders', 'folder_id', is('owner', 'owner-b'))), ['b:y', 'b:z']],
          [through('files', 'original_id', through('files', 'original_id', is('name', 'a:x'))), ['a:z']],
        ];
        for (const [condition, files] of rows) {
          const visible = visibilityWhere([condition]);
          const { rows: found } = await store.rows.list(listPlan({ resource: 'files', visible }));
          assert.deepEqual(new Set(found.map((row) => row['name'])), new Set(files), JSON.stringify(condition));
        }
      } finally {
        await store.close();
      }
    });
  });
}
