import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Json } from '../../../src/conventions/json/json.ts';
import { writeValidModel } from '../../../src/infer/valid-model.ts';
import { introspectDatabase } from '../../../src/introspect/introspect-database.ts';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import type { Model, Resource } from '../../../src/model/model.ts';
import { openPostgresCatalogue } from '../../../src/stores/postgres/catalogue/postgres-catalogue.ts';
import { quoteName } from '../../../src/stores/sql/standard-dialect.ts';
import { type ApiUnderTest, apiUnderTest } from '../../pipeline/support/api-under-test.ts';
import { type PostgresSource, postgresSource } from '../../stores/existing/postgres-source.ts';
import { RENTALS, RENTALS_VIEWS, TRADE, TRADE_VIEWS } from '../../stores/postgres/catalogue/hard-schemas.ts';
import { SHOP } from '../../stores/postgres/catalogue/shop-sql.ts';
import { listIds, walkPages } from './pages.ts';

interface HardSchema {
  readonly title: string;
  readonly sql: string;
  readonly schemas: readonly string[];
  /** The resources of tables and views without a key. */
  readonly views: string;
}

const SCHEMAS: readonly HardSchema[] = [
  { title: 'films for rent', sql: RENTALS, schemas: ['public'], views: RENTALS_VIEWS },
  { title: 'a trade in food', sql: TRADE, schemas: ['Food Trade'], views: TRADE_VIEWS },
  { title: 'every table, key and type', sql: SHOP, schemas: ['public', 'sales', 'Old Sales', 'a.b'], views: '' },
];

/** Drafts the model over a database, as `init` does. */
async function draftModel(url: string, { schemas, views }: HardSchema): Promise<string> {
  const catalogue = await openPostgresCatalogue({ url });
  try {
    const selection = { schema: schemas, tables: [], exclude: [] };
    const draft = await introspectDatabase(catalogue, { name: 'hard', title: 'hard' }, selection);
    return `${writeValidModel(draft, 'schema', 'hard.yaml').text.trimEnd()}\n${views}`;
  } finally {
    await catalogue.close();
  }
}

/** The name of the table of a resource in SQL. */
function tableName({ table }: Resource, schemas: readonly string[]): string {
  const name = table?.table ?? '';
  const schema = schemas.find((each) => name.startsWith(`${each}.`)) ?? assert.fail(name);
  return `${quoteName(schema)}.${quoteName(name.slice(schema.length + 1))}`;
}

/** The value at a path of a representation. */
function valueAt(row: Json, path: string): Json {
  return path.split('.').reduce((value: ReturnType<typeof JSON.parse>, name) => value?.[name] ?? null, row);
}

for (const schema of SCHEMAS)
  describe(`the model that init drafts over a schema with ${schema.title}`, () => {
    let source: PostgresSource;
    let api: ApiUnderTest;
    let resources: readonly Resource[];
    before(async () => {
      source = await postgresSource(`${schema.sql}; set search_path = public;`);
      const text = await draftModel(source.url, schema);
      const { model }: { readonly model: Model } = loadModel({ text });
      resources = [...model.resources.values()];
      api = await apiUnderTest(text, { readOnly: true, database: source.url });
    });
    after(async () => {
      await api.close();
      await source.close();
    });

    it('[PAGE-5] shows every row of every table once, in every order', async () => {
      const wrong: string[] = [];
      for (const resource of resources) {
        const [count] = await source.list(`select count(*)::int from ${tableName(resource, schema.schemas)}`);
        const sorts = [...resource.properties.values()].filter(({ sortable }) => sortable).map(({ path }) => path);
        for (const sort of sorts.flatMap((path) => [path, `-${path}`])) {
          const target = `${resource.collection}?limit=60&sort=${sort}`;
          const ids = await walkPages(api, target, 'next').catch(String);
          if (ids.length !== count) wrong.push(`${target}: ${typeof ids === 'string' ? ids : ids.length}`);
        }
      }
      assert.deepEqual(wrong, []);
    });

    it('[CACHE-2] shows rows by their links, also those that they refer to, and 304 by their ETags', async () => {
      const wrong: string[] = [];
      for (const { collection } of resources) {
        const first = await api.send({ send: `GET /api/v1/${collection}?limit=4` });
        const targets = first.body.data.flatMap(({ links }: { links: Record<string, string> }) => Object.values(links));
        for (const target of new Set<string>(targets)) {
          const found = await api.send({ send: `GET ${target}` });
          const headers = { 'If-None-Match': found.headers.get('etag') ?? '' };
          const { status } = await api.send({ send: `GET ${target}`, headers });
          if (found.status !== 200 || status !== 304) wrong.push(`${target}: ${found.status}, ${status}`);
        }
      }
      assert.deepEqual(wrong, []);
    });

    it('[QRY-7] finds a row by each of its values', async () => {
      const wrong: string[] = [];
      for (const { collection, properties } of resources) {
        const { body } = await api.send({ send: `GET /api/v1/${collection}?limit=3` });
        const paths = [...properties.values()].filter(({ filterable }) => filterable).map(({ path }) => path);
        for (const row of body.data)
          for (const path of paths) {
            const value = valueAt(row, path);
            if (value === null || typeof value === 'object') continue;
            const target = `${collection}?limit=100&${path}=${encodeURIComponent(String(value))}`;
            const ids = await listIds(api, target).catch(String);
            if (!ids.includes(row.id)) wrong.push(`${target}: ${String(ids)}`);
          }
      }
      assert.deepEqual(wrong, []);
    });
  });
