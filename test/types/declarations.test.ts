import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type {
  Client,
  ClientOptions,
  ClientQuery,
  CreatedItem,
  ReadItem,
  RequestError,
} from '../../src/client/client.ts';
import type { ChangesOf, ReplacementOf } from '../../src/client/client.ts';
import type { ApiOf } from '../../src/client/model-types.ts';
import type { Api as ShopApi } from '../client/declarations/shop.ts';
import type { Api as Stock } from '../client/declarations/stock.ts';
import type { Api as OldestStock } from '../client/declarations/versioned-1-0.ts';
import type { model } from '../client/shop.ts';

/** Fails to compile unless both types are the same. */
function same<A, B>(
  ..._proof: [A] extends [B] ? ([B] extends [A] ? [] : ['differs', A, B]) : ['differs', A, B]
): void {}

type Shop = ApiOf<typeof model>;
type Names = keyof Shop['resources'];

describe('the types that restwright client writes', () => {
  it('are those that are inferred from the same model in TypeScript', () => {
    same<ShopApi['version'], 1 | undefined>();
    same<keyof ShopApi['resources'], Names>();
    // One by one: a difference in one resource would be lost in a union.
    same<ShopApi['resources']['suppliers']['item'], Shop['resources']['suppliers']['item']>();
    same<ShopApi['resources']['suppliers']['body'], Shop['resources']['suppliers']['body']>();
    same<ShopApi['resources']['products']['item'], Shop['resources']['products']['item']>();
    same<ShopApi['resources']['products']['body'], Shop['resources']['products']['body']>();
    same<ShopApi['resources']['products']['filters'], Shop['resources']['products']['filters']>();
    same<ShopApi['resources']['products']['sort'], Shop['resources']['products']['sort']>();
    same<ShopApi['resources']['products']['immutable'], 'sku'>();
    same<ShopApi['resources']['products']['relations'], Shop['resources']['products']['relations']>();
    same<ShopApi['resources']['notes']['item'], Shop['resources']['notes']['item']>();
    same<ShopApi['resources']['notes']['body'], Shop['resources']['notes']['body']>();
    same<ShopApi['resources']['notes']['filters'], Shop['resources']['notes']['filters']>();
    same<ShopApi['resources']['keys']['shown_once'], Shop['resources']['keys']['shown_once']>();
    same<ShopApi['resources']['reviews']['body'], Shop['resources']['reviews']['body']>();
    same<ShopApi['resources']['reviews']['parent'], 'products'>();
    same<ClientQuery<ShopApi, 'products', 'name', 'supplier'>, ClientQuery<Shop, 'products', 'name', 'supplier'>>();
    same<ChangesOf<ShopApi, 'products'>, ChangesOf<Shop, 'products'>>();
    same<ReplacementOf<ShopApi, 'products'>, ReplacementOf<Shop, 'products'>>();
    same<CreatedItem<ShopApi, 'keys'>['secret'], string>();
    assert.ok(true, 'it compiles');
  });

  it('know names that inflection makes: the parent, its id, and relations of arrays', () => {
    same<ReadItem<ShopApi, 'reviews'>['product_id'], string>();
    same<ReadItem<ShopApi, 'reviews', never, 'product'>['product'], ReadItem<ShopApi, 'products'> | null>();
    same<ReadItem<Stock, 'products', never, 'labels'>['labels']['data'][number]['text'], string | null>();
    assert.ok(true, 'it compiles');
  });

  it('[VER-5a] are those of one version: its names, values, fields and collections', () => {
    same<Parameters<Client<OldestStock>['goods']['create']>[0]['status'], 'OPEN' | 'DONE' | 'SOLD' | undefined>();
    same<ReadItem<OldestStock, 'goods'>['city'], string>();
    same<ReadItem<OldestStock, 'goods'>['shade'], string | null>();
    same<keyof OldestStock['resources'], 'goods' | 'makers' | 'stock_changes'>();
    same<ReadItem<OldestStock, 'makers', never, 'products'>['products']['data'][number]['label'], string>();
    same<ClientOptions<Stock>['version'], 2 | undefined>();
    same<ClientOptions<OldestStock>['version'], '1.0'>();
    const wrong = (api: Client<OldestStock>): unknown => [
      // @ts-expect-error the collection has another name in this version
      api.products,
      // @ts-expect-error the field has another name in this version
      api.goods.create({ title: 'a', level: 2, price: 1, city: 'Oslo', place: {} }),
      // @ts-expect-error there are no labels in this version
      api.labels,
      // @ts-expect-error values that a version has to itself have no order
      api.goods.list({ sort: ['shade'] }),
    ];
    assert.equal(typeof wrong, 'function');
  });

  it('[REP-11b] may miss a field that some callers may not read', () => {
    same<ReadItem<Stock, 'products'>['cost'], number | null | undefined>();
    assert.ok(true, 'it compiles');
  });

  it('[ERR-2] know the codes of the resources', () => {
    type NotFound = Extract<RequestError<Stock>, { readonly kind: 'NOT_FOUND' }>['code'];
    same<NotFound, `${'PRODUCT' | 'NEW_PRODUCT' | 'MAKER' | 'LABEL' | 'STOCK_MOVE'}_NOT_FOUND`>();
    const readStatus = (error: RequestError<Stock>): number | null => {
      if (error.code === 'PRODUCT_NOT_FOUND') {
        same<typeof error.kind, 'NOT_FOUND'>();
        same<typeof error.status, 404>();
      }
      if (error.code === 'MAKER_HAS_DEPENDENTS') same<typeof error.status, 409>();
      if (error.code === 'RATE_LIMIT_EXCEEDED') same<typeof error.kind, 'RATE_LIMIT_EXCEEDED'>();
      // @ts-expect-error there are no shoes
      return error.code === 'SHOE_NOT_FOUND' ? 0 : error.status;
    };
    assert.equal(typeof readStatus, 'function');
  });
});
