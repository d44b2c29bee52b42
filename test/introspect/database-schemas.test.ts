import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { writeModel } from '../../src/infer/write-model.ts';
import type {
  CatalogueEntry,
  DatabaseCatalogue,
  DescribedColumn,
  DescribedTable,
} from '../../src/introspect/database.ts';
import { introspectDatabase } from '../../src/introspect/introspect-database.ts';
import type { TableSelection } from '../../src/introspect/select-tables.ts';
import { readField, resourceLines } from './table-drafts.ts';

/** A table with an integer key `id`, and what differs from it. */
interface KnownTable extends Partial<CatalogueEntry & DescribedTable> {
  readonly name: string;
}

function column(name: string, differences: Partial<DescribedColumn> = {}): DescribedColumn {
  const type = { kind: 'text', note: null } as const;
  const plain = { notNull: false, isComputed: false, hasDefault: false, choices: null, comment: null };
  return { name, type, default: null, ...plain, ...differences };
}

const ID = column('id', { type: { kind: 'integer', note: null }, notNull: true });

/** A catalogue of these tables, whose default schema is public. */
function fakeCatalogue(tables: readonly KnownTable[]): DatabaseCatalogue {
  const all = tables.map((table) => ({
    schema: table.name.split('.')[0] ?? '',
    kind: 'table' as const,
    closed: null,
    columns: [ID],
    primaryKey: ['id'],
    hasNullKeys: false,
    uniqueKeys: [],
    indexes: [],
    rowCount: null,
    foreignKeys: [],
    isWritable: true,
    rowNumber: null,
    hasDigests: false,
    comment: null,
    view: null,
    ...table,
  }));
  return {
    defaultSchema: 'public',
    list: async () => all,
    describe: async (names) => names.flatMap((name) => all.filter((table) => table.name === name)),
    writeIndex: () => '',
    close: async () => undefined,
  };
}

async function draftModel(tables: readonly KnownTable[], selection: Partial<TableSelection> = {}): Promise<string> {
  const source = { name: 'shop', title: 'shop' };
  const all = { schema: [], tables: [], exclude: [], ...selection };
  return writeModel(await introspectDatabase(fakeCatalogue(tables), source, all), 'schema');
}

/** The names of the resources of a model, and their tables. */
const listResources = (model: string): readonly string[] =>
  [...model.matchAll(/^ {2}(\w+):\n(?: {4}#.*\n)* {4}table: (.*)$/gm)].map(([, name, table]) => `${name}: ${table}`);

const tables: readonly KnownTable[] = ['public.film', 'public.order', 'sales.order', 'stock.item'].map((name) => ({
  name,
}));

describe('the model over a database with schemas', () => {
  it('has the tables of the default schema, and a comment with the others', async () => {
    const model = await draftModel(tables);
    assert.deepEqual(listResources(model), ['films: public.film', 'orders: public.order']);
    assert.match(model, /^# Left out: the schemas sales, stock: name them with --schema\.$/m);
  });

  it('has the tables of the named schemas, and one of the same name gets that of its schema', async () => {
    const model = await draftModel(tables, { schema: ['public', 's*'] });
    assert.deepEqual(listResources(model), [
      'films: public.film',
      'orders: public.order',
      'sales_orders: sales.order',
      'items: stock.item',
    ]);
    assert.equal(resourceLines(model, 'sales_orders')[0], '# the name orders is reserved or in use');
    assert.doesNotMatch(model, /Left out/);
  });

  it('has the schemas of the system only where they are named', async () => {
    const all = [...tables, { name: 'pg_catalog.pg_class', closed: 'system' } as const];
    assert.doesNotMatch(await draftModel(all, { schema: ['*'] }), /pg_class/);
    assert.match(
      await draftModel(all, { schema: ['*', 'pg_catalog'] }),
      /^# Left out: pg_catalog\.pg_class: the database uses it itself\.$/m,
    );
  });

  it('has the tables of a pattern with the schema or without it', async () => {
    const schema = ['*'];
    assert.deepEqual(listResources(await draftModel(tables, { schema, tables: ['order'] })), [
      'orders: public.order',
      'sales_orders: sales.order',
    ]);
    assert.deepEqual(listResources(await draftModel(tables, { schema, tables: ['sales.*'] })), ['orders: sales.order']);
    assert.deepEqual(listResources(await draftModel(tables, { schema, exclude: ['public.*', 'order'] })), [
      'items: stock.item',
    ]);
  });

  it('refuses a schema or a table that does not exist, with the nearest name', async () => {
    await assert.rejects(
      draftModel(tables, { schema: ['slaes'] }),
      /^UnknownTable: there is no schema 'slaes'; did you mean 'sales'\?$/,
    );
    await assert.rejects(draftModel(tables, { schema: ['x*'] }), /^UnknownTable: no schema matches 'x\*'\.$/);
    await assert.rejects(
      draftModel(tables, { tables: ['flim'] }),
      /^UnknownTable: there is no table 'flim'; did you mean 'film'\?$/,
    );
  });

  it('is an error with the other schemas where the default one has no table', async () => {
    await assert.rejects(
      draftModel(tables.slice(2)),
      /^DataError: it has no table; name other schemas with --schema: sales, stock$/,
    );
  });

  it('leaves out a table whose schema has a dot in its name: `table` would name another one', async () => {
    const model = await draftModel([{ name: 'public.film' }, { name: 'a.b.c', schema: 'a.b' }], { schema: ['*'] });
    assert.match(model, /^# Left out: a\.b\.c: a model cannot contain this name\.$/m);
  });

  it('distinguishes tables and columns by case', async () => {
    const references = { foreignKeys: [{ columns: ['Film'], table: 'public.Film', keys: ['id'] }] };
    const film = { kind: 'integer', note: null } as const;
    const model = await draftModel([
      { name: 'public.Film' },
      { name: 'public.film' },
      {
        name: 'public.copy',
        columns: [ID, column('film', { type: film }), column('Film', { type: film })],
        ...references,
      },
    ]);
    const [upper = ''] = listResources(model).filter((each) => each.endsWith('public.Film'));
    assert.equal(readField(model, 'copies', 'film'), '{ type: integer }');
    assert.ok(readField(model, 'copies', 'film_id')?.includes(`resource: ${upper.split(':')[0] ?? ''},`), model);
  });
});

describe('a table that may not be read', () => {
  const denied = { closed: 'denied', grant: 'grant select on public.film to app' } as const;

  it('is left out with the statement that permits it', async () => {
    const model = await draftModel([{ name: 'public.actor' }, { name: 'public.film', ...denied }]);
    assert.match(model, /^# Left out: public\.film: may not be read: grant select on public\.film to app;$/m);
    assert.deepEqual(listResources(model), ['actors: public.actor']);
  });

  it('is counted where there are more than ten', async () => {
    const many = Array.from({ length: 13 }, (_, index) => ({ name: `public.t${10 + index}`, ...denied }));
    const model = await draftModel([{ name: 'public.actor' }, ...many]);
    assert.equal(model.match(/may not be read: grant/g)?.length, 10);
    assert.match(model, /^# Left out: public\.t20, public\.t21, public\.t22: may not be read either\.$/m);
  });

  it('is an error with the statement where no other one is there', async () => {
    await assert.rejects(
      draftModel([{ name: 'public.film', ...denied }]),
      /^DataError: none of its tables may be read; the owner permits it: grant select on public\.film to app$/,
    );
  });
});

describe('a table with many rows', () => {
  const draft = (rowCount: number | null): Promise<string> =>
    draftModel([
      {
        name: 'public.film',
        rowCount,
        indexes: [['id'], ['title', 'id']],
        columns: [ID, column('title'), column('note')],
      },
    ]);

  it('has a comment with the fields that no index sorts', async () => {
    assert.equal(
      resourceLines(await draft(1_234_567), 'films')[0],
      '# no index: note; a sort or a filter by them reads all of about 1,234,567 rows',
    );
  });

  it('has none below 100,000 rows, or where their number is not known', async () => {
    for (const count of [99_999, null])
      assert.equal(resourceLines(await draft(count), 'films')[0], 'table: public.film');
  });
});

describe('the fields of a described table', () => {
  it('have the comments of the database as descriptions, unless a model cannot contain them', async () => {
    const model = await draftModel([
      {
        name: 'public.film',
        comment: ' What is\nshown ',
        columns: [ID, column('title', { comment: 'Its name' }), column('cost', { comment: '${COST}' })],
      },
    ]);
    assert.deepEqual(resourceLines(model, 'films').slice(2), [
      'schema:',
      'type: object',
      String.raw`description: "What is\nshown"`,
      'properties:',
      'title: { type: string, description: Its name }',
      'cost: { type: string }',
    ]);
  });

  it('have a reference with its description', async () => {
    const model = await draftModel([
      { name: 'public.film' },
      {
        name: 'public.copy',
        columns: [ID, column('film_id', { comment: 'Its film' })],
        foreignKeys: [{ columns: ['film_id'], table: 'public.film', keys: ['id'] }],
      },
    ]);
    assert.equal(
      readField(model, 'copies', 'film_id'),
      '{ type: string, x-references: { resource: films, inverse: copies }, description: Its film }',
    );
  });

  const types: readonly [title: string, differences: Partial<DescribedColumn>, expected: string][] = [
    [
      'a decimal',
      { type: { kind: 'decimal', note: null, limits: { 'x-precision': 5, 'x-scale': 2 } }, default: '0.50' },
      '{ type: string, format: decimal, x-precision: 5, x-scale: 2, default: "0.50" }',
    ],
    ['a date', { type: { kind: 'date', note: 'of the past' } }, '{ type: string, format: date } # of the past'],
    ['a duration', { type: { kind: 'duration', note: null } }, '{ type: string, format: duration }'],
    [
      'a map',
      { type: { kind: 'map', note: null } },
      '{ type: object, additionalProperties: { type: [string, "null"] } }',
    ],
    [
      'an array with choices',
      {
        type: { kind: 'array', note: null, items: { kind: 'text', note: null, limits: { maxLength: 3 } } },
        choices: ['a', 'b'],
      },
      '{ type: array, items: { type: string, maxLength: 3, enum: [a, b] } }',
    ],
  ];
  for (const [title, differences, expected] of types) {
    it(`have the schema of ${title}`, async () => {
      const model = await draftModel([{ name: 'public.film', columns: [ID, column('it', differences)] }]);
      assert.equal(readField(model, 'films', 'it'), expected);
    });
  }
});
