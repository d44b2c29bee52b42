import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../../src/conventions/json/json.ts';
import type { Model, ValueType } from '../../src/model/model.ts';
import type { Row } from '../../src/plan/plan.ts';
import type { MigrationPhase } from '../../src/stores/sql/schema/current-models.ts';
import { IncompatibleModels, type SchemaStep, UnusableDatabase } from '../../src/stores/sql/schema/schema-errors.ts';
import type { Store } from '../../src/stores/store.ts';
import { field, model, refersTo, resource, type ResourceOptions } from '../../store-suite/sample-model.ts';
import { commit, create, readRow, remove, update } from '../../store-suite/sample-writes.ts';
import { DECIMAL, fields, IDS, BEFORE, TEXT } from './changed-models.ts';

interface MigrationOptions {
  readonly phase?: MigrationPhase;
  readonly consent?: 'losses';
}

/** A kind of database on which the suite runs. */
export interface NeighbourDatabases {
  /** The name of a database that does not exist yet. */
  create(): string;
  open(database: string, of: Model, options?: MigrationOptions): Promise<Store>;
  plan(database: string, of: Model, phase?: MigrationPhase): Promise<readonly SchemaStep[]>;
  readonly runs: number;
}

const modelOf = (...declared: readonly ResourceOptions[]): Model => model(declared.map((each) => resource(each)));

/** A field that one of two models has, the values that its instances write, and what the rows of the other one have. */
interface Extra {
  readonly of: ReturnType<typeof field>;
  readonly written: Json;
  readonly missing: Json;
}

const EXTRAS: readonly ((name: string) => Extra)[] = [
  (name) => ({ of: field(name, TEXT), written: 'w', missing: null }),
  (name) => ({ of: field(name, { kind: 'integer' }, { required: true, default: 7 }), written: 8, missing: 7 }),
  (name) => ({ of: field(name, DECIMAL, { required: true, default: '2.50' }), written: '3.00', missing: '2.50' }),
  (name) => ({
    of: field(name, { kind: 'boolean' }, { required: true, default: true }),
    written: false,
    missing: true,
  }),
  (name) => ({ of: field(name, IDS), written: ['a', 'b'], missing: [] }),
  (name) => ({ of: field(name, TEXT, { required: true, default: "it's" }), written: 'x', missing: "it's" }),
];

const extras = (prefix: string): fc.Arbitrary<readonly Extra[]> =>
  fc
    .array(fc.nat({ max: EXTRAS.length - 1 }), { maxLength: 4 })
    .map((kinds) => kinds.map((kind, at) => EXTRAS[kind]?.(`${prefix}_${at}`) ?? assert.fail()));

const indexes = fc.subarray([['name'], ['size', 'name'], ['note']]);
const uniques = fc.subarray([['name'], ['size']]);

/** Two neighbouring models: fields, indexes, unique keys and resources that only one of them has. */
const pairs = fc.record({
  removed: extras('old'),
  added: extras('new'),
  indexes: fc.tuple(indexes, indexes),
  uniques: fc.tuple(uniques, uniques),
  precision: fc.constantFrom(10, 12),
  resources: fc.constantFrom('neither', 'old', 'new', 'both'),
});

type Pair = typeof pairs extends fc.Arbitrary<infer T> ? T : never;

function describeResource(pair: Pair, side: 0 | 1): ResourceOptions {
  const own = side === 0 ? pair.removed : pair.added;
  const price: ValueType = { kind: 'decimal', precision: side === 0 ? 10 : pair.precision, scale: 2 };
  return {
    name: 'items',
    fields: [
      field('name', TEXT, { required: true }),
      field('size', { kind: 'integer' }),
      field('note', TEXT),
      field('price', price),
      ...own.map((extra) => extra.of),
    ],
    indexes: pair.indexes[side],
    uniques: pair.uniques[side],
  };
}

function pairModel(pair: Pair, side: 0 | 1): Model {
  const name = side === 0 ? 'old' : 'new';
  const has = pair.resources === 'both' || pair.resources === name;
  const reference = field('item_id', TEXT, { reference: refersTo('items') });
  return modelOf(describeResource(pair, side), ...(has ? [{ name: `${name}_parts`, fields: [reference] }] : []));
}

let size = 0;

/** A row as instances of one side write it: its own values, all different where they may have to be unique. */
function makeRow(pair: Pair, side: 0 | 1, id: string): readonly [string, Readonly<Record<string, Json>>] {
  size += 1;
  const own = side === 0 ? pair.removed : pair.added;
  const written = Object.fromEntries(own.map((extra) => [extra.of.name, extra.written]));
  return [id, { name: `n ${id}`, size, note: null, price: '1.00', ...written }];
}

/** A row as instances of one side read it: with the values for rows without them, if the other side wrote it. */
function readAs(pair: Pair, side: 0 | 1, values: Readonly<Record<string, Json>>): Readonly<Record<string, Json>> {
  const [own, others] = side === 0 ? [pair.removed, pair.added] : [pair.added, pair.removed];
  const hidden = new Set(others.map((extra) => extra.of.name));
  const shown = Object.entries(values).filter(([name]) => !hidden.has(name));
  return { ...Object.fromEntries(own.map((extra) => [extra.of.name, extra.missing])), ...Object.fromEntries(shown) };
}

/** The values of a row, without what writing it assigned. */
function dropAssigned({
  id: _id,
  created_at: _created,
  updated_at: _updated,
  revision: _revision,
  ...values
}: Row): object {
  return values;
}

async function assertRead(
  store: Store,
  pair: Pair,
  side: 0 | 1,
  rows: readonly (readonly [string, Readonly<Record<string, Json>>])[],
): Promise<void> {
  for (const [id, values] of rows) {
    assert.deepEqual({ ...dropAssigned(await readRow(store, 'items', id)) }, readAs(pair, side, values));
  }
}

async function changeNote(store: Store, id: string, note: string): Promise<void> {
  const { revision } = await readRow(store, 'items', id);
  await commit(store, update('items', id, revision, { note }));
}

/** Two models that cannot be served next to each other, and what is said of them. */
const REFUSED: readonly (readonly [title: string, after: ResourceOptions, says: RegExp])[] = [
  [
    'a renamed field',
    { ...BEFORE, fields: fields({ note: field('remark', TEXT, { was: 'note' }) }), indexes: [] },
    /items\.remark is renamed from note, the name that the old instances use: keep note, add remark, and remove note in a later deployment/,
  ],
  [
    'a renamed resource',
    { ...BEFORE, name: 'things', was: 'items' },
    /things is renamed from items, the name that the old/,
  ],
  [
    'a field of another type',
    { ...BEFORE, fields: fields({ price: field('price', { kind: 'number' }) }) },
    /items\.price has another type: add another field, and remove this one in a later deployment/,
  ],
  [
    'a new required field without a default',
    { ...BEFORE, fields: fields({ size: field('size', TEXT, { required: true }) }) },
    /items\.size is required, and the old instances create rows without it: declare a default/,
  ],
  [
    'a removed field that is required without a default',
    { ...BEFORE, fields: fields({ title: null }), uniques: [] },
    /items\.title is removed, and the old instances require it: declare a default for it in a deployment before/,
  ],
  [
    'a field that becomes optional',
    { ...BEFORE, fields: fields({ title: field('title', TEXT) }) },
    /items\.title is optional, and the old instances require it: they could not represent null/,
  ],
  [
    'a field that becomes required',
    { ...BEFORE, fields: fields({ note: field('note', TEXT, { required: true, default: 'n' }) }) },
    /items\.note is required, and the old instances write null/,
  ],
  [
    'a field that becomes a reference',
    { ...BEFORE, fields: fields({ refs: field('refs', IDS, { reference: refersTo('items') }) }) },
    /items\.refs refers to other rows: add another field/,
  ],
  [
    'other searched fields',
    { ...BEFORE, search: ['title'] },
    /items is searched by other fields \(title\), whose words/,
  ],
  [
    'other ids',
    { ...BEFORE, name: 'items', parent: 'owners', fields: BEFORE.fields },
    /items identifies its rows in another way/,
  ],
];

/** Tests the guarantees of any store while instances of two neighbouring models use one database (OPS-6). */
export function neighbourSuite(databases: NeighbourDatabases): void {
  it('[OPS-6] both models read and write all rows between the phases, and the database is then that of a migration at once', async () => {
    const property = fc.asyncProperty(pairs, async (pair) => {
      const [before, after] = [pairModel(pair, 0), pairModel(pair, 1)];
      const [phased, direct] = [databases.create(), databases.create()];
      const first = [makeRow(pair, 0, 'a'), makeRow(pair, 0, 'b')];
      const old = await databases.open(phased, before);
      await commit(old, ...first.map(([id, values]) => create('items', id, values)));
      await (await databases.open(phased, after, { phase: 'expand' })).close();
      assert.deepEqual(await databases.plan(phased, after, 'expand'), []);
      const next = await databases.open(phased, after);
      const restarted = await databases.open(phased, before);
      const second = [
        [next, makeRow(pair, 1, 'c')],
        [old, makeRow(pair, 0, 'd')],
        [restarted, makeRow(pair, 0, 'e')],
      ] as const;
      for (const [store, [id, values]] of second) await commit(store, create('items', id, values));
      const rows = [...first, ...second.map(([, row]) => row)];
      for (const store of [old, restarted]) await assertRead(store, pair, 0, rows);
      await assertRead(next, pair, 1, rows);
      // Each keeps the values of the other.
      await changeNote(old, 'c', 'by the old one');
      await changeNote(next, 'a', 'by the new one');
      const changed = rows.map(([id, values]): readonly [string, Readonly<Record<string, Json>>] => [
        id,
        id === 'c'
          ? { ...values, note: 'by the old one' }
          : id === 'a'
            ? { ...values, note: 'by the new one' }
            : values,
      ]);
      await assertRead(restarted, pair, 0, changed);
      await assertRead(next, pair, 1, changed);
      for (const store of [old, restarted, next]) await store.close();
      await (await databases.open(phased, after, { phase: 'contract', consent: 'losses' })).close();
      const other = await databases.open(direct, before);
      await commit(other, ...first.map(([id, values]) => create('items', id, values)));
      await other.close();
      for (const database of [phased, direct]) {
        const store = await databases.open(database, after, { consent: 'losses' });
        await assertRead(store, pair, 1, database === phased ? changed : first);
        await commit(store, create('items', 'z', makeRow(pair, 1, 'z')[1]));
        await store.close();
        assert.deepEqual(await databases.plan(database, after), []);
      }
    });
    await fc.assert(property, { numRuns: databases.runs });
  });

  for (const [title, after, says] of REFUSED) {
    it(`[OPS-6] refuses a model whose instances cannot run next to the old ones, and names the field: ${title}`, async () => {
      const database = databases.create();
      const owners: ResourceOptions = { name: 'owners', fields: [] };
      await (await databases.open(database, modelOf(owners, BEFORE))).close();
      const next = modelOf(owners, after);
      await assert.rejects(databases.open(database, next, { phase: 'expand' }), (error) => {
        assert.ok(error instanceof IncompatibleModels);
        assert.match(error.message, says);
        assert.match(error.message, /Nothing was changed\.$/);
        return true;
      });
      assert.deepEqual(await databases.plan(database, modelOf(owners, BEFORE)), []);
    });
  }

  it('[OPS-6] refuses another name of a parent, and says nothing of the ids of parents that follow from it', async () => {
    const database = databases.create();
    const below = (parent: string): ResourceOptions => ({
      name: 'parts',
      parent,
      fields: [field('see', TEXT, { reference: refersTo(parent) })],
    });
    await (await databases.open(database, modelOf(BEFORE, below('items')))).close();
    const next = modelOf({ ...BEFORE, name: 'things', was: 'items' }, below('things'));
    await assert.rejects(databases.open(database, next, { phase: 'expand' }), (error) => {
      assert.ok(error instanceof IncompatibleModels);
      assert.match(error.message, /things is renamed from items/);
      assert.doesNotMatch(error.message, /parts/);
      return true;
    });
  });

  it('[OPS-6] refuses an instance of a third model while two are served, and names its fields', async () => {
    const database = databases.create();
    const with2 = (name: string): Model => modelOf({ ...BEFORE, fields: [...BEFORE.fields, field(name, TEXT)] });
    await (await databases.open(database, modelOf(BEFORE))).close();
    await (await databases.open(database, with2('size'), { phase: 'expand' })).close();
    await assert.rejects(databases.open(database, with2('weight')), (error) => {
      assert.ok(error instanceof UnusableDatabase);
      assert.match(
        error.message,
        /this model is neither of them: it differs from the newer one in items\.size, items\.weight/,
      );
      return true;
    });
  });

  it('[OPS-6] guards a new unique key from the phase contract on, which names the rows that break it', async () => {
    const database = databases.create();
    const [before, after] = [modelOf({ ...BEFORE, uniques: [] }), modelOf(BEFORE)];
    const old = await databases.open(database, before);
    await (await databases.open(database, after, { phase: 'expand' })).close();
    const next = await databases.open(database, after);
    await commit(old, create('items', 'a', { title: 'same', note: null, price: null, refs: [] }));
    await commit(next, create('items', 'b', { title: 'same', note: null, price: null, refs: [] }));
    await old.close();
    await assert.rejects(
      databases.open(database, after, { phase: 'contract', consent: 'losses' }),
      /items has unique title: 2 rows break it \(a, b\); change them first/,
    );
    const { revision } = await readRow(next, 'items', 'b');
    await commit(next, update('items', 'b', revision, { title: 'other' }));
    await next.close();
    const last = await databases.open(database, after, { phase: 'contract' });
    const refused = await last.writes.commit({ plans: [create('items', 'c', { title: 'same', refs: [] })] });
    assert.equal(refused.kind, 'unique');
    await last.close();
  });

  it('[OPS-6] guards a unique key no longer that only the old model has', async () => {
    const database = databases.create();
    const [before, after] = [modelOf(BEFORE), modelOf({ ...BEFORE, uniques: [] })];
    const old = await databases.open(database, before);
    await commit(old, create('items', 'a', { title: 'same', note: null, price: null, refs: [] }));
    await (await databases.open(database, after, { phase: 'expand' })).close();
    const next = await databases.open(database, after);
    await commit(next, create('items', 'b', { title: 'same', note: null, price: null, refs: [] }));
    await commit(old, create('items', 'c', { title: 'same', note: null, price: null, refs: [] }));
    for (const store of [old, next]) await store.close();
  });

  it('[OPS-6] refuses to delete a row to which rows refer that only the other model knows', async () => {
    const database = databases.create();
    const parts: ResourceOptions = {
      name: 'parts',
      fields: [field('item_id', TEXT, { reference: refersTo('items') })],
    };
    const [before, after] = [modelOf(BEFORE), modelOf(BEFORE, parts)];
    const old = await databases.open(database, before);
    const [revision = 0] = await commit(old, create('items', 'a', { title: 'A', note: null, price: null, refs: [] }));
    await (await databases.open(database, after, { phase: 'expand' })).close();
    const next = await databases.open(database, after);
    await commit(next, create('parts', 'p', { item_id: 'a' }));
    assert.equal((await old.writes.commit({ plans: [remove('items', 'a', revision)] })).kind, 'dependents');
    for (const store of [old, next]) await store.close();
  });

  it('[OPS-6] goes back to the old model by the phase contract, and refuses that phase where no deployment has begun', async () => {
    const database = databases.create();
    const grown = modelOf({ ...BEFORE, fields: [...BEFORE.fields, field('size', TEXT)] });
    await (await databases.open(database, modelOf(BEFORE))).close();
    await assert.rejects(
      databases.open(database, grown, { phase: 'contract' }),
      /No deployment of two models has begun/,
    );
    await (await databases.open(database, grown, { phase: 'expand' })).close();
    await (await databases.open(database, modelOf(BEFORE), { phase: 'contract' })).close();
    assert.deepEqual(await databases.plan(database, modelOf(BEFORE)), []);
    assert.notDeepEqual(await databases.plan(database, grown), []);
  });

  it('[OPS-6] [CACHE-1] gives representations no dates while another model represents the same rows, and begins an epoch afterwards', async () => {
    const database = databases.create();
    const grown = modelOf({ ...BEFORE, fields: [...BEFORE.fields, field('size', TEXT)] });
    const old = await databases.open(database, modelOf(BEFORE));
    const first = await old.cacheEpoch('old', 10);
    await (await databases.open(database, grown, { phase: 'expand' })).close();
    const next = await databases.open(database, grown);
    const shared = await next.cacheEpoch('new', 20);
    assert.notEqual(shared.id, first.id);
    assert.equal(shared.since, Number.POSITIVE_INFINITY);
    for (const store of [old, next]) await store.close();
    await (await databases.open(database, grown, { phase: 'contract' })).close();
    const last = await databases.open(database, grown);
    const epoch = await last.cacheEpoch('new', 30);
    assert.equal(epoch.since, 30);
    assert.notEqual(epoch.id, shared.id);
    await last.close();
  });
}
