import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { defineModel, resource } from '../../../../src/index.ts';
import { loadModel } from '../../../../src/model/compile/load-model.ts';
import type { DefinedModel } from '../../../../src/model/typescript/define-model.ts';
import type { Observe } from '../../../../src/observe/observation.ts';
import { openPostgres } from '../../../../src/stores/postgres/postgres-store.ts';
import type { MigrationPhase } from '../../../../src/stores/sql/schema/current-models.ts';
import { IncompatibleModels, UnusableDatabase } from '../../../../src/stores/sql/schema/schema-errors.ts';
import { type ApiUnderTest, apiUnderTest } from '../../../pipeline/support/api-under-test.ts';
import { own } from '../../../pipeline/support/versioned-twins.ts';
import { newSchema } from '../open-postgres.ts';

const OLD = `{ name: store, version: 1.4.0, resources: { products: { id: client, search: [title], indexes: [status, title],
  schema: { type: object, required: [title, status], properties: {
    title: { type: string, x-unique: true }, status: { type: string, enum: [draft, live, sold], default: draft },
    city: { type: string }, full: { type: string }, code: { type: string, x-unique: true },
    place: { type: object, properties: { shelf: { type: integer } } } } } } } }`;

const NEW = `{ name: store, version: 2.0.0, default_version: 2, resources: { products: { id: client, search: [name], indexes: [status, name, place.city],
  schema: { type: object, required: [name, status], properties: {
    name: { type: string, x-unique: true }, currency: { type: string, default: EUR },
    status: { type: string, enum: [DRAFT, ACTIVE, SOLD], default: DRAFT },
    first: { type: string }, last: { type: string }, code: { type: integer, x-unique: true },
    place: { type: object, properties: { city: { type: string }, shelf: { type: integer } } } } } } },
  versions: { 1.4.0: { changes: [
    { resource: products, rename: { title: name } },
    { resource: products, without: [currency], fill: { currency: USD } },
    { resource: products, values: { status: { draft: DRAFT, live: ACTIVE, sold: SOLD } } },
    { resource: products, split: { full: { schema: { type: string }, into: [first, last], separator: " " } } },
    { resource: products, type: { code: { schema: { type: string } } } },
    { resource: products, move: { city: place.city } }] } } }`;

type Body = Readonly<Record<string, unknown>>;

async function migrate(
  url: string,
  declared: string | DefinedModel,
  phase: MigrationPhase,
  observe?: Observe,
): Promise<void> {
  const { model } = loadModel(typeof declared === 'string' ? { text: declared } : declared);
  await (await openPostgres({ url, model, phase, ...(observe === undefined ? {} : { observe }) })).close();
}

async function put(api: ApiUnderTest, path: string, body: Body): Promise<void> {
  const { status, text } = await api.send({ send: `PUT ${path}`, body });
  assert.ok(status < 300, `${path} ${text}`);
}

async function patch(api: ApiUnderTest, path: string, body: Body): Promise<void> {
  const headers = { 'Content-Type': 'application/merge-patch+json' };
  const { status, text } = await api.send({ send: `PATCH ${path}`, headers, body });
  assert.equal(status, 200, `${path} ${text}`);
}

/** The fields of rows, by id. */
async function read(api: ApiUnderTest, path: string): Promise<Record<string, Body>> {
  const { status, body, text } = await api.send({ send: `GET ${path}` });
  assert.equal(status, 200, text);
  return Object.fromEntries(body.data.map((row: { readonly id: string }) => [row.id, own({ ...row })]));
}

const OLDER = { title: 'Lamp', status: 'live', city: 'Oslo', full: 'Ada King', code: '7', place: { shelf: 1 } };
const NEWEST = {
  name: 'Lamp',
  currency: 'USD',
  status: 'ACTIVE',
  first: 'Ada',
  last: 'King',
  code: 7,
  place: { city: 'Oslo', shelf: 1 },
};

/** Runs statements on a database. */
async function run(url: string, ...statements: readonly string[]): Promise<pg.QueryResult['rows']> {
  const parsed = new URL(url);
  const schema = parsed.searchParams.get('schema') ?? 'public';
  parsed.searchParams.delete('schema');
  const client = new pg.Client({ connectionString: parsed.href, options: `-c search_path=${schema}` });
  await client.connect();
  try {
    let rows: pg.QueryResult['rows'] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
}

/** Converts a row of the older model to the newer one. */
function convert({ title, status, city, full, code }: typeof OLDER, currency: string): Body {
  const [first = null, ...rest] = full.split(' ');
  const states: Readonly<Record<string, string>> = { draft: 'DRAFT', live: 'ACTIVE', sold: 'SOLD' };
  return {
    name: title,
    currency,
    status: states[status],
    first,
    last: rest.join(' '),
    code: Number(code),
    place: { city, shelf: 1 },
  };
}

describe('instances of two models whose rows differ', () => {
  it('[VER-5d] [OPS-6] read, filter, sort and search what either of them has written', async () => {
    const database = newSchema();
    await using old = await apiUnderTest(OLD, { database });
    await put(old, '/api/v1/products/a', OLDER);
    await migrate(database, NEW, 'expand');
    await using young = await apiUnderTest(NEW, { database });
    assert.deepEqual(await read(young, '/api/v2/products'), { a: NEWEST });
    await put(old, '/api/v1/products/b', { ...OLDER, title: 'Desk', status: 'sold', city: 'Rome', code: '8' });
    const desk = { ...NEWEST, name: 'Desk', status: 'SOLD', code: 8, place: { city: 'Rome', shelf: 1 } };
    for (const query of [
      'status=SOLD',
      'place.city=Rome',
      'q=des',
      'code=8',
      'sort=-code&limit=1',
      'first=Ada&code[gt]=7',
    ])
      assert.deepEqual(await read(young, `/api/v2/products?${query}`), { b: desk }, query);
    await put(young, '/api/v2/products/c', { ...NEWEST, name: 'Chair', currency: 'NOK', code: 9 });
    await patch(young, '/api/v2/products/a', { last: 'Byron King', place: { city: null } });
    await patch(old, '/api/v1/products/c', { status: 'draft' });
    assert.deepEqual(await read(old, '/api/v1/products'), {
      a: { ...OLDER, full: 'Ada Byron King', city: null },
      b: { ...OLDER, title: 'Desk', status: 'sold', city: 'Rome', code: '8' },
      c: { ...OLDER, title: 'Chair', status: 'draft', code: '9' },
    });
    assert.deepEqual(await read(young, '/api/v1/products'), await read(old, '/api/v1/products'));
    const changed = { ...NEWEST, name: 'Chair', currency: 'NOK', status: 'DRAFT', code: 9 };
    assert.deepEqual((await read(young, '/api/v2/products?status=DRAFT'))['c'], changed);
  });

  it('[MET-10] [OPS-6] refuse a value that the other one has, where both have the unique key', async () => {
    const database = newSchema();
    await using old = await apiUnderTest(OLD, { database });
    await put(old, '/api/v1/products/a', OLDER);
    await migrate(database, NEW, 'expand');
    await using young = await apiUnderTest(NEW, { database });
    for (const [field, body] of [
      ['name', { ...NEWEST, code: 9 }],
      ['code', { ...NEWEST, name: 'Desk' }],
    ] as const) {
      const { status, text } = await young.send({ send: 'PUT /api/v2/products/b', body });
      assert.equal(status, 409, text);
      assert.match(text, new RegExp(`"${field}"`));
    }
    await put(young, '/api/v2/products/b', { ...NEWEST, name: 'Desk', code: 9 });
    const { status } = await old.send({
      send: 'PUT /api/v1/products/c',
      body: { ...OLDER, title: 'Chair', code: '9' },
    });
    assert.equal(status, 409);
  });

  it('[OPS-6] end with the newer one, which goes on, or with the older one, which has all rows', async () => {
    for (const remaining of ['newer', 'older'] as const) {
      const database = newSchema();
      const old = await apiUnderTest(OLD, { database });
      await put(old, '/api/v1/products/a', OLDER);
      await migrate(database, NEW, 'expand');
      const young = await apiUnderTest(NEW, { database });
      await put(young, '/api/v2/products/b', { ...NEWEST, name: 'Desk', code: 8 });
      await put(old, '/api/v1/products/c', { ...OLDER, title: 'Chair', code: '9' });
      const [stays, ends] = remaining === 'newer' ? [young, old] : [old, young];
      const [path, model] = remaining === 'newer' ? ['/api/v2/products', NEW] : ['/api/v1/products', OLD];
      await assert.rejects(migrate(database, model, 'contract'), UnusableDatabase);
      const before = await read(stays, path);
      assert.equal(Object.keys(before).length, 3);
      await ends.close();
      // The currencies that only the newer one knows are lost with it.
      const consent = remaining === 'newer' ? 'none' : 'losses';
      await (
        await openPostgres({ url: database, model: loadModel({ text: model }).model, phase: 'contract', consent })
      ).close();
      assert.deepEqual(await read(stays, path), before);
      await patch(stays, `${path}/a`, remaining === 'newer' ? { first: 'Joan' } : { full: 'Joan King' });
      await stays.close();
      await using again = await apiUnderTest(model, { database });
      const row = remaining === 'newer' ? { ...NEWEST, first: 'Joan' } : { ...OLDER, full: 'Joan King' };
      assert.deepEqual((await read(again, `${path}?status=${remaining === 'newer' ? 'ACTIVE' : 'live'}`))['a'], row);
      const left = await run(
        database,
        "select attname from pg_attribute join pg_class on pg_class.oid = attrelid where relnamespace = current_schema()::regnamespace and relkind = 'r' and (attname like 'new %' or attname like 'old %')",
      );
      assert.deepEqual(left, []);
    }
  });

  it('[VER-5d] keep every write while both write all the time, through the conversion and its end', async () => {
    const database = newSchema();
    const old = await apiUnderTest(OLD, { database });
    const ids = Array.from({ length: 40 }, (_, at) => `r${at}`);
    for (const [at, id] of ids.entries())
      await put(old, `/api/v1/products/${id}`, { ...OLDER, title: id, code: String(at) });
    const states = ['draft', 'live', 'sold'];
    let running = true;
    let writes = 0;
    const goesOn = (): boolean => running;
    const hasWritten = (before: number): boolean => writes > before;
    const wanted = new Map(ids.map((id, at) => [id, { ...OLDER, title: id, code: String(at) }]));
    const write = async (api: ApiUnderTest, path: string, mine: readonly string[], isNew: boolean): Promise<void> => {
      for (let at = 0; goesOn(); at += 1) {
        const id = mine[at % mine.length] ?? '';
        const status = states[at % 3] ?? '';
        const full = `Ada ${at}`;
        const newest = { status: status === 'live' ? 'ACTIVE' : status.toUpperCase(), last: String(at) };
        await patch(api, `${path}/${id}`, isNew ? newest : { status, full });
        wanted.set(id, { ...(wanted.get(id) ?? OLDER), status, full });
        writes += 1;
      }
    };
    const writing = [write(old, '/api/v1/products', ids.slice(0, 20), false)];
    await migrate(database, NEW, 'expand');
    const young = await apiUnderTest(NEW, { database });
    const other = await apiUnderTest(NEW, { database });
    writing.push(write(young, '/api/v2/products', ids.slice(20), true));
    for (let round = 0; round < 20; round += 1) {
      const before = writes;
      for (const row of Object.values(await read(other, '/api/v2/products?limit=100'))) {
        const [first, last] = [row['first'], String(row['last'])];
        const state = ['DRAFT', 'ACTIVE', 'SOLD'][Number(last) % 3];
        if (last !== 'King') assert.deepEqual([first, row['status']], ['Ada', state], JSON.stringify(row));
      }
      while (!hasWritten(before)) await new Promise(setImmediate);
    }
    running = false;
    await Promise.all(writing);
    const all = Object.fromEntries([...wanted].map(([id, row]) => [id, convert(row, 'USD')]));
    assert.deepEqual(await read(other, '/api/v2/products?limit=100'), all);
    assert.deepEqual(await read(old, '/api/v1/products?limit=100'), Object.fromEntries(wanted));
    await old.close();
    running = true;
    const last = write(young, '/api/v2/products', ids, true);
    await migrate(database, NEW, 'contract');
    running = false;
    await last;
    const rest = Object.fromEntries([...wanted].map(([id, row]) => [id, convert(row, 'USD')]));
    assert.deepEqual(await read(other, '/api/v2/products?limit=100'), rest);
    await young.close();
    await other.close();
  });

  it('[OPS-6] a conversion that was ended resumes after its last block', async () => {
    const database = newSchema();
    await using old = await apiUnderTest(OLD, { database });
    await put(old, '/api/v1/products/a', OLDER);
    await run(
      database,
      `insert into products (id, title, status, city, "full", code, created_at, updated_at, revision, "restwright_words.title")
       select 'r' || lpad(n::text, 6, '0'), 't' || n, 'live', 'Oslo', 'Ada ' || n, n::text, 0, 0, 1, '' from generate_series(10, 4509) as n`,
    );
    let blocks = 0;
    const end: Observe = ({ kind }) => {
      if (kind !== 'rows-converted') return;
      blocks += 1;
      if (blocks === 2) throw new Error('killed');
    };
    await assert.rejects(migrate(database, NEW, 'expand', end), /killed/);
    await patch(old, '/api/v1/products/a', { full: 'Ada Byron' });
    await patch(old, '/api/v1/products/r004509', { city: 'Rome' });
    const converted: number[] = [];
    await migrate(database, NEW, 'expand', (each) => {
      if (each.kind === 'rows-converted') converted.push(each.rows);
    });
    assert.equal(converted.at(-1), 4501 - 2000);
    await using young = await apiUnderTest(NEW, { database });
    assert.deepEqual((await read(young, '/api/v2/products?code=7'))['a'], { ...NEWEST, last: 'Byron' });
    assert.equal(Object.keys(await read(young, '/api/v2/products?place.city=Rome')).length, 1);
    const wrong = await run(
      database,
      `select count(*)::integer as number from products where "new status" <> 'ACTIVE' or "new code" <> code::bigint
        or first is null or "last" is null`.replace(/first|"last"/g, (name) => `"new ${name.replaceAll('"', '')}"`),
    );
    assert.deepEqual(wrong, [{ number: 0 }]);
  });

  it('[OPS-6] refuses what the instances of the older model could not serve, and names the fields', async () => {
    const database = newSchema();
    await using old = await apiUnderTest(OLD, { database });
    await put(old, '/api/v1/products/a', OLDER);
    await assert.rejects(
      migrate(database, NEW.replace('search: [name]', 'search: [name, place.city]'), 'expand'),
      (error: unknown) => error instanceof IncompatibleModels && /place\.city/.test(error.message),
    );
    const renamed = OLD.replace('1.4.0', '2.0.0, default_version: 2')
      .replace('products: {', 'articles: { singular: product,')
      .replace(
        / \}$/,
        ', versions: { 1.4.0: { changes: [{ resource: articles, collection: products, singular: product }] } } }',
      );
    await assert.rejects(
      migrate(database, renamed, 'expand'),
      (error: unknown) =>
        error instanceof IncompatibleModels && /articles is renamed from products/.test(error.message),
    );
    assert.deepEqual(await read(old, '/api/v1/products'), { a: OLDER });
  });
});

/** @param split whether the newest model has two names */
function people(split: boolean): DefinedModel {
  const name = { type: 'string' } as const;
  if (!split)
    return defineModel({
      name: 'staff',
      version: '1.4.0',
      resources: { people: resource({ id: 'client', schema: { type: 'object', properties: { name } } }) },
    });
  const into = ['first', 'last'] as const;
  return defineModel({
    name: 'staff',
    version: '2.0.0',
    default_version: 2,
    resources: {
      people: resource({ id: 'client', schema: { type: 'object', properties: { first: name, last: name } } }),
    },
    versions: {
      '1.4.0': {
        changes: [
          {
            resource: 'people',
            split: {
              name: {
                schema: name,
                into: [...into],
                up(value: unknown) {
                  const [first = '', last = ''] = String(value).split(' ');
                  if (last === '') throw new Error('no last name');
                  return { first, last };
                },
                down: (value: Readonly<Record<string, string>>) => `${value['first']} ${value['last']}`,
              },
            },
          },
        ],
      },
    },
  });
}

it('[VER-5d] a row that a function cannot convert is named in the log, and does not block the others', async () => {
  const database = newSchema();
  await using old = await apiUnderTest(people(false), { database });
  await put(old, '/api/v1/people/a', { name: 'Ada King' });
  await migrate(database, people(true), 'expand');
  await using young = await apiUnderTest(people(true), { database });
  await put(old, '/api/v1/people/b', { name: 'Plato' });
  await put(old, '/api/v1/people/c', { name: 'Joan Arc' });
  assert.deepEqual(await read(young, '/api/v2/people'), {
    a: { first: 'Ada', last: 'King' },
    b: { first: null, last: null },
    c: { first: 'Joan', last: 'Arc' },
  });
  const failed = young.observations.filter(({ kind }) => kind === 'conversion-failed');
  assert.deepEqual(failed, [{ kind: 'conversion-failed', table: 'people', id: 'b', message: 'no last name' }]);
});
