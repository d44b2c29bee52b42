// Types of the API stock, version 2.10.0. Written by `restwright client`; do not edit.
import type { ItemMembers, ListFilter, ScalarFilter, TextFilter } from '../../../src/client/client.ts';

/** The types of stock: `createClient<Api>({ url })`. */
export interface Api {
  readonly version: 2;
  readonly resources: {
    readonly products: ProductTypes;
    readonly makers: MakerTypes;
    readonly labels: LabelTypes;
    readonly stock_moves: StockMoveTypes;
  };
}

export interface Product extends ItemMembers {
  readonly title: string;
  readonly status: 'OPEN' | 'CLOSED' | 'SOLD';
  readonly level: 1 | 2;
  readonly grade: 'A' | 'B' | null;
  readonly tags: readonly ('new' | 'old')[];
  readonly place: {
    readonly city: string;
    readonly postcode: string | null;
    readonly floor: number | null;
  };
  readonly size: {
    readonly depth: number | null;
  } | null;
  readonly cents: number;
  readonly first: string | null;
  readonly last: string | null;
  readonly address: string | null;
  readonly maker_id: string | null;
  readonly label_id: string | null;
}

/** What creates Product. */
export interface NewProduct {
  readonly title: string;
  readonly status?: 'OPEN' | 'CLOSED' | 'SOLD';
  readonly level: 1 | 2;
  readonly grade?: 'A' | 'B' | null;
  readonly tags?: readonly ('new' | 'old')[] | null;
  readonly place: {
    readonly city: string;
    readonly postcode?: string | null;
    readonly floor?: number | null;
  };
  readonly size?: {
    readonly depth?: number | null;
  } | null;
  readonly cents: number;
  readonly first?: string | null;
  readonly last?: string | null;
  readonly address?: string | null;
  readonly cost?: number | null;
  readonly maker_id?: string | null;
  readonly label_id?: string | null;
}

interface ProductTypes {
  readonly item: Product;
  readonly shown_once: object;
  readonly body: NewProduct;
  readonly immutable: never;
  readonly filters: {
    readonly id: TextFilter;
    readonly title: TextFilter;
    readonly status: TextFilter<'OPEN' | 'CLOSED' | 'SOLD'>;
    readonly level: ScalarFilter<1 | 2>;
    readonly grade: TextFilter<'A' | 'B'>;
    readonly tags: ListFilter<'new' | 'old'>;
    readonly 'place.city': TextFilter;
    readonly 'place.postcode': TextFilter;
    readonly 'place.floor': ScalarFilter<number>;
    readonly 'size.depth': ScalarFilter<number>;
    readonly cents: ScalarFilter<number>;
    readonly first: TextFilter;
    readonly last: TextFilter;
    readonly address: TextFilter;
    readonly maker_id: TextFilter;
    readonly label_id: TextFilter;
    readonly created_at: ScalarFilter<string>;
    readonly updated_at: ScalarFilter<string>;
    readonly revision: ScalarFilter<number>;
  };
  readonly sort:
    | 'id'
    | 'title'
    | 'status'
    | 'level'
    | 'grade'
    | 'place.city'
    | 'place.postcode'
    | 'place.floor'
    | 'size.depth'
    | 'cents'
    | 'first'
    | 'last'
    | 'address'
    | 'maker_id'
    | 'label_id'
    | 'created_at'
    | 'updated_at'
    | 'revision';
  readonly relations: {
    readonly maker: { readonly to: 'makers'; readonly many: false };
    readonly label: { readonly to: 'labels'; readonly many: false };
    readonly stock_moves: { readonly to: 'stock_moves'; readonly many: true };
  };
  readonly parent: null;
  readonly error_prefix: 'PRODUCT';
}

export interface Maker extends ItemMembers {
  readonly name: string;
  readonly kind: 'SHOP' | 'FACTORY' | null;
  readonly tags: readonly string[];
  readonly at: {
    readonly x: number;
    readonly y: number | null;
  } | null;
}

/** What creates Maker. */
export interface NewMaker {
  readonly id: string;
  readonly name: string;
  readonly kind?: 'SHOP' | 'FACTORY' | null;
  readonly tags?: readonly string[] | null;
  readonly at?: {
    readonly x: number;
    readonly y?: number | null;
  } | null;
}

interface MakerTypes {
  readonly item: Maker;
  readonly shown_once: object;
  readonly body: NewMaker;
  readonly immutable: never;
  readonly filters: {
    readonly id: TextFilter;
    readonly name: TextFilter;
    readonly kind: TextFilter<'SHOP' | 'FACTORY'>;
    readonly tags: ListFilter<string>;
    readonly 'at.x': ScalarFilter<number>;
    readonly 'at.y': ScalarFilter<number>;
    readonly created_at: ScalarFilter<string>;
    readonly updated_at: ScalarFilter<string>;
    readonly revision: ScalarFilter<number>;
  };
  readonly sort:
    | 'id'
    | 'name'
    | 'kind'
    | 'at.x'
    | 'at.y'
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
