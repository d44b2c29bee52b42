// Types of the API shop, version 1.0.0. Written by `restwright client`; do not edit.
import type { ItemMembers, ListFilter, ScalarFilter, TextFilter } from '../../../src/client/client.ts';

/** The types of shop: `createClient<Api>({ url })`. */
export interface Api {
  readonly version: 1 | undefined;
  readonly resources: {
    readonly suppliers: SupplierTypes;
    readonly products: ProductTypes;
    readonly reviews: ReviewTypes;
    readonly notes: NoteTypes;
    readonly keys: KeyTypes;
  };
}

export interface Supplier extends ItemMembers {
  readonly name: string;
  readonly country: string | null;
  readonly rating: number | null;
}

/** What creates Supplier. */
export interface NewSupplier {
  readonly name: string;
  readonly country?: string | null;
  readonly rating?: number | null;
}

interface SupplierTypes {
  readonly item: Supplier;
  readonly shown_once: object;
  readonly body: NewSupplier;
  readonly immutable: never;
  readonly filters: {
    readonly id: TextFilter;
    readonly name: TextFilter;
    readonly country: TextFilter;
    readonly rating: ScalarFilter<number>;
    readonly created_at: ScalarFilter<string>;
    readonly updated_at: ScalarFilter<string>;
    readonly revision: ScalarFilter<number>;
  };
  readonly sort:
    | 'id'
    | 'name'
    | 'country'
    | 'rating'
    | 'created_at'
    | 'updated_at'
    | 'revision';
  readonly relations: {
    readonly products: { readonly to: 'products'; readonly many: true };
  };
  readonly parent: null;
  readonly error_prefix: 'SUPPLIER';
}

export interface Product extends ItemMembers {
  readonly sku: string;
  readonly name: string;
  readonly price: string;
  readonly currency: 'EUR' | 'USD';
  readonly stock: number | null;
  readonly listed: boolean | null;
  readonly since: string | null;
  readonly tags: readonly string[];
  readonly size: {
    readonly unit: string;
    readonly depth: number | null;
  } | null;
  readonly labels: { readonly [key: string]: string } | null;
  readonly photo: string | null;
  readonly code: string | null;
  readonly supplier_id: string | null;
  readonly like_ids: readonly string[];
  readonly total: number | null;
}

/** What creates Product. */
export interface NewProduct {
  readonly sku: string;
  readonly name: string;
  readonly price: string;
  readonly currency?: 'EUR' | 'USD';
  readonly stock?: number | null;
  readonly listed?: boolean | null;
  readonly since?: string | null;
  readonly tags?: readonly string[] | null;
  readonly size?: {
    readonly unit: string;
    readonly depth?: number | null;
  } | null;
  readonly labels?: { readonly [key: string]: string } | null;
  readonly photo?: string | null;
  readonly cost?: number | null;
  readonly supplier_id?: string | null;
  readonly like_ids?: readonly string[] | null;
}

interface ProductTypes {
  readonly item: Product;
  readonly shown_once: object;
  readonly body: NewProduct;
  readonly immutable: 'sku';
  readonly filters: {
    readonly id: TextFilter;
    readonly sku: TextFilter;
    readonly name: TextFilter;
    readonly price: ScalarFilter<string>;
    readonly currency: TextFilter<'EUR' | 'USD'>;
    readonly stock: ScalarFilter<number>;
    readonly listed: ScalarFilter<boolean>;
    readonly since: ScalarFilter<string>;
    readonly tags: ListFilter<string>;
    readonly 'size.unit': TextFilter;
    readonly 'size.depth': ScalarFilter<number>;
    readonly code: TextFilter;
    readonly supplier_id: TextFilter;
    readonly like_ids: ListFilter<string>;
    readonly created_at: ScalarFilter<string>;
    readonly updated_at: ScalarFilter<string>;
    readonly revision: ScalarFilter<number>;
  };
  readonly sort:
    | 'id'
    | 'sku'
    | 'name'
    | 'price'
    | 'currency'
    | 'stock'
    | 'listed'
    | 'since'
    | 'size.unit'
    | 'size.depth'
    | 'code'
    | 'supplier_id'
    | 'created_at'
    | 'updated_at'
    | 'revision';
  readonly relations: {
    readonly supplier: { readonly to: 'suppliers'; readonly many: false };
    readonly likes: { readonly to: 'products'; readonly many: true };
    readonly reviews: { readonly to: 'reviews'; readonly many: true };
  };
  readonly parent: null;
  readonly error_prefix: 'PRODUCT';
}

export interface Review extends ItemMembers {
  readonly product_id: string;
  readonly stars: number;
}

/** What creates Review. */
export interface NewReview {
  readonly id: string;
  readonly stars: number;
}

interface ReviewTypes {
  readonly item: Review;
  readonly shown_once: object;
  readonly body: NewReview;
  readonly immutable: never;
  readonly filters: {
    readonly id: TextFilter;
    readonly product_id: TextFilter;
    readonly stars: ScalarFilter<number>;
    readonly created_at: ScalarFilter<string>;
    readonly updated_at: ScalarFilter<string>;
    readonly revision: ScalarFilter<number>;
  };
  readonly sort:
    | 'id'
    | 'product_id'
    | 'stars'
    | 'created_at'
    | 'updated_at'
    | 'revision';
  readonly relations: {
    readonly product: { readonly to: 'products'; readonly many: false };
  };
  readonly parent: 'products';
  readonly error_prefix: 'REVIEW';
}

export interface Note extends ItemMembers {
  readonly text: string;
  readonly mark: number | null;
  readonly at: {
    readonly x: number;
  } | null;
}

/** What creates Note. */
export interface NewNote {
  readonly text: string;
  readonly mark?: number | null;
  readonly at?: {
    readonly x: number;
  } | null;
}

interface NoteTypes {
  readonly item: Note;
  readonly shown_once: object;
  readonly body: NewNote;
  readonly immutable: never;
  readonly filters: {
    readonly id: TextFilter;
    readonly text: TextFilter;
    readonly mark: ScalarFilter<number>;
    readonly 'at.x': ScalarFilter<number>;
    readonly created_at: ScalarFilter<string>;
    readonly updated_at: ScalarFilter<string>;
    readonly revision: ScalarFilter<number>;
  };
  readonly sort:
    | 'id'
    | 'text'
    | 'mark'
    | 'at.x'
    | 'created_at'
    | 'updated_at'
    | 'revision';
  readonly relations: object;
  readonly parent: null;
  readonly error_prefix: 'NOTE';
}

export interface Key extends ItemMembers {}

/** What creates Key. */
export interface NewKey {}

interface KeyTypes {
  readonly item: Key;
  readonly shown_once: {
    readonly secret: string;
  };
  readonly body: NewKey;
  readonly immutable: never;
  readonly filters: {
    readonly id: TextFilter;
    readonly created_at: ScalarFilter<string>;
    readonly updated_at: ScalarFilter<string>;
    readonly revision: ScalarFilter<number>;
  };
  readonly sort:
    | 'id'
    | 'created_at'
    | 'updated_at'
    | 'revision';
  readonly relations: object;
  readonly parent: null;
  readonly error_prefix: 'KEY';
}
