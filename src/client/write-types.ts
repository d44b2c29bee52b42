// The parameters and results of writes, also in batches.
import type { ApiTypes, ResourceName, PartOf } from './api-types.ts';
import type { RequestError } from './request-error.ts';

/** Each member is optional, also those of objects; null removes a member of a map (RFC 7396). */
type Changes<T> = { readonly [K in keyof T]?: ChangedMember<T[K]> };

type ChangedMember<V> = V extends readonly unknown[]
  ? V
  : V extends object
    ? string extends keyof V
      ? { readonly [key: string]: V[keyof V] | null }
      : Changes<V>
    : V;

/** The changes of `update`. */
export type ChangesOf<A extends ApiTypes, K> = Changes<
  Omit<PartOf<A, K, 'body'>, 'id' | (PartOf<A, K, 'immutable'> & string)>
>;

/** The body of `replace`. */
export type ReplacementOf<A extends ApiTypes, K> = Omit<PartOf<A, K, 'body'>, 'id'>;

/** The result of `create`. */
export type CreatedItem<A extends ApiTypes, K> = PartOf<A, K, 'item'> & PartOf<A, K, 'shown_once'>;

/**
 * The id of an item, or an item that was read: then the write is made only if the item still has its revision
 * (`If-Match`).
 */
export type ItemOrId = string | { readonly id: string; readonly revision: number };

/** The names of the collections below a resource; with `null`, of those that are below none. */
export type ChildOf<A extends ApiTypes, K> = {
  [C in ResourceName<A>]: PartOf<A, C, 'parent'> extends K ? C : never;
}[ResourceName<A>];

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
