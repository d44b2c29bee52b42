// Types of the API stock, version 1.0.0. Written by `restwright client`; do not edit.
import type { ItemMembers, ListFilter, ScalarFilter, TextFilter } from '../../../src/client/client.ts';

/** The types of stock: `createClient<Api>({ url })`. */
export interface Api {
  readonly version: '1.0';
  readonly resources: {
    readonly goods: GoodTypes;
    readonly makers: MakerTypes;
    readonly stock_changes: StockChangeTypes;
  };
}

export interface Good extends ItemMembers {
  readonly label: string;
  readonly status: 'OPEN' | 'DONE' | 'SOLD';
  readonly level: 7 | 2;
  readonly grade: 'GOOD' | 'FINE' | 'BAD' | null;
  readonly tags: readonly ('fresh' | 'old')[];
  readonly place: {
    readonly zip: string | null;
    readonly floor: number | null;
  };
  readonly price: number;
  readonly holder: string | null;
  readonly street: string | null;
  readonly town: string | null;
  readonly vendor_id: string | null;
  readonly city: string;
  readonly shade: string | null;
}

/** What creates Good. */
export interface NewGood {
  readonly label: string;
  readonly status?: 'OPEN' | 'DONE' | 'SOLD';
  readonly level: 7 | 2;
  readonly grade?: 'GOOD' | 'FINE' | 'BAD' | null;
  readonly tags?: readonly ('fresh' | 'old')[] | null;
  readonly place: {
    readonly zip?: string | null;
    readonly floor?: number | null;
  };
  readonly price: number;
  readonly holder?: string | null;
  readonly street?: string | null;
  readonly town?: string | null;
  readonly cost?: number | null;
  readonly vendor_id?: string | null;
  readonly city: string;
  readonly shade?: string | null;
}

interface GoodTypes {
  readonly item: Good;
  readonly shown_once: object;
  readonly body: NewGood;
  readonly immutable: never;
  readonly filters: {
    readonly id: TextFilter;
    readonly label: TextFilter;
    readonly status: TextFilter<'OPEN' | 'DONE' | 'SOLD'>;
    readonly level: ScalarFilter<7 | 2>;
    readonly 'place.zip': TextFilter;
    readonly 'place.floor': ScalarFilter<number>;
    readonly vendor_id: TextFilter;
    readonly city: TextFilter;
    readonly created_at: ScalarFilter<string>;
    readonly updated_at: ScalarFilter<string>;
    readonly revision: ScalarFilter<number>;
  };
  readonly sort:
    | 'id'
    | 'label'
    | 'place.zip'
    | 'place.floor'
    | 'vendor_id'
    | 'city'
    | 'created_at'
    | 'updated_at'
    | 'revision';
  readonly relations: {
    readonly vendor: { readonly to: 'makers'; readonly many: false };
    readonly stock_changes: { readonly to: 'stock_changes'; readonly many: true };
  };
  readonly parent: null;
  readonly error_prefix: 'GOOD';
}

export interface Maker extends ItemMembers {
  readonly title: string;
  readonly kind: 'STORE' | 'FACTORY' | null;
  readonly tags: readonly string[];
  readonly at: {
    readonly y: number | null;
  } | null;
  readonly x: number | null;
}

/** What creates Maker. */
export interface NewMaker {
  readonly id: string;
  readonly title: string;
  readonly kind?: 'STORE' | 'FACTORY' | null;
  readonly tags?: readonly string[] | null;
  readonly at?: {
    readonly y?: number | null;
  } | null;
  readonly x?: number | null;
}

interface MakerTypes {
  readonly item: Maker;
  readonly shown_once: object;
  readonly body: NewMaker;
  readonly immutable: never;
  readonly filters: {
    readonly id: TextFilter;
    readonly title: TextFilter;
    readonly kind: TextFilter<'STORE' | 'FACTORY'>;
    readonly tags: ListFilter<string>;
    readonly 'at.y': ScalarFilter<number>;
    readonly x: ScalarFilter<number>;
    readonly created_at: ScalarFilter<string>;
    readonly updated_at: ScalarFilter<string>;
    readonly revision: ScalarFilter<number>;
  };
  readonly sort:
    | 'id'
    | 'title'
    | 'at.y'
    | 'x'
    | 'created_at'
    | 'updated_at'
    | 'revision';
  readonly relations: {
    readonly products: { readonly to: 'goods'; readonly many: true };
  };
  readonly parent: null;
  readonly error_prefix: 'MAKER';
}

export interface StockChange extends ItemMembers {
  readonly good_id: string;
  readonly count: string;
}

/** What creates StockChange. */
export interface NewStockChange {
  readonly count: string;
}

interface StockChangeTypes {
  readonly item: StockChange;
  readonly shown_once: object;
  readonly body: NewStockChange;
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
  readonly error_prefix: 'STOCK_CHANGE';
}
