// The result of a read, as `fields` and `expand` shape it, and the paths that they, filters and sorts may name.
import type { ApiTypes, RelationType, ResourceLinks, PartOf } from './api-types.ts';

/** The part of a path before its first dot. */
type Head<P extends string> = P extends `${infer H}.${string}` ? H : P;

/** The rest of those paths that begin with a name. */
type Tail<P extends string, H extends string> = P extends `${H}.${infer T}` ? T : never;

/** The paths that `fields` can name: fields, and members of object fields. */
type MemberPath<T, Depth extends readonly 0[] = []> = {
  [K in keyof T & string]: K | NestedPath<K, NonNullable<T[K]>, Depth>;
}[keyof T & string];

type NestedPath<K extends string, V, Depth extends readonly 0[]> = unknown extends V
  ? `${K}.${string}`
  : V extends string | number | boolean | readonly unknown[]
    ? never
    : string extends keyof V
      ? never
      : Depth['length'] extends 4
        ? `${K}.${string}`
        : `${K}.${MemberPath<V, [...Depth, 0]>}`;

/** The paths that `fields` can name. */
export type FieldPath<A extends ApiTypes, K> = MemberPath<Omit<PartOf<A, K, 'item'>, 'links'>>;

type Relations<A extends ApiTypes, K> = PartOf<A, K, 'relations'>;

type TargetOf<A extends ApiTypes, K, R> = R extends keyof Relations<A, K>
  ? Relations<A, K>[R] extends { readonly to: infer N }
    ? N
    : never
  : never;

/** The paths that `expand` can name: up to three relations. */
export type ExpandPath<A extends ApiTypes, K, Depth extends readonly 0[] = []> = Depth['length'] extends 3
  ? never
  : {
      [R in keyof Relations<A, K> & string]: R | `${R}.${ExpandPath<A, TargetOf<A, K, R>, [...Depth, 0]>}`;
    }[keyof Relations<A, K> & string];

/** The paths of filters through one relation: `supplier.country`. */
export type RelatedPath<A extends ApiTypes, K> = {
  [R in keyof Relations<A, K> & string]: `${R}.${keyof PartOf<A, TargetOf<A, K, R>, 'filters'> & string}`;
}[keyof Relations<A, K> & string];

/** The filter of a path through a relation. */
export type RelatedFilter<A extends ApiTypes, K, P extends string> = P extends `${infer R}.${infer Rest}`
  ? Rest extends keyof PartOf<A, TargetOf<A, K, R>, 'filters'>
    ? PartOf<A, TargetOf<A, K, R>, 'filters'>[Rest]
    : never
  : never;

/** The facts of a page (PAGE-1). */
export interface PageFacts {
  readonly technique: 'page' | 'offset' | 'cursor' | 'keyset' | 'time' | 'seek';
  readonly limit: number;
  readonly count: number;
  readonly has_more: boolean;
  readonly next_cursor?: string | null;
  readonly prev_cursor?: string | null;
  readonly total_count?: number;
  readonly total_count_relation?: 'eq' | 'gte';
  readonly total_pages?: number;
}

/** Items of a collection. */
export interface ItemPage<T> {
  readonly data: readonly T[];
  readonly page: PageFacts;
  readonly links: { readonly self: string; readonly [relation: string]: string | undefined };
}

/** The members that a selection by `fields` keeps in any case. */
interface Kept {
  readonly id: string;
  readonly revision: number;
  readonly links: ResourceLinks;
}

type Picked<T, F extends string> = {
  [K in keyof T as K extends Head<F> ? K : never]: K extends F ? T[K] : PickedMember<T[K], Tail<F, K & string>>;
};

type PickedMember<V, F extends string> = V extends object ? Picked<V, F> : V;

type Expanded<A extends ApiTypes, K, X extends string> = {
  [R in Head<X> & keyof Relations<A, K>]: Relations<A, K>[R] extends infer L extends RelationType
    ? L['many'] extends true
      ? ItemPage<ReadItem<A, L['to'], never, Tail<X, R & string>>>
      : ReadItem<A, L['to'], never, Tail<X, R & string>> | null
    : never;
};

/** The result of a read. @typeParam F the selected fields; `never` for all @typeParam X the expanded relations */
export type ReadItem<A extends ApiTypes, K, F extends string = never, X extends string = never> = ([F] extends [never]
  ? PartOf<A, K, 'item'>
  : Kept & Picked<PartOf<A, K, 'item'>, F>) &
  ([X] extends [never] ? unknown : Expanded<A, K, X>);
