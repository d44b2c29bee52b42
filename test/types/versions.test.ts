import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient } from '../../src/client/client.ts';
import type { Client } from '../../src/client/client.ts';
import type { ApiOf } from '../../src/client/model-types.ts';
import type { Api as Oldest } from '../client/declarations/versioned-1-0.ts';
import type { model } from '../client/versioned.ts';

/** Fails to compile unless both types are the same. */
function same<A, B>(
  ..._proof: [A] extends [B] ? ([B] extends [A] ? [] : ['differs', A, B]) : ['differs', A, B]
): void {}

type Model = typeof model;
type Resources<V = undefined> = ApiOf<Model, V>['resources'];

describe('[VER-5a] the types of an older contract of a TypeScript model', () => {
  it('are those that restwright client writes for the oldest, which has the changes of all', () => {
    same<keyof Resources<'1.0'>, keyof Oldest['resources']>();
    same<ApiOf<Model, '1.0'>['version'], Oldest['version']>();
    same<Resources<'1.0'>['goods']['item'], Oldest['resources']['goods']['item']>();
    same<Resources<'1.0'>['goods']['body'], Oldest['resources']['goods']['body']>();
    same<Resources<'1.0'>['goods']['filters'], Oldest['resources']['goods']['filters']>();
    same<Resources<'1.0'>['goods']['sort'], Oldest['resources']['goods']['sort']>();
    same<Resources<'1.0'>['goods']['relations'], Oldest['resources']['goods']['relations']>();
    same<Resources<'1.0'>['makers']['item'], Oldest['resources']['makers']['item']>();
    same<Resources<'1.0'>['makers']['body'], Oldest['resources']['makers']['body']>();
    same<Resources<'1.0'>['makers']['filters'], Oldest['resources']['makers']['filters']>();
    same<Resources<'1.0'>['stock_changes']['body'], Oldest['resources']['stock_changes']['body']>();
    same<Resources<'1.0'>['stock_changes']['parent'], 'goods'>();
    same<Resources<'1.0'>['stock_changes']['error_prefix'], 'STOCK_CHANGE'>();
    assert.ok(true, 'it compiles');
  });

  it('differ between two versions by the changes of the older one', () => {
    type Item<V, R extends keyof Resources<V>> = Resources<V>[R] extends { readonly item: infer I } ? I : never;
    same<ApiOf<Model>['version'], 2>();
    same<keyof Resources, 'products' | 'makers' | 'labels' | 'stock_moves'>();
    same<ApiOf<Model, '2.9'>['version'], '2.9'>();
    same<keyof Resources<'2.9'>, 'products' | 'makers' | 'stock_changes'>();
    same<Item<'2.9', 'products'>, Omit<Item<undefined, 'products'>, 'label_id' | 'size'>>();
    same<Item<'2.9', 'makers'>, Item<undefined, 'makers'>>();
    same<Item<'2.9', 'stock_changes'>, Item<undefined, 'stock_moves'>>();
    same<ApiOf<Model, 1>['version'], 1 | undefined>();
    same<keyof Resources<1>, 'goods' | 'makers' | 'stock_changes'>();
    same<Omit<Item<1, 'goods'>, 'name' | 'colour'>, Omit<Item<'1.0', 'goods'>, 'label'>>();
    same<Item<1, 'goods'>['name'], Item<'1.0', 'goods'>['label']>();
    same<Item<1, 'goods'>['colour'], string | null>();
    assert.ok(true, 'it compiles');
  });

  it('make the version an argument where requests without one get another', () => {
    const made = [
      () => createClient<Model>({ url: '/api', version: 2 }),
      () => createClient<Model, 1>({ url: '/api' }),
      () => createClient<Model, 1>({ url: '/api', version: 1 }),
      () => createClient<Model, '2.9'>({ url: '/api', version: '2.9' }),
      // @ts-expect-error requests without a version get version 1
      () => createClient<Model>({ url: '/api' }),
      // @ts-expect-error the types are of version 1
      () => createClient<Model, 1>({ url: '/api', version: 2 }),
      // @ts-expect-error it is retired
      () => createClient<Model, '2.2'>({ url: '/api', version: '2.2' }),
    ];
    const calls = (api: Client<ApiOf<Model, 1>>): readonly (() => unknown)[] => [
      () => api.goods.create({ name: 'a', level: 7, price: 1, city: 'Oslo', place: { zip: '1' } }),
      () => api.goods('7').stock_changes.page(),
      () => api.goods.list({ filter: { 'vendor.title': 'a' }, expand: ['vendor'] }),
      // @ts-expect-error the collection has another name in this version
      () => api.products,
    ];
    assert.deepEqual([made.length, calls.length], [7, 1]);
  });
});
