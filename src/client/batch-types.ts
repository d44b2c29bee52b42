import type { ApiTypes, PartOf } from './api-types.ts';
import type { RequestError } from './request-error.ts';
import type { ChangesOf, ChildOf, CreatedItem, ItemOrId, ReplacementOf } from './write-types.ts';

declare const RETURNS: unique symbol;

/** A write of a batch. @typeParam T what it returns */
export interface BatchedWrite<T> {
  readonly method: string;
  /** Relative to the root of the version: `/products/7`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly [RETURNS]?: T;
}

/** The result of a write in a batch that is not atomic. */
export type SettledWrite<T> =
  | { readonly status: 'fulfilled'; readonly value: T }
  | { readonly status: 'rejected'; readonly reason: RequestError };

/** The writes of a collection, for a batch. */
interface BatchCollection<A extends ApiTypes, K> {
  (id: string | { readonly id: string }): BatchWriter<A, K>;
  create(body: PartOf<A, K, 'body'>): BatchedWrite<CreatedItem<A, K>>;
  update(item: ItemOrId, changes: ChangesOf<A, K>): BatchedWrite<PartOf<A, K, 'item'>>;
  replace(item: ItemOrId, body: ReplacementOf<A, K>): BatchedWrite<PartOf<A, K, 'item'>>;
  delete(item: ItemOrId): BatchedWrite<undefined>;
}

/** The collections below an item, or with `null` those of an API, for a batch. */
export type BatchWriter<A extends ApiTypes, K> = { readonly [C in ChildOf<A, K>]: BatchCollection<A, C> };
