import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient, isRequestError } from '../../src/client/client.ts';
import type {
  Client,
  CollectionClient,
  CreatedItem,
  ClientQuery,
  ReadItem,
  RequestError,
  ResourceEvent,
} from '../../src/client/client.ts';
import type { ApiOf } from '../../src/client/model-types.ts';
import { defineModel, resource } from '../../src/model/typescript/define-model.ts';
import type { model } from '../client/shop.ts';

/** Fails to compile unless both types are the same. */
function same<A, B>(
  ..._proof: [A] extends [B] ? ([B] extends [A] ? [] : ['differs', A, B]) : ['differs', A, B]
): void {}

type Shop = ApiOf<typeof model>;

/** The query of a list of products. */
type Products = ClientQuery<Shop, 'products', never, never>;
type FilterOf<K extends string> = K extends keyof NonNullable<Products['filter']>
  ? NonNullable<Products['filter']>[K]
  : never;

/** True if a value is a filter of a path. */
type Takes<K extends string, V> = V extends FilterOf<K> ? true : false;

describe('the types of a client of a TypeScript model', () => {
  it('know what reads return', () => {
    type Product = ReadItem<Shop, 'products'>;
    same<Product['id'], string>();
    same<Product['created_at'], string>();
    same<Product['name'], string>();
    same<Product['stock'], number | null>();
    same<Product['tags'], readonly string[]>();
    same<NonNullable<Product['size']>['depth'], number | null>();
    same<Product['currency'], 'EUR' | 'USD'>();
    same<Product['total'], number | null>();
    same<Product['links']['self'], string>();
    // @ts-expect-error a write-only field is in no response
    same<Product['cost'], number | null>();
    same<ReadItem<Shop, 'notes'>['mark'], number | null>();
    same<CreatedItem<Shop, 'keys'>['secret'], string>();
    // @ts-expect-error it is shown once
    same<ReadItem<Shop, 'keys'>['secret'], string>();
    assert.ok(true, 'it compiles');
  });

  it('know the events of the feed, by resource', () => {
    type Followed<T> = T extends AsyncIterable<infer E> ? E : never;
    const follow = (api: Client<Shop>) => api.$events({ resources: ['products'], after: '3' });
    type OfProduct = Followed<ReturnType<typeof follow>>;
    same<OfProduct, ResourceEvent<Shop, 'products'>>();
    same<OfProduct['metadata']['sequence'], string>();
    same<NonNullable<OfProduct['payload']['data']>['currency'], 'EUR' | 'USD' | undefined>();
    same<NonNullable<OfProduct['payload']['data']>['id'], string>();
    // @ts-expect-error a write-only field is in no event
    same<NonNullable<OfProduct['payload']['data']>['cost'], number | null | undefined>();
    const all = (api: Client<Shop>) => api.$events();
    same<Followed<ReturnType<typeof all>>, ResourceEvent<Shop>>();
    // @ts-expect-error there is no such resource
    const none = (api: Client<Shop>) => api.$events({ resources: ['nothing'] });
    assert.ok(
      [follow, all, none].every((each) => typeof each === 'function'),
      'it compiles',
    );
  });

  it('follow `fields`', () => {
    type Some = ReadItem<Shop, 'products', 'name' | 'size.depth'>;
    same<Some['name'], string>();
    same<Some['revision'], number>();
    same<Some['size'], { readonly depth: number | null } | null>();
    // @ts-expect-error it was not selected
    same<Some['price'], string>();
    assert.ok(true, 'it compiles');
  });

  it('follow `expand`, to three relations', () => {
    type One = ReadItem<Shop, 'products', never, 'supplier'>;
    same<One['name'], string>();
    same<NonNullable<One['supplier']>['country'], string | null>();
    same<null extends One['supplier'] ? true : false, true>();
    type Deep = ReadItem<Shop, 'suppliers', never, 'products.reviews' | 'products.likes.supplier'>;
    same<Deep['products']['data'][number]['reviews']['data'][number]['stars'], number>();
    type Liked = Deep['products']['data'][number]['likes']['data'][number];
    same<NonNullable<Liked['supplier']>['rating'], number | null>();
    // @ts-expect-error it was not expanded
    same<ReadItem<Shop, 'products'>['supplier'], null>();
    assert.ok(true, 'it compiles');
  });

  it('[REP-14] know any JSON as unknown, and its filters by path', () => {
    const lab = defineModel({
      name: 'lab',
      resources: {
        devices: resource({
          schema: {
            type: 'object',
            required: ['config'],
            properties: { config: { type: 'json' }, settings: { type: 'json' }, name: { type: 'string' } },
          },
        }),
      },
    });
    type Lab = ApiOf<typeof lab>;
    same<ReadItem<Lab, 'devices'>['config'], unknown>();
    same<ReadItem<Lab, 'devices'>['settings'], unknown>();
    const calls = (api: Client<Lab>): readonly (() => unknown)[] => [
      () => api.devices.create({ config: { mode: ['auto', 1, null] } }),
      () =>
        api.devices.list({ filter: { settings: 3, 'settings.theme': { starts_with: 'da' }, 'config.a.b': [1, 'x'] } }),
      // @ts-expect-error it has no order
      () => api.devices.list({ sort: 'settings' }),
      // @ts-expect-error a text has no members
      () => api.devices.list({ filter: { 'name.first': 'Ann' } }),
    ];
    assert.equal(typeof calls, 'function');
  });

  it('know that members of a table that exists may be null, and times missing', () => {
    const schema = {
      type: 'object',
      required: ['title', 'tags'],
      properties: {
        title: { type: 'string' },
        phase: { type: 'string', enum: ['NEW', 'DONE'] },
        tags: { type: 'array', items: { type: 'string' } },
      },
    } as const;
    const shop = defineModel({
      name: 'shop',
      resources: {
        films: resource({
          table: 'film',
          updated_at: 'last_update',
          schema,
          computed: { label: { schema: { type: 'string' }, from: ['title'], value: ({ title }) => title ?? '' } },
          before: {
            update: (draft, _context, current) => {
              same<typeof current.title, string | null>();
              same<typeof current.tags, readonly (string | null)[] | null>();
              same<typeof current.updated_at, string | null>();
              same<typeof draft.title, string | null>();
              // @ts-expect-error no column is named
              same<typeof current.created_at, string>();
              return draft;
            },
            create: (draft) => {
              same<typeof draft.title, string>();
            },
          },
        }),
        logs: resource({ table: 'log', read_only: true, schema }),
        notes: resource({ schema }),
      },
    });
    type Served = ApiOf<typeof shop>;
    type Film = ReadItem<Served, 'films'>;
    same<Film['id'], string>();
    same<Film['revision'], number>();
    same<Film['title'], string | null>();
    same<Film['phase'], 'NEW' | 'DONE' | null>();
    same<Film['tags'], readonly (string | null)[] | null>();
    same<Film['label'], string | null>();
    same<Film['updated_at'], string | null>();
    same<'created_at' extends keyof Film ? true : false, false>();
    same<'updated_at' extends keyof ReadItem<Served, 'logs'> ? true : false, false>();
    same<ReadItem<Served, 'notes'>['created_at'], string>();
    same<ReadItem<Served, 'notes'>['title'], string>();
    const calls = (api: Client<Served>): readonly (() => unknown)[] => [
      () => api.films.create({ title: 'a', tags: [] }),
      () => api.films.create({ id: '7', title: 'a', tags: ['b'] }),
      () => api.films.list({ sort: ['-updated_at'], filter: { updated_at: { gt: '2024-01-01T00:00:00Z' } } }),
      // @ts-expect-error a write must have what the schema requires
      () => api.films.create({ title: null, tags: [] }),
      // @ts-expect-error no column is named
      () => api.films.list({ sort: ['created_at'] }),
      // @ts-expect-error no column is named
      () => api.logs.list({ filter: { updated_at: { gt: '2024-01-01T00:00:00Z' } } }),
    ];
    assert.equal(typeof calls, 'function');
  });

  it('name children as their parent declares', () => {
    const named = defineModel({
      name: 'shop',
      resources: {
        products: resource({ schema: { type: 'object', properties: { reviews: { type: 'integer' } } } }),
        reviews: resource({
          parent: { resource: 'products', as: 'subject', inverse: 'opinions' },
          schema: { type: 'object', required: ['stars'], properties: { stars: { type: 'integer' } } },
          indexes: ['product_id'],
        }),
      },
    });
    type Named = ApiOf<typeof named>;
    same<Named['resources']['reviews']['parent'], 'products'>();
    same<Named['resources']['products']['relations'], { opinions: { readonly to: 'reviews'; readonly many: true } }>();
    same<ReadItem<Named, 'products', never, 'opinions'>['opinions']['data'][number]['stars'], number>();
    assert.deepEqual(Object.keys(named.definition.resources), ['products', 'reviews']);
  });

  it('offer no body for a resource that clients only read', () => {
    const schema = { type: 'object', required: ['level'], properties: { level: { type: 'integer' } } } as const;
    const measured = defineModel({
      name: 'meters',
      resources: { levels: resource({ read_only: true, schema }), notes: resource({ read_only: false, schema }) },
    });
    type Measured = ApiOf<typeof measured>;
    same<Measured['resources']['levels']['body'], never>();
    same<Measured['resources']['levels']['item']['level'], number>();
    same<Measured['resources']['notes']['body']['level'], number>();
    const calls = (api: Client<Measured>): readonly (() => unknown)[] => [
      () => api.notes.create({ level: 1 }),
      // @ts-expect-error clients only read it
      () => api.levels.create({ level: 1 }),
      // @ts-expect-error clients only read it
      () => api.levels.update('7', { level: 1 }),
      // @ts-expect-error clients only read it
      () => api.levels.replace('7', { level: 1 }),
    ];
    assert.equal(typeof calls, 'function');
  });

  it('[QRY-1] know the operators of a text', () => {
    same<Takes<'name', 'tea'>, true>();
    same<Takes<'name', readonly ['tea', 'milk']>, true>();
    for (const operator of ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'contains', 'starts_with'] as const)
      same<Takes<'name', { [K in typeof operator]: string }>, true>();
    same<Takes<'name', { in: string[]; nin: string[]; exists: boolean }>, true>();
    same<Takes<'name', { eq: number }>, false>();
    same<Takes<'name', { in: string }>, false>();
    same<Takes<'name', { exists: string }>, false>();
    same<Takes<'name', null>, false>();
    assert.ok(true, 'it compiles');
  });

  it('[QRY-1] know the operators of an enum', () => {
    same<Takes<'currency', 'EUR'>, true>();
    same<Takes<'currency', 'NOK'>, false>();
    same<Takes<'currency', { in: readonly ('EUR' | 'USD')[] }>, true>();
    same<Takes<'currency', { ne: 'NOK' }>, false>();
    same<Takes<'currency', { starts_with: 'E' }>, true>();
    assert.ok(true, 'it compiles');
  });

  it('[QRY-1] know the operators of a number and a boolean', () => {
    for (const operator of ['eq', 'ne', 'gt', 'gte', 'lt', 'lte'] as const) {
      same<Takes<'stock', { [K in typeof operator]: number }>, true>();
      same<Takes<'stock', { [K in typeof operator]: string }>, false>();
      same<Takes<'listed', { [K in typeof operator]: boolean }>, true>();
    }
    same<Takes<'stock', 3>, true>();
    same<Takes<'stock', '3'>, false>();
    same<Takes<'stock', { in: number[]; nin: number[]; exists: boolean }>, true>();
    same<Takes<'listed', true>, true>();
    same<Takes<'listed', 'true'>, false>();
    // @ts-expect-error numbers have no parts
    const parts: FilterOf<'stock'> = { contains: 1 };
    // @ts-expect-error booleans have no parts
    const starts: FilterOf<'listed'> = { starts_with: 'x' };
    assert.ok(parts !== starts);
  });

  it('[QRY-1] know the operators of a decimal and a date-time, which are compared by value', () => {
    same<Takes<'price', '3.50'>, true>();
    same<Takes<'price', { gte: string; lt: string; in: string[]; exists: boolean }>, true>();
    same<Takes<'since', { gt: string }>, true>();
    same<Takes<'created_at', { gt: string }>, true>();
    // @ts-expect-error a decimal has no parts
    const price: FilterOf<'price'> = { contains: '3' };
    // @ts-expect-error a date-time has no parts
    const since: FilterOf<'since'> = { starts_with: '2026' };
    assert.ok(price !== since);
  });

  it('[QRY-1] know the operators of an array', () => {
    same<Takes<'tags', { contains: string; exists: boolean }>, true>();
    same<Takes<'tags', { contains: number }>, false>();
    same<Takes<'tags', 'new'>, false>();
    // @ts-expect-error an array is not compared
    const tags: FilterOf<'tags'> = { eq: 'new' };
    assert.ok(tags);
  });

  it('[QRY-1] know which paths filters, sorts, `fields` and `expand` name', () => {
    same<Takes<'size.depth', { lt: number }>, true>();
    same<Takes<'supplier.country', 'NO'>, true>();
    same<Takes<'reviews.stars', { gte: number }>, true>();
    same<Takes<'likes.name', { contains: string }>, true>();
    const query: Products = {
      sort: ['-price', 'size.depth', 'created_at'],
      any: [{ name: 'a' }, { stock: { lt: 3 } }],
    };
    const wrong: Products[] = [
      // @ts-expect-error no such field
      { filter: { colour: 'red' } },
      // @ts-expect-error write-only
      { filter: { cost: 3 } },
      // @ts-expect-error binary
      { filter: { photo: 'x' } },
      // @ts-expect-error no such field of the supplier
      { filter: { 'supplier.colour': 'red' } },
      // @ts-expect-error an array has no order
      { sort: ['tags'] },
      // @ts-expect-error no such field
      { sort: ['-colour'] },
    ];
    assert.ok(query && wrong);
  });

  it('know the arguments of calls', () => {
    const calls = (api: Client<Shop>): readonly (() => unknown)[] => [
      () => api.products.get('7', { fields: ['name', 'size.unit'], expand: ['supplier', 'reviews', 'likes.supplier'] }),
      // @ts-expect-error no such field
      () => api.products.get('7', { fields: ['colour'] }),
      // @ts-expect-error no such relation
      () => api.products.get('7', { expand: ['maker'] }),
      // @ts-expect-error no such relation of a relation
      () => api.products.get('7', { expand: ['supplier.maker'] }),
      () => api.products.create({ sku: 'a', name: 'b', price: '1', stock: null, cost: 3, size: { unit: 'm' } }),
      // @ts-expect-error the price is missing
      () => api.products.create({ sku: 'a', name: 'b' }),
      // @ts-expect-error a price is text
      () => api.products.create({ sku: 'a', name: 'b', price: 1 }),
      // @ts-expect-error the server makes the code
      () => api.products.create({ sku: 'a', name: 'b', price: '1', code: 'x' }),
      // @ts-expect-error a required field cannot be unset
      () => api.products.update('7', { name: null }),
      // @ts-expect-error an immutable field
      () => api.products.update('7', { sku: 'x' }),
      () => api.products.update('7', { stock: null, size: { depth: 3 } }),
      () => api.products({ id: '7' }).reviews.create({ id: 'r', stars: 4 }),
      // @ts-expect-error clients choose the ids of reviews
      () => api.products('7').reviews.create({ stars: 4 }),
      // @ts-expect-error reviews are below products
      () => api.reviews,
      // @ts-expect-error no such collection
      () => api.colours,
      () => api.notes.create({ text: 'a', mark: null, at: { x: 1 } }),
      // @ts-expect-error text is required
      () => api.notes.create({ mark: 1 }),
      () => api.notes.list({ filter: { text: { contains: 'a' }, 'at.x': { gt: 1 } }, sort: ['-mark'] }),
      // @ts-expect-error a number has no parts
      () => api.notes.list({ filter: { mark: { contains: 'a' } } }),
    ];
    const replaced = async (products: CollectionClient<Shop, 'products'>): Promise<void> => {
      const product = await products.get('7');
      await products.replace(product, { ...product, name: 'new' });
    };
    assert.deepEqual([typeof calls, typeof replaced], ['function', 'function']);
  });

  it('know what a batch returns', () => {
    const made = async (api: Client<Shop>): Promise<void> => {
      const [product, none, review] = await api.$batch((to) => [
        to.products.create({ sku: 'a', name: 'b', price: '1' }),
        to.products.delete('7'),
        to.products('8').reviews.update('r', { stars: 3 }),
      ]);
      same<typeof product.name, string>();
      same<typeof none, undefined>();
      same<typeof review.stars, number>();
      const [settled] = await api.$batch((to) => [to.suppliers.create({ name: 'x' })], { atomic: false });
      if (settled.status === 'fulfilled') same<typeof settled.value.name, string>();
      else same<typeof settled.reason, RequestError>();
    };
    assert.equal(typeof made, 'function');
  });

  it('discriminate errors by kind', () => {
    const readStatus = (error: unknown): number => {
      if (!isRequestError(error)) return 0;
      if (error.kind === 'PRECONDITION_FAILED') {
        same<typeof error.status, 412>();
        same<typeof error.code, `${string}_PRECONDITION_FAILED`>();
        return error.status;
      }
      if (error.kind === 'RATE_LIMIT_EXCEEDED') {
        same<typeof error.code, 'RATE_LIMIT_EXCEEDED'>();
        return error.retryAfter ?? 0;
      }
      if (error.kind === 'CLIENT_CONNECTION_FAILED') same<typeof error.status, number>();
      // @ts-expect-error no such kind
      if (error.kind === 'NOT_FUOND') return 0;
      // @ts-expect-error no code of this kind ends so
      return error.kind === 'NOT_FOUND' && error.code === 'PRODUCT_NOTFOUND' ? 1 : 2;
    };
    assert.equal(readStatus(new Error('other')), 0);
  });

  it('know the version', () => {
    type Versioned = Omit<Shop, 'version'> & { readonly version: 1 };
    const made = [
      () => createClient<typeof model>({ url: '/api' }),
      () => createClient<typeof model>({ url: '/api', version: 2 }),
      () => createClient<Versioned>({ url: '/api', version: 1 }),
      // @ts-expect-error requests without a version get another
      () => createClient<Versioned>({ url: '/api' }),
      // @ts-expect-error the types are of version 1
      () => createClient<Versioned>({ url: '/api', version: 2 }),
    ];
    assert.equal(made.length, 5);
  });
});
