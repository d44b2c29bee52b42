import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json } from '../src/conventions/json/json.ts';
import type { Field, Model, SortKey, ValueType } from '../src/model/model.ts';
import {
  type Ancestor,
  type CreatePlan,
  EVERYTHING,
  type FieldValues,
  type Row,
  type UpdatePlan,
} from '../src/plan/plan.ts';
import type { Store } from '../src/stores/store.ts';
import type { OpenStore } from './open-store.ts';
import { field, model, refersTo, resource } from './sample-model.ts';
import { AT, commit, create, itemPlan, listIds, listPlan, readRow, remove, topLevel } from './sample-writes.ts';

const TEXT: ValueType = { kind: 'text', format: null };
const IDS: ValueType = { kind: 'array', item: { type: TEXT, nullable: false } };
const TO_SIBLINGS = { ...refersTo('files'), siblings: true } as const;
const NAME: Field = field('name', TEXT);

/**
 * Folders, files and versions with ids of clients; files refer to files of their folder. Notes have ids of the server,
 * and pins refer to them.
 */
function nestedModel(): Model {
  return model([
    resource({ name: 'folders', fields: [] }),
    resource({
      name: 'files',
      parent: 'folders',
      fields: [
        NAME,
        field('original_id', TEXT, { reference: { ...TO_SIBLINGS, as: 'original' } }),
        field('see_ids', IDS, { reference: TO_SIBLINGS }),
      ],
      uniques: [['name']],
      search: ['name'],
    }),
    resource({ name: 'versions', parent: 'files', fields: [NAME], search: ['name'] }),
    resource({ name: 'notes', id: { kind: 'server' }, parent: 'files', fields: [] }),
    resource({ name: 'pins', fields: [field('note_id', TEXT, { reference: { ...refersTo('notes'), as: 'note' } })] }),
  ]);
}

/** The path of a row below others, nearest first: `inFile('x', 'a')` is below the file `x` of the folder `a`. */
const inFolder = (folder: string): readonly Ancestor[] => [{ resource: 'folders', id: folder }];
const inFile = (file: string, folder: string): readonly Ancestor[] => [
  { resource: 'files', id: file },
  ...inFolder(folder),
];

function visible(within: readonly Ancestor[]) {
  return within.map((ancestor) => ({ ...ancestor, visible: EVERYTHING }));
}

function createFile(id: string, folder: string, values: FieldValues = {}): CreatePlan {
  const unset = { name: `${folder} ${id}`, original_id: null, see_ids: [] };
  return create('files', id, { folder_id: folder, ...unset, ...values }, { within: inFolder(folder) });
}

function createVersion(id: string, file: string, folder: string): CreatePlan {
  const values = { file_id: file, name: `${folder} ${file} ${id}` };
  return create('versions', id, values, { within: inFile(file, folder) });
}

function updateFile(id: string, folder: string, revision: number, values: FieldValues): UpdatePlan {
  return { kind: 'update', resource: 'files', id, within: inFolder(folder), values, revision, at: AT, event: null };
}

/**
 * The files `x` and `y` with the version `1` of each, in the folders `a` and `b`. Each `y` refers to the `x` of its
 * folder.
 */
async function seedNested(store: Store): Promise<void> {
  for (const folder of ['a', 'b']) {
    await commit(
      store,
      create('folders', folder, {}),
      createFile('x', folder),
      createFile('y', folder, { original_id: 'x', see_ids: ['x', 'y', 'x'] }),
      createVersion('1', 'x', folder),
      createVersion('1', 'y', folder),
    );
  }
}

function listNames(rows: readonly Row[]): readonly unknown[] {
  return rows.map(({ name }) => name);
}

const ascending = (...paths: readonly string[]): readonly SortKey[] =>
  paths.map((path) => ({ path, descending: false }));

type StoreTest = readonly [title: string, body: (store: Store) => Promise<void>];

const WRITES: readonly StoreTest[] = [
  [
    '[URL-7] [MET-2] exist once below each parent',
    async (store) => {
      await seedNested(store);
      assert.equal((await readRow(store, 'files', 'x', inFolder('b')))['name'], 'b x');
      assert.equal((await readRow(store, 'versions', '1', inFile('x', 'b')))['name'], 'b x 1');
      assert.equal((await readRow(store, 'versions', '1', inFile('y', 'a')))['name'], 'a y 1');
      const again = await store.writes.commit({ plans: [createFile('x', 'b', { name: 'other' })] });
      assert.deepEqual(again, { kind: 'exists', plan: 0 });
      const taken = await store.writes.commit({ plans: [createFile('z', 'b', { name: 'a x' })] });
      assert.deepEqual(taken, { kind: 'unique', plan: 0, fields: ['name'] });
    },
  ],
  [
    '[URL-7] [MET-3] are changed and deleted below one parent only',
    async (store) => {
      await seedNested(store);
      const a = await readRow(store, 'files', 'x', inFolder('a'));
      const b = await readRow(store, 'files', 'x', inFolder('b'));
      const crossed = await store.writes.commit({ plans: [updateFile('x', 'b', a.revision, { name: 'n' })] });
      assert.deepEqual(crossed, { kind: 'stale', plan: 0 });
      await commit(store, updateFile('x', 'b', b.revision, { name: 'n' }));
      assert.deepEqual(await readRow(store, 'files', 'x', inFolder('a')), a);
      const version = await readRow(store, 'versions', '1', inFile('x', 'b'));
      await commit(store, remove('versions', '1', version.revision, inFile('x', 'b')));
      assert.deepEqual(await listIds(store, { resource: 'versions', within: visible(inFile('x', 'b')) }), []);
      assert.deepEqual(await listIds(store, { resource: 'versions', within: visible(inFile('x', 'a')) }), ['1']);
    },
  ],
  [
    '[MET-10] refer to rows below their own parent',
    async (store) => {
      await seedNested(store);
      await commit(store, createFile('only', 'a'));
      const plan = createFile('z', 'b', { original_id: 'only', see_ids: ['x', 'only', 'z'] });
      const refused = await store.writes.commit({ plans: [plan] });
      assert.deepEqual(refused, { kind: 'reference', plan: 0, fields: ['original_id', 'see_ids[1]'] });
      const { revision } = await readRow(store, 'files', 'y', inFolder('b'));
      const moved = await store.writes.commit({ plans: [updateFile('y', 'b', revision, { see_ids: ['only'] })] });
      assert.deepEqual(moved, { kind: 'reference', plan: 0, fields: ['see_ids[0]'] });
      const reference = (folder: string) => {
        return { resource: 'files', id: 'only', within: inFolder(folder), visible: EVERYTHING };
      };
      const missing = await store.rows.missingReferences([reference('a'), reference('b')]);
      assert.deepEqual(missing, [reference('b')]);
    },
  ],
  [
    '[MET-4c] are guarded by the references below their own parent',
    async (store) => {
      await seedNested(store);
      const y = await readRow(store, 'files', 'y', inFolder('a'));
      const version = await readRow(store, 'versions', '1', inFile('x', 'a'));
      await commit(store, updateFile('y', 'a', y.revision, { original_id: null, see_ids: [] }));
      const { revision } = await readRow(store, 'files', 'x', inFolder('a'));
      const removal = remove('files', 'x', revision, inFolder('a'));
      assert.deepEqual(await store.writes.commit({ plans: [removal] }), { kind: 'dependents', plan: 0 });
      await commit(store, remove('versions', '1', version.revision, inFile('x', 'a')), removal);
      const { revision: other } = await readRow(store, 'files', 'x', inFolder('b'));
      const held = await store.writes.commit({ plans: [remove('files', 'x', other, inFolder('b'))] });
      assert.deepEqual(held, { kind: 'dependents', plan: 0 });
    },
  ],
];

const READS: readonly StoreTest[] = [
  [
    '[URL-7] [QRY-6] [QRY-7] are listed, searched, filtered and counted below their parent',
    async (store) => {
      await seedNested(store);
      const within = visible(inFolder('b'));
      const files = async (changes: Parameters<typeof listPlan>[0]) => {
        const page = await store.rows.list(
          listPlan({ resource: 'files', within, count: { kind: 'exact' }, ...changes }),
        );
        return [listNames(page.rows), page.total?.count];
      };
      assert.deepEqual(await files({}), [['b x', 'b y'], 2]);
      assert.deepEqual(await files({ filter: [{ operator: 'search', words: ['x'] }] }), [['b x'], 1]);
      assert.deepEqual(await files({ filter: [{ path: 'see_ids', operator: 'contains', value: 'x' }] }), [['b y'], 1]);
      assert.deepEqual(await files({ filter: [{ path: 'original_id', operator: 'in', values: ['x'] }] }), [['b y'], 1]);
      assert.deepEqual(await files({ window: { kind: 'offset', offset: 1, limit: 5 } }), [['b y'], 2]);
      const search = [{ operator: 'search', words: ['x'] }] as const;
      assert.deepEqual(await files({ resource: 'versions', within: visible(inFile('x', 'a')), filter: search }), [
        ['a x 1'],
        1,
      ]);
      assert.deepEqual(await files({ resource: 'versions', within: visible(inFile('x', 'none')) }), [[], 0]);
      assert.equal(await store.rows.item(itemPlan('files', 'x', { within: visible(inFolder('none')) })), null);
    },
  ],
  [
    '[PAGE-5] are read over all parents in the order of their keys, none twice',
    async (store) => {
      await seedNested(store);
      const order = ascending('above 1', 'file_id', 'id');
      const names: unknown[] = [];
      let after: readonly Json[] | null = null;
      for (let pages = 0; pages < 5; pages += 1) {
        const window = { kind: 'seek', after, backward: false, limit: 1 } as const;
        const { rows } = await store.rows.list(listPlan({ resource: 'versions', order, window }));
        names.push(...listNames(rows));
        const [row] = rows;
        if (row !== undefined) after = [row['above 1'] ?? null, row['file_id'] ?? null, row.id];
      }
      assert.deepEqual(names, ['a x 1', 'a y 1', 'b x 1', 'b y 1']);
    },
  ],
  [
    '[QRY-4] are looked up by their keys, with their ancestors',
    async (store) => {
      await seedNested(store);
      const rows = [
        { id: '1', within: inFile('x', 'b') },
        { id: '1', within: inFile('y', 'a') },
        { id: '1', within: inFile('x', 'none') },
      ];
      const found = await store.rows.lookup({ resource: 'versions', rows, visible: EVERYTHING });
      const expected = [
        { row: await readRow(store, 'versions', '1', inFile('y', 'a')), within: inFile('y', 'a') },
        { row: await readRow(store, 'versions', '1', inFile('x', 'b')), within: inFile('x', 'b') },
      ];
      assert.deepEqual(new Set(found), new Set(expected));
      const withoutParent = { resource: 'files', rows: topLevel('x'), visible: EVERYTHING };
      await assert.rejects(async () => store.rows.lookup(withoutParent), /files x/);
    },
  ],
  [
    '[QRY-4] are related to rows below the same parent',
    async (store) => {
      await seedNested(store);
      const owners = ['b', 'a', 'b'].map((folder) => ({ id: 'x', within: inFolder(folder) }));
      const related = async (resourceName: string, referring: string) => {
        const plan = {
          resource: resourceName,
          field: referring,
          owners,
          order: ascending('created_at', 'id'),
          limit: 5,
        };
        const found = await store.rows.related({ ...plan, visible: EVERYTHING });
        return found.map(({ rows, more }) => [listNames(rows.map(({ row }) => row)), more]);
      };
      assert.deepEqual(await related('versions', 'file_id'), [
        [['b x 1'], false],
        [['a x 1'], false],
        [['b x 1'], false],
      ]);
      assert.deepEqual(await related('files', 'original_id'), [
        [['b y'], false],
        [['a y'], false],
        [['b y'], false],
      ]);
      assert.deepEqual(await related('files', 'see_ids'), [
        [['b y'], false],
        [['a y'], false],
        [['b y'], false],
      ]);
    },
  ],
  [
    '[REP-9b] are returned with the ids above the rows that they refer to',
    async (store) => {
      await seedNested(store);
      const note = create('notes', 'n', { file_id: 'x' }, { within: inFile('x', 'b') });
      await commit(store, note, create('pins', 'p', { note_id: 'n' }), create('pins', 'q', { note_id: null }));
      const above = ({ ...row }: Row) => [row['note_id above 0'], row['note_id above 1']];
      assert.deepEqual(above(await readRow(store, 'pins', 'p')), ['x', 'b']);
      assert.deepEqual(above(await readRow(store, 'pins', 'q')), [null, null]);
      const { rows } = await store.rows.list(listPlan({ resource: 'pins', columns: ['note_id'] }));
      assert.deepEqual(rows.map(above), [
        ['x', 'b'],
        [null, null],
      ]);
      const [found] = await store.rows.lookup({ resource: 'pins', rows: topLevel('p'), visible: EVERYTHING });
      assert.deepEqual(found?.row, await readRow(store, 'pins', 'p'));
    },
  ],
];

/** Ids that clients choose below a parent are unique below that parent. */
export function nestedSuite(name: string, open: OpenStore): void {
  describe(`${name}: rows with equal ids below several parents`, () => {
    for (const [title, body] of [...WRITES, ...READS]) {
      it(title, async () => {
        const store = await open(nestedModel());
        try {
          await body(store);
        } finally {
          await store.close();
        }
      });
    }
  });
}
