// The parameters and results of writes.
import type { ApiTypes, ResourceName, PartOf } from './api-types.ts';

/** Each member is optional, also those of objects; null removes a member of a map (RFC 7396). */
type Changes<T> = { readonly [K in keyof T]?: ChangedMember<T[K]> };

type ChangedMember<V> = V extends readonly unknown[]
  ? V
  : V extends object
    ? string extends keyof V
      ? { readonly [key: string]: V[keyof V] | null }
      : Changes<V>
    : V;

/** The options of `update`. */
export type ChangesOf<A extends ApiTypes, K> = Changes<
  Omit<PartOf<A, K, 'body'>, 'id' | (PartOf<A, K, 'immutable'> & string)>
>;

/** The options of `replace`. */
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
