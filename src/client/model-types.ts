// The types of an API, as they follow from a TypeScript model.
import type { DefinedModel, Resources, ResourceShape, ShapeOf } from '../model/typescript/define-model.ts';
import type { FilterPath, ScalarPath } from '../model/typescript/name-types.ts';
import type { DeepReadonly, ValuesOf } from '../model/typescript/schema-types.ts';
import type { ApiTypes, ApiVersion, ItemMembers, ListFilter, ScalarFilter, TextFilter } from './api-types.ts';

/** The types of an API: of a TypeScript model, or those that `restwright client` writes. */
export type ApiOf<M> =
  M extends DefinedModel<infer R>
    ? { readonly version: ApiVersion | undefined; readonly resources: ModelResources<R> }
    : M extends ApiTypes
      ? M
      : never;

type ModelResources<R extends Resources> = {
  readonly [K in keyof R]: ShapeOf<R[K]> extends ResourceShape<infer S, infer P, infer I, infer C>
    ? ShapedResource<R, K & string, ResourceShape<S, P, I, C>>
    : never;
};

/** The types of a resource. */
interface ShapedResource<R extends Resources, K extends string, D extends ResourceShape> {
  readonly item: ItemMembers & Readable<D['schema']> & ComputedMembers<D['computed']>;
  readonly shown_once: { readonly [F in KeysWith<D['schema'], 'x-shown-once'>]: string };
  readonly body: IdMember<D['id']> & BodyOf<D['schema']>;
  readonly immutable: KeysWith<D['schema'], 'x-immutable'>;
  readonly filters: SchemaFilters<D['schema']>;
  readonly sort: Exclude<ScalarPath<ValuesOf<D['schema']>, D['parent']>, HiddenPath<D['schema']>>;
  readonly relations: RelationsOf<R, K, D['schema']>;
  readonly parent: [D['parent']] extends [never] ? null : D['parent'];
  readonly error_prefix: string;
}

/** The properties of a JSON Schema. Of the schemas of libraries only the types of the values are known. */
type PropertiesOf<S> = S extends { readonly properties: infer P } ? P : object;

/** The names of the properties that a keyword marks. */
type KeysWith<S, W extends string> = {
  [K in keyof PropertiesOf<S>]: PropertiesOf<S>[K] extends { readonly [_ in W]: true } ? K : never;
}[keyof PropertiesOf<S>] &
  string;

/** The names of the fields that no read returns. */
type HiddenKeys<S> = KeysWith<S, 'writeOnly'> | KeysWith<S, 'x-shown-once'>;

type HiddenPath<S> = HiddenKeys<S> | `${HiddenKeys<S>}.${string}` | BinaryKeys<S>;

type BinaryKeys<S> = {
  [K in keyof PropertiesOf<S>]: PropertiesOf<S>[K] extends { readonly contentEncoding: string } ? K : never;
}[keyof PropertiesOf<S>] &
  string;

type Readable<S> = DeepReadonly<Omit<ValuesOf<S>, HiddenKeys<S>>>;

type ComputedMembers<C> = {
  readonly [K in keyof C]: C[K] extends { readonly schema: infer S } ? DeepReadonly<ValuesOf<S>> | null : never;
};

/** Clients choose the id, or the server makes it. */
type IdMember<I> = I extends 'uuid' ? unknown : { readonly id: string };

/** What creates an item. Members that are not required may be null or left out; null unsets them. Those with a default may be left out. */
type BodyOf<S> = S extends { readonly '~standard': { readonly types?: infer T } }
  ? T extends { readonly input: infer V }
    ? LibraryBody<V>
    : never
  : S extends { readonly properties: object }
    ? ObjectBody<S>
    : DeepReadonly<Record<string, unknown>>;

type LibraryBody<V> = V extends string | number | boolean | null | undefined
  ? V
  : V extends readonly (infer E)[]
    ? readonly LibraryBody<E>[]
    : V extends object
      ? { readonly [K in keyof V]: LibraryBody<Exclude<V[K], undefined>> | (undefined extends V[K] ? null : never) }
      : V;

type ObjectBody<S> = {
  readonly [K in MandatoryKeys<S>]: BodyValue<PropertiesOf<S>[K]>;
} & {
  readonly [K in Exclude<keyof PropertiesOf<S>, MandatoryKeys<S> | ReadOnlyKeys<S>>]?:
    | BodyValue<PropertiesOf<S>[K]>
    | (K extends RequiredKeys<S> ? never : null);
};

type ReadOnlyKeys<S> = KeysWith<S, 'readOnly'> | KeysWith<S, 'x-shown-once'>;

type RequiredKeys<S> = S extends { readonly required: readonly (infer K)[] } ? K & keyof PropertiesOf<S> : never;

type MandatoryKeys<S> = Exclude<RequiredKeys<S>, DefaultedKeys<S> | ReadOnlyKeys<S>>;

type DefaultedKeys<S> = {
  [K in keyof PropertiesOf<S>]: PropertiesOf<S>[K] extends { readonly default: unknown } ? K : never;
}[keyof PropertiesOf<S>];

type BodyValue<S> = S extends { readonly properties: object }
  ? ObjectBody<S> | Extract<ValuesOf<S>, null>
  : S extends { readonly items: infer I }
    ? readonly BodyValue<I>[] | Extract<ValuesOf<S>, null>
    : DeepReadonly<ValuesOf<S>>;

/** Filters on the members of every item. */
interface ItemFilters {
  readonly id: TextFilter;
  readonly created_at: ScalarFilter<string>;
  readonly updated_at: ScalarFilter<string>;
  readonly revision: ScalarFilter<number>;
}

type AnyFilter = TextFilter | ScalarFilter<number> | ScalarFilter<boolean> | ListFilter<string | number | boolean>;

type SchemaFilters<S> = ItemFilters &
  (S extends { readonly properties: object }
    ? { readonly [P in SchemaPath<S>]: FilterAt<S, P> }
    : S extends { readonly '~standard': unknown }
      ? ValueFilters<ValuesOf<S>>
      : { readonly [path: string]: AnyFilter });

/** The paths of a JSON Schema that filters can name; `$ref`s are not followed. */
type SchemaPath<S> = {
  [K in keyof PropertiesOf<S> & string]: PathBelow<K, PropertiesOf<S>[K]>;
}[keyof PropertiesOf<S> & string];

type PathBelow<K extends string, S> = S extends
  | { readonly writeOnly: true }
  | { readonly 'x-shown-once': true }
  | { readonly contentEncoding: string }
  | { readonly additionalProperties: object }
  | { readonly items: { readonly properties: object } }
  ? never
  : S extends { readonly properties: object }
    ? `${K}.${SchemaPath<S>}`
    : S extends { readonly $ref: string }
      ? K | `${K}.${string}`
      : K;

type FilterAt<S, P extends string> = P extends keyof PropertiesOf<S>
  ? FilterOn<PropertiesOf<S>[P]>
  : P extends `${infer H extends keyof PropertiesOf<S> & string}.${infer T}`
    ? FilterAt<PropertiesOf<S>[H], T>
    : AnyFilter;

type FilterOn<S> = S extends { readonly items: infer I }
  ? ListFilter<NonNullable<ValuesOf<I>>>
  : S extends { readonly format: 'date-time' | 'decimal' | 'int64' }
    ? ScalarFilter<string>
    : FilterOnValue<NonNullable<ValuesOf<S>>>;

type FilterOnValue<V> = unknown extends V
  ? AnyFilter
  : [V] extends [string]
    ? TextFilter<V>
    : [V] extends [readonly (infer E)[]]
      ? ListFilter<E>
      : ScalarFilter<V>;

type ValueFilters<V> = { readonly [P in FilterPath<V, never>]: FilterOnValue<ValueAt<V, P>> };

type ValueAt<V, P extends string> = P extends keyof V
  ? NonNullable<V[P]>
  : P extends `${infer H extends keyof V & string}.${infer T}`
    ? ValueAt<NonNullable<V[H]>, T>
    : unknown;

/** The relations of a resource whose names follow from the model without inflection: to-one, named, inverse, and its children. */
type RelationsOf<R extends Resources, K extends string, S> = {
  readonly [F in keyof PropertiesOf<S> as RelationName<F, PropertiesOf<S>[F]>]: ReferenceTo<PropertiesOf<S>[F]>;
} & {
  readonly [E in InverseOf<R> as E['to'] extends K ? E['name'] : never]: {
    readonly to: E['from'];
    readonly many: true;
  };
} & {
  readonly [C in ChildrenOf<R, K>]: { readonly to: C; readonly many: true };
};

type ReferenceIn<F> = F extends { readonly 'x-references': infer X }
  ? X
  : F extends { readonly items: { readonly 'x-references': infer X } }
    ? X
    : never;

type ReferencedName<X> = X extends { readonly resource: infer N } ? N : X;

type RelationName<F, D> = D extends { readonly writeOnly: true }
  ? never
  : [ReferenceIn<D>] extends [never]
    ? never
    : ReferenceIn<D> extends { readonly as: infer N extends string }
      ? N
      : D extends { readonly items: unknown }
        ? never
        : F extends `${infer N}_id`
          ? N
          : never;

type ReferenceTo<D> = D extends { readonly items: unknown }
  ? { readonly to: ReferencedName<ReferenceIn<D>>; readonly many: true }
  : { readonly to: ReferencedName<ReferenceIn<D>>; readonly many: false };

/** The relations that fields of all resources declare for the resources that they refer to. */
type InverseOf<R extends Resources> = {
  [K in keyof R & string]: ShapeOf<R[K]> extends { readonly schema: infer S } ? InverseFrom<K, PropertiesOf<S>> : never;
}[keyof R & string];

type InverseFrom<K extends string, P> = {
  [F in keyof P]: [ReferenceIn<P[F]>] extends [never]
    ? never
    : ReferenceIn<P[F]> extends { readonly resource: infer N; readonly inverse: infer I extends string }
      ? { readonly from: K; readonly to: N; readonly name: I }
      : never;
}[keyof P];

type ChildrenOf<R extends Resources, K extends string> = {
  [C in keyof R & string]: ShapeOf<R[C]> extends { readonly parent: infer P }
    ? [P] extends [never]
      ? never
      : P extends K
        ? C
        : never
    : never;
}[keyof R & string];
