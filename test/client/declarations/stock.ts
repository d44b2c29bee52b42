// Types of the API stock, version 2.1.0. Written by `restwright client`; do not edit.
import type { ItemMembers, ListFilter, ScalarFilter, TextFilter } from '../../../src/client/client.ts';

/** The types of stock: `createClient<Api>({ url })`. */
export interface Api {
  readonly version: 2 | undefined;
  readonly resources: {
    readonly products: ProductTypes;
    readonly new_products: NewProduct2Types;
    readonly makers: MakerTypes;
    readonly labels: LabelTypes;
    readonly stock_moves: StockMoveTypes;
  };
}

/** What is sold /* or was: *\/ with a "comment" */
export interface Product extends ItemMembers {
  /**
   * One line
   * and another
   */
  readonly title: string;
  readonly status: 'OPEN' | 'it\'s' | 'a"b' | 'a\\b';
  readonly level: 1 | 2;
  /** @deprecated */
  readonly cost?: number | null;
  readonly sizes: readonly {
    readonly unit: 'cm' | 'm';
    readonly height: number | null;
  }[];
  readonly tags: readonly ('new' | 'old')[];
  readonly marks: { readonly [key: string]: readonly (number | null)[] } | null;
  readonly place: {
    readonly city: string | null;
  } | null;
  readonly price: string | null;
  readonly maker_id: string | null;
  readonly label_ids: readonly string[];
}

/** What creates Product. */
export interface NewProduct {
  /**
   * One line
   * and another
   */
  readonly title: string;
  readonly status?: 'OPEN' | 'it\'s' | 'a"b' | 'a\\b';
  readonly level: 1 | 2;
  /** @deprecated */
  readonly cost?: number | null;
  readonly sizes: readonly {
    readonly unit: 'cm' | 'm';
    readonly height?: number | null;
  }[];
  readonly tags?: readonly ('new' | 'old')[] | null;
  readonly marks?: { readonly [key: string]: readonly (number | null)[] } | null;
  readonly place?: {
    readonly city?: string | null;
  } | null;
  readonly price?: string | null;
  readonly maker_id?: string | null;
  readonly label_ids?: readonly string[] | null;
}

interface ProductTypes {
  readonly item: Product;
  readonly shown_once: object;
  readonly body: NewProduct;
  readonly immutable: never;
  readonly filters: {
    readonly id: TextFilter;
    readonly title: TextFilter;
    readonly status: TextFilter<'OPEN' | 'it\'s' | 'a"b' | 'a\\b'>;
    readonly level: ScalarFilter<1 | 2>;
    readonly tags: ListFilter<'new' | 'old'>;
    readonly 'place.city': TextFilter;
    readonly price: ScalarFilter<string>;
    readonly maker_id: TextFilter;
  };
  readonly sort: 'id' | 'title';
  readonly relations: {
    readonly maker: { readonly to: 'makers'; readonly many: false };
    readonly labels: { readonly to: 'labels'; readonly many: true };
    readonly stock_moves: { readonly to: 'stock_moves'; readonly many: true };
  };
  readonly parent: null;
  readonly error_prefix: 'PRODUCT';
}

export interface NewProduct2 extends ItemMembers {
  readonly since: string | null;
}

/** What creates NewProduct2. */
export interface NewNewProduct2 {
  readonly since?: string | null;
}

interface NewProduct2Types {
  readonly item: NewProduct2;
  readonly shown_once: object;
  readonly body: NewNewProduct2;
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
    readonly products: { readonly to: 'products'; readonly many: true };
  };
  readonly parent: null;
  readonly error_prefix: 'MAKER';
}

export interface Label extends ItemMembers {
  readonly text: string | null;
}

/** What creates Label. */
export interface NewLabel {
  readonly text?: string | null;
}

interface LabelTypes {
  readonly item: Label;
  readonly shown_once: object;
  readonly body: NewLabel;
  readonly immutable: never;
  readonly filters: {
    readonly id: TextFilter;
    readonly text: TextFilter;
    readonly created_at: ScalarFilter<string>;
    readonly updated_at: ScalarFilter<string>;
    readonly revision: ScalarFilter<number>;
  };
  readonly sort:
    | 'id'
    | 'text'
    | 'created_at'
    | 'updated_at'
    | 'revision';
  readonly relations: object;
  readonly parent: null;
  readonly error_prefix: 'LABEL';
}

export interface StockMove extends ItemMembers {
  readonly product_id: string;
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
    readonly product_id: TextFilter;
    readonly count: ScalarFilter<string>;
    readonly created_at: ScalarFilter<string>;
    readonly updated_at: ScalarFilter<string>;
    readonly revision: ScalarFilter<number>;
  };
  readonly sort:
    | 'id'
    | 'product_id'
    | 'count'
    | 'created_at'
    | 'updated_at'
    | 'revision';
  readonly relations: {
    readonly product: { readonly to: 'products'; readonly many: false };
  };
  readonly parent: 'products';
  readonly error_prefix: 'STOCK_MOVE';
}
