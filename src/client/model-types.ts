// The types of an API, as they follow from a TypeScript model.
import type { ShapeOf, TypesOf } from '../model/typescript/define-model.ts';
import type { DeepReadonly, ValuesOf } from '../model/typescript/schema-types.ts';
import type { ByOrigin, ReadValues, WithTimes } from '../model/typescript/table-types.ts';
import type { ApiTypes, ApiVersion, ItemMembers } from './api-types.ts';
import type { BodyOf, HiddenKeys, KeysWith, PropertiesOf, SchemaFilters, SortPath } from './schema-paths.ts';
import type { NamedContract, ContractNamed } from './version-types.ts';

/**
 * The types of an API: of a TypeScript model, or those that `restwright client` writes.
 *
 * @typeParam V a version of a TypeScript model, as `1` or `'1.2'`; default: the newest one
 */
export type ApiOf<M, V = undefined> = [TypesOf<M>] extends [never]
  ? M extends ApiTypes
    ? M
    : never
  : TypesOf<M> extends readonly [infer R, infer F]
    ? [ContractNamed<ShapesOf<R>, F, V>] extends [NamedContract<infer H, infer N>]
      ? { readonly version: VersionToName<F, V>; readonly resources: ResourcesOf<H, N> }
      : never
    : never;

/**
 * The version that requests name. Without a version they get the default one; a model whose versions are not known has
 * any.
 */
type VersionToName<F, V> = V extends ApiVersion
  ? V | (IsDefault<F, V> extends true ? undefined : never)
  : NewestOption<F>;

type NewestOption<F> =
  MajorOf<F> extends infer N
    ? [N] extends [never]
      ? ApiVersion | undefined
      : N | (IsDefault<F, N> extends true ? undefined : never)
    : never;

/** The major version of the newest contract; `never` if it is not known. */
type MajorOf<F> = F extends { readonly version: `${infer N extends number}.${string}` }
  ? number extends N
    ? never
    : N
  : never;

/** True if requests without a version get a major version. A model may leave it out while it serves one major. */
type IsDefault<F, V> = F extends { readonly default_version: infer D }
  ? number extends D
    ? V extends MajorOf<F>
      ? true
      : false
    : V extends D
      ? true
      : false
  : false;

/** The source of the types of a resource. */
export interface AnyShape {
  readonly schema: unknown;
  readonly parent: unknown;
  readonly id: unknown;
  readonly computed: unknown;
  readonly error_prefix: unknown;
  readonly inverse: unknown;
  readonly read_only: unknown;
  readonly times: unknown;
}

/** By the key of the resource, which is the same in all versions. */
type ShapesOf<R> = { readonly [K in keyof R]: ShapeOf<R[K]> };

/** The name by which a client knows a resource. @typeParam N those that older contracts have */
type NameOf<N, K> = K extends keyof N ? N[K] & string : K & string;

/** @typeParam H shapes by key of the resource @typeParam N names of collections by key, where they differ */
export type ResourcesOf<H, N> = {
  readonly [K in keyof H & string as NameOf<N, K>]: H[K] extends AnyShape ? ShapedResource<H, N, K, H[K]> : never;
};

/** The types of a resource. */
export interface ShapedResource<H, N, K extends string, D extends AnyShape> {
  readonly item: WithTimes<ItemMembers, D['times'], string | null> &
    Readable<D['schema'], D['times']> &
    ComputedMembers<D['computed']>;
  readonly shown_once: { readonly [F in KeysWith<D['schema'], 'x-shown-once'>]: string };
  readonly body: D['read_only'] extends true ? never : IdMember<D['id'], D['times']> & BodyOf<D['schema']>;
  readonly immutable: KeysWith<D['schema'], 'x-immutable'>;
  readonly filters: SchemaFilters<D['schema'], D['times']>;
  readonly sort: SortPath<D['schema'], D['parent'], D['times']>;
  readonly relations: RelationsOf<H, N, K, D['schema']>;
  readonly parent: [D['parent']] extends [never] ? null : NameOf<N, D['parent']>;
  readonly error_prefix: [D['error_prefix']] extends [never] ? string : D['error_prefix'];
}

type Readable<S, B> = DeepReadonly<ReadValues<Omit<ValuesOf<S>, HiddenKeys<S>>, B>>;

type ComputedMembers<C> = {
  readonly [K in keyof C]: C[K] extends { readonly schema: infer S } ? DeepReadonly<ValuesOf<S>> | null : never;
};

/** Clients choose the id, or the server makes it. That of a table may be made by the database. */
type IdMember<I, B> = ByOrigin<B, I extends 'uuid' ? unknown : { readonly id: string }, { readonly id?: string }>;

/**
 * The relations of a resource whose names follow from the model without inflection: to-one, named, inverse, and its
 * children.
 */
type RelationsOf<H, N, K extends string, S> = {
  readonly [F in keyof PropertiesOf<S> as RelationName<H, F, PropertiesOf<S>[F]>]: ReferenceTo<N, PropertiesOf<S>[F]>;
} & Inverses<N, At<InverseByTarget<H>, K, InverseRelation>> & {
    readonly [C in At<ChildrenByParent<H>, K, string> as ChildRelation<H, N, C>]: {
      readonly to: NameOf<N, C>;
      readonly many: true;
    };
  };

type ReferenceIn<F> = F extends { readonly 'x-references': infer X }
  ? X
  : F extends { readonly items: { readonly 'x-references': infer X } }
    ? X
    : never;

type ReferencedName<X> = X extends { readonly resource: infer N } ? N : X;

type RelationName<H, F, D> = D extends { readonly writeOnly: true }
  ? never
  : [ReferenceIn<D>] extends [never]
    ? never
    : ReferencedName<ReferenceIn<D>> extends keyof H
      ? ReferenceIn<D> extends { readonly as: infer N extends string }
        ? N
        : D extends { readonly items: unknown }
          ? never
          : F extends `${infer N}_id`
            ? N
            : never
      : never;

type ReferenceTo<N, D> = {
  readonly to: NameOf<N, ReferencedName<ReferenceIn<D>>>;
  readonly many: D extends { readonly items: unknown } ? true : false;
};

interface InverseRelation {
  readonly from: string;
  readonly to: string;
  readonly name: string;
}

type Inverses<N, E extends InverseRelation> = {
  readonly [X in E as X['name']]: { readonly to: NameOf<N, X['from']>; readonly many: true };
};

type InverseFrom<K extends string, P> = {
  [F in keyof P]: [ReferenceIn<P[F]>] extends [never]
    ? never
    : ReferenceIn<P[F]> extends { readonly resource: infer N extends string; readonly inverse: infer I extends string }
      ? { readonly from: K; readonly to: N; readonly name: I }
      : never;
}[keyof P];

/** The relations that fields of all resources declare for the resources that they refer to. */
type InverseOf<H> = {
  [K in keyof H & string]: H[K] extends { readonly schema: infer S } ? InverseFrom<K, PropertiesOf<S>> : never;
}[keyof H & string];

/** The same relations by the resource that they are of. */
type InverseByTarget<H> = { readonly [E in InverseOf<H> as E['to']]: E };

/** The names of resources by their parent. */
type ChildrenByParent<H> = {
  readonly [C in keyof H & string as H[C] extends { readonly parent: infer P extends string } ? P : never]: C;
};

/** The name of the relation from a resource to its children: declared, or that of their collection. */
type ChildRelation<H, N, C extends string> = C extends keyof H
  ? H[C] extends { readonly inverse: infer V extends string }
    ? [V] extends [never]
      ? NameOf<N, C>
      : V
    : NameOf<N, C>
  : never;

/** The value of a map for a key. */
type At<T, K, V> = K extends keyof T ? Extract<T[K], V> : never;
