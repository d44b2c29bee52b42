import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PathCondition } from '../src/plan/condition.ts';
import { type Condition, type CreatePlan, EVERYTHING, type Row } from '../src/plan/plan.ts';
import type { Store } from '../src/stores/store.ts';
import { type OpenStore, withStore } from './open-store.ts';
import { expectedPage } from './oracle.ts';
import { randomRelatedPlan, RELATED_NUMERIC, RELATED_VALUES, seedRelated } from './relation-samples.ts';
import { field, model, refersTo, resource } from './sample-model.ts';
import { commit, create, listIds, listPlan } from './sample-writes.ts';
import { SeededRandom } from './seeded-random.ts';

const SEEDS = [1, 2, 3, 4];
const PLANS = 100;

/** Folders with files whose ids are unique below their folder, and which refer to files of the same folder. */
const DRIVE = model([
  resource({ name: 'folders', fields: [field('name', { kind: 'text', format: null })] }),
  resource({
    name: 'files',
    parent: 'folders',
    fields: [
      field('name', { kind: 'text', format: null }),
      field('original_id', { kind: 'text', format: null }, { reference: { ...refersTo('files'), siblings: true } }),
      field(
        'copy_ids',
        { kind: 'array', item: { type: { kind: 'text', format: null }, nullable: false } },
        { reference: { ...refersTo('files'), siblings: true } },
      ),
    ],
  }),
]);

/** Two folders, each with files `x`, `y` and `z`; `y` refers to `x` in both ways. Their names are `a:x`, `b:x`, ... */
async function seedDrive(store: Store): Promise<void> {
  for (const folder of ['a', 'b']) {
    const within = [{ resource: 'folders', id: folder }];
    const file = (id: string, original: string | null, copies: readonly string[]): CreatePlan => {
      const values = { folder_id: folder, name: `${folder}:${id}`, original_id: original, copy_ids: copies };
      return create('files', id, values, { within });
    };
    await commit(store, create('folders', folder, { name: folder }), file('x', null, []), file('y', 'x', ['x']));
    await commit(store, file('z', 'y', ['y', 'x']));
  }
}

const related = (of: string, by: string, inverse: boolean, ...conditions: readonly PathCondition[]): Condition => ({
  operator: 'related',
  relation: { resource: of, field: by, inverse },
  visible: EVERYTHING,
  conditions,
});
const named = (...values: readonly string[]): PathCondition => ({ path: 'name', operator: 'in', values });

export function relationFilterSuite(name: string, open: OpenStore, seeds: number = SEEDS.length): void {
  describe(`${name}: filters on related rows and alternatives`, () => {
    for (const number of SEEDS.slice(0, seeds)) {
      it(
        `[QRY-1] [QRY-7] [PAGE-5] [AUTH-5a] match like the oracle, in any order and window, for any visibility (seed ${number})`,
        withStore(open, async (store) => {
          const random = new SeededRandom(number);
          await seedRelated(store, random);
          const all = new Map<string, readonly Row[]>();
          for (const of of Object.keys(RELATED_VALUES)) {
            all.set(of, (await store.rows.list(listPlan({ resource: of }))).rows);
          }
          const rowsOf = (of: string): readonly Row[] => all.get(of) ?? [];
          for (let index = 0; index < PLANS; index += 1) {
            const of = random.pick(Object.keys(RELATED_VALUES));
            const plan = randomRelatedPlan(random, of, rowsOf(of));
            const wanted = expectedPage(rowsOf(of), plan, { numeric: RELATED_NUMERIC, rowsOf });
            const { size: _, ...page } = await store.rows.list(plan);
            assert.deepEqual(page, wanted, JSON.stringify(plan));
          }
        }),
      );
    }

    it('[QRY-1] [URL-7] lead to the row below the same parent where ids are unique below it', async () => {
      const store = await open(DRIVE);
      try {
        await seedDrive(store);
        const rows: readonly (readonly [condition: Condition, files: readonly string[]])[] = [
          [related('files', 'original_id', false, named('a:x')), ['a:y']],
          [related('files', 'original_id', true, named('b:z')), ['b:y']],
          [related('files', 'copy_ids', false, named('a:x')), ['a:y', 'a:z']],
          [related('files', 'copy_ids', true, named('b:y')), ['b:x']],
          [related('files', 'copy_ids', true, { path: 'id', operator: 'in', values: ['y'] }), ['a:x', 'b:x']],
          [related('folders', 'folder_id', false, named('b')), ['b:x', 'b:y', 'b:z']],
        ];
        for (const [condition, files] of rows) {
          const { rows: found } = await store.rows.list(listPlan({ resource: 'files', filter: [condition] }));
          const names = found.map((row) => row['name']);
          assert.deepEqual(new Set(names), new Set(files), JSON.stringify(condition));
          assert.equal(names.length, files.length);
        }
        const within = [{ resource: 'folders', id: 'b' }];
        const owners = [
          { id: 'z', within },
          { id: 'x', within },
        ];
        const order = [{ path: 'id', descending: false }];
        const array = { resource: 'files', field: 'copy_ids', ownedBy: 'files', owners, order, limit: 9 };
        const copies = await store.rows.related({ ...array, visible: EVERYTHING });
        assert.deepEqual(
          copies.map(({ rows: found }) => found.map(({ row }) => row['name'])),
          [['b:x', 'b:y'], []],
        );
        const holding = related('files', 'folder_id', true, named('b:z'));
        assert.deepEqual(await listIds(store, { resource: 'folders', filter: [holding] }), ['b']);
      } finally {
        await store.close();
      }
    });
  });
}
