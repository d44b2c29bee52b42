import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient } from '../../src/client/client.ts';
import type { Client } from '../../src/client/client.ts';
import type { ApiOf } from '../../src/client/model-types.ts';
import type { Api as Minor } from '../client/declarations/versioned-1-0.ts';
import type { Api as Major } from '../client/declarations/versioned-1.ts';
import type { Api as Newer } from '../client/declarations/versioned-2-9.ts';
import type { Api as Newest } from '../client/declarations/versioned.ts';
import type { model } from '../client/versioned.ts';

/** Fails to compile unless both types are the same. */
function same<A, B>(
  ..._proof: [A] extends [B] ? ([B] extends [A] ? [] : ['differs', A, B]) : ['differs', A, B]
): void {}

type Model = typeof model;
type Resources<V = undefined> = ApiOf<Model, V>['resources'];

describe('[VER-5a] the types of an older contract of a TypeScript model', () => {
  it('are those that restwright client writes: the newest version', () => {
    same<keyof Resources, keyof Newest['resources']>();
    same<ApiOf<Model>['version'], Newest['version']>();
    same<Resources['products']['item'], Newest['resources']['products']['item']>();
    same<Resources['products']['body'], Newest['resources']['products']['body']>();
    same<Resources['products']['filters'], Newest['resources']['products']['filters']>();
    same<Resources['products']['sort'], Newest['resources']['products']['sort']>();
    same<Resources['products']['relations'], Newest['resources']['products']['relations']>();
    same<Resources['makers']['item'], Newest['resources']['makers']['item']>();
    same<Resources['makers']['body'], Newest['resources']['makers']['body']>();
    same<Resources['stock_moves']['error_prefix'], 'STOCK_MOVE'>();
    assert.ok(true, 'it compiles');
  });

  it('are those that restwright client writes: without fields, an absent resource, another collection', () => {
    same<keyof Resources<'2.9'>, keyof Newer['resources']>();
    same<ApiOf<Model, '2.9'>['version'], Newer['version']>();
    same<Resources<'2.9'>['products']['item'], Newer['resources']['products']['item']>();
    same<Resources<'2.9'>['products']['body'], Newer['resources']['products']['body']>();
    same<Resources<'2.9'>['products']['filters'], Newer['resources']['products']['filters']>();
    same<Resources<'2.9'>['products']['sort'], Newer['resources']['products']['sort']>();
    same<Resources<'2.9'>['products']['relations'], Newer['resources']['products']['relations']>();
    same<Resources<'2.9'>['stock_changes']['body'], Newer['resources']['stock_changes']['body']>();
    same<Resources<'2.9'>['stock_changes']['parent'], 'products'>();
    same<Resources<'2.9'>['stock_changes']['error_prefix'], 'STOCK_CHANGE'>();
    assert.ok(true, 'it compiles');
  });

  it('are those that restwright client writes: renamed, moved, converted and added fields, and other values', () => {
    same<keyof Resources<1>, keyof Major['resources']>();
    same<ApiOf<Model, 1>['version'], Major['version']>();
    same<Resources<1>['goods']['item'], Major['resources']['goods']['item']>();
    same<Resources<1>['goods']['body'], Major['resources']['goods']['body']>();
    same<Resources<1>['goods']['filters'], Major['resources']['goods']['filters']>();
    same<Resources<1>['goods']['sort'], Major['resources']['goods']['sort']>();
    same<Resources<1>['goods']['relations'], Major['resources']['goods']['relations']>();
    same<Resources<1>['makers']['item'], Major['resources']['makers']['item']>();
    same<Resources<1>['makers']['body'], Major['resources']['makers']['body']>();
    same<Resources<1>['makers']['filters'], Major['resources']['makers']['filters']>();
    same<Resources<1>['stock_changes']['parent'], 'goods'>();
    assert.ok(true, 'it compiles');
  });

  it('are those that restwright client writes: the changes of several versions', () => {
    same<keyof Resources<'1.0'>, keyof Minor['resources']>();
    same<ApiOf<Model, '1.0'>['version'], Minor['version']>();
    same<Resources<'1.0'>['goods']['item'], Minor['resources']['goods']['item']>();
    same<Resources<'1.0'>['goods']['body'], Minor['resources']['goods']['body']>();
    same<Resources<'1.0'>['goods']['filters'], Minor['resources']['goods']['filters']>();
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
