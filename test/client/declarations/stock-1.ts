// Types of the API stock, version 1.3.0. Written by `restwright client`; do not edit.
import type { ItemMembers, ListFilter, ScalarFilter, TextFilter } from '../../../src/client/client.ts';

/** The types of stock: `createClient<Api>({ url })`. */
export interface Api {
  readonly version: 1;
  readonly resources: {
    readonly goods: GoodTypes;
    readonly new_products: NewProductTypes;
    readonly makers: MakerTypes;
    readonly stock_moves: StockMoveTypes;
  };
}

/** What is sold /* or was: *\/ with a "comment" */
export interface Good extends ItemMembers {
  /**
   * One line
   * and another
   */
  readonly name: string;
  readonly status: 'OPEN' | 'CLOSED' | 'a"b' | 'a\\b';
  readonly level: 1 | 2;
  /** @deprecated */
  readonly cost?: number | null;
  readonly sizes: readonly {
    readonly unit: 'cm' | 'm';
    readonly height: number | null;
  }[];
  readonly tags: readonly ('new' | 'old')[];
  readonly marks: { readonly [key: string]: readonly (number | null)[] } | null;
  readonly price: string | null;
  readonly maker_id: string | null;
  readonly city: string | null;
  readonly colour: string | null;
}

/** What creates Good. */
export interface NewGood {
  /**
   * One line
   * and another
   */
  readonly name: string;
  readonly status?: 'OPEN' | 'CLOSED' | 'a"b' | 'a\\b';
  readonly level: 1 | 2;
  /** @deprecated */
  readonly cost?: number | null;
  readonly sizes: readonly {
    readonly unit: 'cm' | 'm';
    readonly height?: number | null;
  }[];
  readonly tags?: readonly ('new' | 'old')[] | null;
  readonly marks?: { readonly [key: string]: readonly (number | null)[] } | null;
  readonly price?: string | null;
  readonly maker_id?: string | null;
  readonly city?: string | null;
  readonly colour?: string | null;
}

interface GoodTypes {
  readonly item: Good;
  readonly shown_once: object;
  readonly body: NewGood;
  readonly immutable: never;
  readonly filters: {
    readonly id: TextFilter;
    readonly name: TextFilter;
    readonly status: TextFilter<'OPEN' | 'CLOSED' | 'a"b' | 'a\\b'>;
    readonly level: ScalarFilter<1 | 2>;
    readonly tags: ListFilter<'new' | 'old'>;
    readonly price: ScalarFilter<string>;
    readonly maker_id: TextFilter;
    readonly city: TextFilter;
  };
  readonly sort: 'id' | 'name';
  readonly relations: {
    readonly maker: { readonly to: 'makers'; readonly many: false };
    readonly stock_moves: { readonly to: 'stock_moves'; readonly many: true };
  };
  readonly parent: null;
  readonly error_prefix: 'GOOD';
}

export interface NewProduct extends ItemMembers {
  readonly since: string | null;
}

/** What creates NewProduct. */
export interface NewNewProduct {
  readonly since?: string | null;
}

interface NewProductTypes {
  readonly item: NewProduct;
  readonly shown_once: object;
  readonly body: NewNewProduct;
  readonly immutable: never;
  readonly filters: {
    readonly id: TextFilter;
    readonly since: TextFilter;
    readonly created_at: ScalarFilter<string>;
    readonly updated_at: ScalarFilter<string>;
    readonly revision: ScalarFilter<number>;
  };
  readonly sort:
    | 'id'
    | 'since'
    | 'created_at'
    | 'updated_at'
    | 'revision';
  readonly relations: object;
  readonly parent: null;
  readonly error_prefix: 'NEW_PRODUCT';
}

export interface Maker extends ItemMembers {
  readonly name: string | null;
}

/** What creates Maker. */
export interface NewMaker {
  readonly id: string;
  readonly name?: string | null;
}

interface MakerTypes {
  readonly item: Maker;
  readonly shown_once: object;
  readonly body: NewMaker;
  readonly immutable: never;
  readonly filters: {
    readonly id: TextFilter;
    readonly name: TextFilter;
    readonly created_at: ScalarFilter<string>;
    readonly updated_at: ScalarFilter<string>;
    readonly revision: ScalarFilter<number>;
  };
  readonly sort:
    | 'id'
    | 'name'
    | 'created_at'
    | 'updated_at'
    | 'revision';
  readonly relations: {
    readonly products: { readonly to: 'goods'; readonly many: true };
  };
  readonly parent: null;
  readonly error_prefix: 'MAKER';
}

export interface StockMove extends ItemMembers {
  readonly good_id: string;
  readonly count: string;
}

/** What creates StockMove. */
export interface NewStockMove {
  readonly count: string;
}

interface StockMoveTypes {
  readonly item: StockMove;
  readonly shown_once: object;
  readonly body: NewStockMove;
  readonly immutable: never;
  readonly filters: {
    readonly id: TextFilter;
    readonly good_id: TextFilter;
    readonly count: ScalarFilter<string>;
    readonly created_at: ScalarFilter<string>;
    readonly updated_at: ScalarFilter<string>;
    readonly revision: ScalarFilter<number>;
  };
  readonly sort:
    | 'id'
    | 'good_id'
    | 'count'
    | 'created_at'
    | 'updated_at'
    | 'revision';
  readonly relations: {
    readonly good: { readonly to: 'goods'; readonly many: false };
  };
  readonly parent: 'goods';
  readonly error_prefix: 'STOCK_MOVE';
}
