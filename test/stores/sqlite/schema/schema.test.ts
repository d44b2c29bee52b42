import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Json } from '../../../../src/conventions/json/json.ts';
import type { Model } from '../../../../src/model/model.ts';
import { loadModel } from '../../../../src/model/compile/load-model.ts';
import { LossySchemaChange, planSqlite, SchemaViolation } from '../../../../src/stores/sqlite/sqlite-store.ts';
import { field, model, refersTo, resource, type ResourceOptions } from '../../../../store-suite/sample-model.ts';
import { commit, create, listIds, remove, readRow, update } from '../../../../store-suite/sample-writes.ts';
import { temporaryDirectory } from '../../../temporary-directory.ts';
import { BEFORE, fields, IDS, KEPT, REFUSED, ROWS, TEXT } from '../../changed-models.ts';
import { checkMigratedTombstones } from '../../migrated-tombstones.ts';
import { openSample } from '../open-sample.ts';
import { EVERYTHING } from '../../../../src/plan/plan.ts';
import { Database } from '../driver-under-test.ts';

interface Reopened {
  readonly store: Awaited<ReturnType<typeof openSample>>;
  /** The statements that were observed at the second start. */
  readonly statements: readonly string[];
}

async function databaseBefore(context: TestContext, rows: typeof ROWS = ROWS): Promise<string> {
  const file = path.join(temporaryDirectory(context), 'sample.db');
  const store = await openSample({ path: file }, model([resource(BEFORE)]));
  await commit(store, ...rows.map(([id, values]) => create('items', id, values)));
  await store.close();
  return file;
}

async function reopen(context: TestContext, file: string, ...resources: readonly ResourceOptions[]): Promise<Reopened> {
  const statements: string[] = [];
  const observe: Parameters<typeof openSample>[0] = {
    observe: (observation) => {
      if (observation.kind === 'schema-changed') statements.push(...observation.statements);
    },
  };
  const store = await openSample({ path: file, ...observe }, model(resources.map((each) => resource(each))));
  context.after(() => store.close());
  return { store, statements };
}

/** The whole content of the file: schema and rows. */
function dump(file: string): unknown {
  const database = new Database(file, { readonly: true });
  const schema = database.prepare('select name, sql from sqlite_schema order by name').all();
  const rows = database.prepare('select * from items order by id').all();
  database.close();
  return { schema, rows };
}

describe('a database of a changed model', () => {
  for (const { title, after, silent = false, shows } of KEPT) {
    it(`[OPS-4d] ${title}, reports the SQL, and finds nothing to do the next time`, async (context) => {
      const file = await databaseBefore(context);
      const { store, statements } = await reopen(context, file, ...after);
      assert.equal(statements.length === 0, silent);
      if (shows !== undefined) {
        const [column, first, second] = shows;
        assert.deepEqual((await readRow(store, 'items', 'a'))[column], first);
        assert.deepEqual((await readRow(store, 'items', 'b'))[column], second);
      }
      await store.close();
      assert.deepEqual((await reopen(context, file, ...after)).statements, []);
    });
  }

  for (const { title, after, says, consent, shows } of REFUSED) {
    it(`[OPS-4d] is unchanged for ${title}: the error gives each reason once`, async (context) => {
      const file = await databaseBefore(context);
      const before = dump(file);
      await assert.rejects(reopen(context, file, ...after), (error) => {
        assert.ok(error instanceof (consent ? LossySchemaChange : SchemaViolation));
        assert.match(error.message, says);
        assert.equal(error.message.split('\n').length, 3, error.message);
        assert.ok(error.plan.some(({ statements }) => statements.length > 0));
        return true;
      });
      assert.deepEqual(dump(file), before);
    });

    it(`[OPS-4d] ${consent ? 'changes' : 'is unchanged'} for ${title} with consent to losses`, async (context) => {
      const file = await databaseBefore(context);
      const before = dump(file);
      const opening = openSample({ path: file, consent: 'losses' }, model(after.map((each) => resource(each))));
      if (!consent) {
        await assert.rejects(opening, SchemaViolation);
        assert.deepEqual(dump(file), before);
        return;
      }
      const store = await opening;
      context.after(() => store.close());
      if (shows === undefined) return;
      const [column, first, second] = shows;
      assert.deepEqual((await readRow(store, 'items', 'a'))[column], first);
      assert.deepEqual((await readRow(store, 'items', 'b'))[column], second);
    });

    it(`[OPS-4d] changes for ${title} if no row loses data`, async (context) => {
      const file = await databaseBefore(context, []);
      const { statements } = await reopen(context, file, ...after);
      assert.ok(statements.length > 0);
    });
  }

  it('[MET-4b] renames the tombstones of a resource with it, and drops them with it', async (context) => {
    const file = path.join(temporaryDirectory(context), 'sample.db');
    await checkMigratedTombstones((changed) => openSample({ path: file }, changed));
  });

  it('[OPS-4d] renames a resource with its references', async (context) => {
    const file = path.join(temporaryDirectory(context), 'sample.db');
    const part: ResourceOptions = { name: 'parts', fields: [field('item_id', TEXT, { reference: refersTo('items') })] };
    const linked: ResourceOptions = {
      ...BEFORE,
      fields: fields({ refs: field('refs', IDS, { reference: refersTo('items') }) }),
    };
    const first = await openSample({ path: file }, model([resource(linked), resource(part)]));
    await commit(
      first,
      create('items', 'b', { title: 'B', refs: [] }),
      create('items', 'a', { title: 'A', refs: ['b'] }),
    );
    await commit(first, create('parts', 'p', { item_id: 'a' }));
    await first.close();
    const things = {
      ...linked,
      name: 'things',
      was: 'items',
      fields: fields({ refs: field('refs', IDS, { reference: refersTo('things') }) }),
    };
    const of: ResourceOptions = { name: 'parts', fields: [field('item_id', TEXT, { reference: refersTo('things') })] };
    const { store } = await reopen(context, file, things, of);
    assert.deepEqual(
      await listIds(store, { resource: 'things', filter: [{ path: 'refs', operator: 'contains', value: 'b' }] }),
      ['a'],
    );
    const { revision } = await readRow(store, 'things', 'b');
    const removal = { kind: 'delete', resource: 'things', id: 'b', within: [], revision, event: null } as const;
    assert.equal((await store.writes.commit({ plans: [removal] })).kind, 'dependents');
    const { total } = await store.rows.list({
      kind: 'list',
      resource: 'things',
      within: [],
      visible: EVERYTHING,
      filter: [],
      order: [{ path: 'id', descending: false }],
      window: { kind: 'offset', offset: 0, limit: 1 },
      count: { kind: 'exact' },
      effort: 'light',
    });
    assert.deepEqual(total, { count: 2, exact: true });
  });

  for (const [title, changes] of [
    ['', {}],
    [' while its resource was renamed', { name: 'things', was: 'items' }],
  ] as const) {
    it(`[OPS-4d] finds and guards the items of an array that became references${title}`, async (context) => {
      const { name } = { ...BEFORE, ...changes };
      const file = await databaseBefore(context);
      const refs = field('refs', IDS, { reference: refersTo(name) });
      const { store } = await reopen(context, file, { ...BEFORE, ...changes, fields: fields({ refs }) });
      const filter = [{ path: 'refs', operator: 'contains', value: 'b' }] as const;
      assert.deepEqual(await listIds(store, { resource: name, filter }), ['a']);
      const { revision } = await readRow(store, name, 'b');
      const outcome = await store.writes.commit({ plans: [remove(name, 'b', revision)] });
      assert.deepEqual(outcome, { kind: 'dependents', plan: 0 });
    });
  }

  it('[OPS-4d] guards a new reference that rows satisfy, and refuses one that they violate', async (context) => {
    const file = await databaseBefore(context);
    const referring = (to: string): ResourceOptions[] => [
      { ...BEFORE, fields: fields({ note: field('note', TEXT, { reference: refersTo(to) }) }) },
      { name: 'others', fields: [] },
    ];
    const before = dump(file);
    await assert.rejects(reopen(context, file, ...referring('others')), (error) => {
      assert.ok(error instanceof SchemaViolation);
      assert.match(error.message, /items\.note refers to others: 1 row breaks it \(a\)/);
      return true;
    });
    assert.deepEqual(dump(file), before);
    const { store } = await reopen(context, file, BEFORE);
    const { revision } = await readRow(store, 'items', 'a');
    await commit(store, update('items', 'a', revision, { note: 'b' }));
    await store.close();
    const kept = await reopen(context, file, ...referring('items'));
    const refused = await kept.store.writes.commit({
      plans: [create('items', 'c', { title: 'C', note: 'none', refs: [] })],
    });
    assert.deepEqual(refused, { kind: 'reference', plan: 0, fields: ['note'] });
  });

  it('[OPS-4d] refuses a unique rule that rows violate', async (context) => {
    const file = await databaseBefore(context, [...ROWS, ['c', { title: 'C', note: 'n', price: null, refs: [] }]]);
    const before = dump(file);
    await assert.rejects(reopen(context, file, { ...BEFORE, uniques: [['title'], ['note']] }), SchemaViolation);
    assert.deepEqual(dump(file), before);
  });
});

/** A model of one resource with these properties. */
function narrowed(properties: string, required = 'status'): Model {
  const schema = `{ type: object, required: [${required}], properties: { ${properties} } }`;
  return loadModel({ text: `name: sample\nresources:\n  items:\n    id: client\n    schema: ${schema}\n` }).model;
}

describe('the rules of a changed model', () => {
  const STATUS = 'status: { type: string, enum: [A, B, C] }';
  const TAGS = 'tags: { type: array, items: { type: string } }';
  const DIMS = 'dims: { type: object, properties: { w: { type: integer } } }';

  async function before(context: TestContext): Promise<string> {
    const file = path.join(temporaryDirectory(context), 'sample.db');
    const store = await openSample({ path: file }, narrowed(`${STATUS}, ${TAGS}, ${DIMS}`));
    const rows = ['A', 'B', 'B', 'B', 'B'].map((status, index) =>
      create('items', String(index + 1), {
        status,
        tags: index === 0 ? ['long', 'x'] : [],
        dims: index === 1 ? { w: 1 } : null,
      }),
    );
    await commit(store, ...rows);
    await store.close();
    return file;
  }

  const kept: readonly (readonly [title: string, after: Model])[] = [
    ['an enum without a value that no row has', narrowed(`status: { type: string, enum: [A, B] }, ${TAGS}, ${DIMS}`)],
    ['another description', narrowed(`status: { type: string, description: The state. }, ${TAGS}, ${DIMS}`)],
    [
      'a renamed field that rows satisfy',
      narrowed(`state: { type: string, pattern: '^[AB]$', x-was: status }, ${TAGS}, ${DIMS}`, 'state'),
    ],
  ];
  for (const [title, after] of kept) {
    it(`[OPS-4d] are recorded where rows keep them: ${title}`, async (context) => {
      const file = await before(context);
      await (await openSample({ path: file }, after)).close();
      await (await openSample({ path: file }, after)).close();
    });
  }

  const FIX = 'change them first, or keep the rule as it was';
  const broken: readonly (readonly [title: string, after: Model, says: string])[] = [
    [
      'an enum without a value of rows',
      narrowed(`status: { type: string, enum: [A, C] }, ${TAGS}, ${DIMS}`),
      `items.status must be one of A, C: 4 rows break it (2, 3, 4, ...); ${FIX}`,
    ],
    [
      'a pattern of a renamed field',
      narrowed(`state: { type: string, pattern: '^A$', x-was: status }, ${TAGS}, ${DIMS}`, 'state'),
      `items.state must match the pattern ^A$: 4 rows break it (2, 3, 4, ...); ${FIX}`,
    ],
    [
      'a shorter maxLength of items',
      narrowed(`${STATUS}, tags: { type: array, items: { type: string, maxLength: 2 } }, ${DIMS}`),
      `items.tags must be at most 2 characters: 1 row breaks it (1); ${FIX}`,
    ],
    [
      'a minimum of a member',
      narrowed(`${STATUS}, ${TAGS}, dims: { type: object, properties: { w: { type: integer, minimum: 2 } } }`),
      `items.dims.w must be at least 2: 1 row breaks it (2); ${FIX}`,
    ],
  ];
  for (const [title, after, says] of broken) {
    it(`[OPS-4d] need consent where rows break them: ${title}`, async (context) => {
      const file = await before(context);
      await assert.rejects(openSample({ path: file }, after), (error) => {
        assert.ok(error instanceof LossySchemaChange);
        assert.deepEqual(error.message.split('\n').slice(1, -1), [`- ${says}`]);
        return true;
      });
      const consented = await openSample({ path: file, consent: 'losses' }, after);
      const { status, state } = await readRow(consented, 'items', '2');
      assert.equal(status ?? state, 'B', 'the rows stay as they are');
      await consented.close();
      await (await openSample({ path: file }, after)).close();
    });
  }

  it('[OPS-4d] are planned with the SQL, the cost and the rows of each step, without a change', async (context) => {
    const file = await before(context);
    const before1 = dump(file);
    const after = narrowed(`status: { type: string, enum: [A, C], x-unique: true }, ${TAGS}, size: { type: integer }`);
    const plan = planSqlite(file, after).map(({ purpose, statements, cost, losses, broken: rules }) => ({
      purpose,
      statements: statements.length,
      cost,
      losses,
      rules: rules.map(({ rule, rows, blocking }) => [rule, rows, blocking]),
    }));
    assert.deepEqual(plan, [
      {
        purpose: 'change items: add size; drop dims',
        statements: 5,
        cost: { kind: 'rewrites', rows: 5 },
        losses: ['items.dims is dropped with 1 value; declare it, or name it in x-was of the field that it became'],
        rules: [],
      },
      {
        purpose: 'create the index items unique (status)',
        statements: 1,
        cost: { kind: 'reads', rows: 5 },
        losses: [],
        rules: [['items has unique status', 4, true]],
      },
      {
        purpose: 'check items.status',
        statements: 0,
        cost: { kind: 'reads', rows: 5 },
        losses: [],
        rules: [['items.status must be one of A, C', 4, false]],
      },
    ]);
    assert.deepEqual(dump(file), before1);
    assert.deepEqual(planSqlite(file, narrowed(`${STATUS}, ${TAGS}, ${DIMS}`)), []);
    assert.ok(
      planSqlite(`${file}.new`, after).every(({ broken: rules, losses }) => rules.length + losses.length === 0),
    );
  });

  const conversions: readonly (readonly [type: string, value: Json])[] = [
    ['type: number', 42],
    ['type: string, format: int64', '42'],
    ['type: string', '42'],
  ];
  for (const [type, value] of conversions) {
    it(`[OPS-4d] convert an integer without a loss to { ${type} }`, async (context) => {
      const file = path.join(temporaryDirectory(context), 'sample.db');
      const declare = (size: string): Model => narrowed(`status: { type: integer }, size: { ${size} }`);
      const store = await openSample({ path: file }, declare('type: integer'));
      await commit(
        store,
        create('items', '1', { status: 1, size: 42 }),
        create('items', '2', { status: 1, size: null }),
      );
      await store.close();
      const converted = await openSample({ path: file }, declare(type));
      context.after(() => converted.close());
      assert.equal((await readRow(converted, 'items', '1'))['size'], value);
      assert.equal((await readRow(converted, 'items', '2'))['size'], null);
    });
  }
});
