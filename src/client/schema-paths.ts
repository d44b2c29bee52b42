// Bodies, filters and sorts of a resource as types, derived from its schema.
import type { FilterPath, ScalarPath } from '../model/typescript/name-types.ts';
import type { DeepReadonly, ValuesOf } from '../model/typescript/schema-types.ts';
import type { WithTimes } from '../model/typescript/table-types.ts';
import type { JsonFilter, ListFilter, ScalarFilter, TextFilter } from './api-types.ts';

/** The properties of a JSON Schema. Of the schemas of libraries only the types of the values are known. */
export type PropertiesOf<S> = S extends { readonly properties: infer P } ? P : object;

/** The names of the properties that a keyword marks. */
export type KeysWith<S, W extends string> = {
  [K in keyof PropertiesOf<S>]: PropertiesOf<S>[K] extends { readonly [_ in W]: true } ? K : never;
}[keyof PropertiesOf<S>] &
  string;

/** The names of the fields that no read returns. */
export type HiddenKeys<S> = KeysWith<S, 'writeOnly'> | KeysWith<S, 'x-shown-once'>;

/**
 * The body that creates an item. Members that are not required may be null or left out; null unsets them. Those with a
 * default may be left out.
 */
export type BodyOf<S> = S extends { readonly '~standard': { readonly types?: infer T } }
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

type ReadOnlyKeys<S> =
  | KeysWith<S, 'readOnly'>
  | KeysWith<S, 'x-shown-once'>
  | Exclude<FilledKeys<S>, KeysWith<S, 'x-override'>>;

/** The names of the fields that the server fills from the caller. */
type FilledKeys<S> = {
  [K in keyof PropertiesOf<S>]: PropertiesOf<S>[K] extends { readonly 'x-default': string } ? K : never;
}[keyof PropertiesOf<S>] &
  string;

type RequiredKeys<S> = S extends { readonly required: readonly (infer K)[] } ? K & keyof PropertiesOf<S> : never;

type MandatoryKeys<S> = Exclude<RequiredKeys<S>, DefaultedKeys<S> | ReadOnlyKeys<S> | FilledKeys<S>>;

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

/** The filters of each path. @typeParam B the times of a table that exists */
export type SchemaFilters<S, B = null> = WithTimes<ItemFilters, B, ScalarFilter<string>> &
  (S extends { readonly properties: object }
    ? { readonly [P in SchemaPath<S, 'filter'>]: FilterAt<S, P> }
    : S extends { readonly '~standard': unknown }
      ? ValueFilters<ValuesOf<S>>
      : { readonly [path: string]: AnyFilter });

/** The paths that `sort` can name. @typeParam P the parent, whose id can be named, too @typeParam B the times */
export type SortPath<S, P, B = null> = S extends { readonly properties: object }
  ? keyof WithTimes<ItemFilters, B, unknown> | SchemaPath<S, 'sort'> | ([P] extends [never] ? never : `${string}_id`)
  : ScalarPath<ValuesOf<S>, P & string>;

/** Marks values that only an older contract has: they have no order in the database. */
export interface Unsorted {
  readonly 'x-unsorted': true;
}

/** Marks values of an older contract that are stored at no one place. */
export interface Unfiltered extends Unsorted {
  readonly 'x-unfiltered': true;
}

/** Properties that are neither filtered nor sorted. */
type Unqueried =
  | { readonly writeOnly: true }
  | { readonly 'x-shown-once': true }
  | { readonly contentEncoding: string }
  | { readonly additionalProperties: object }
  | { readonly items: { readonly properties: object } };

/** The schema of any JSON. */
type AnyJson = { readonly type: 'json' | readonly ['json', 'null'] | readonly ['null', 'json'] };

/** The paths of a JSON Schema that filters or sorts can name; `$ref`s are not followed. */
type SchemaPath<S, Use extends 'filter' | 'sort'> = {
  [K in keyof PropertiesOf<S> & string]: PathBelow<K, PropertiesOf<S>[K], Use>;
}[keyof PropertiesOf<S> & string];

type PathBelow<K extends string, S, Use extends 'filter' | 'sort'> = S extends
  | Unqueried
  | (Use extends 'sort' ? Unsorted | { readonly items: unknown } : Unfiltered)
  ? never
  : S extends AnyJson
    ? Use extends 'sort'
      ? never
      : K | `${K}.${string}`
    : S extends { readonly properties: object }
      ? `${K}.${SchemaPath<S, Use>}`
      : S extends { readonly $ref: string }
        ? K | `${K}.${string}`
        : K;

type FilterAt<S, P extends string> = S extends AnyJson
  ? JsonFilter
  : P extends keyof PropertiesOf<S>
    ? FilterOn<PropertiesOf<S>[P]>
    : P extends `${infer H extends keyof PropertiesOf<S> & string}.${infer T}`
      ? FilterAt<PropertiesOf<S>[H], T>
      : AnyFilter;

type FilterOn<S> = S extends AnyJson
  ? JsonFilter
  : S extends { readonly items: infer I }
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
