// The names that the data of a resource may contain, as types: fields, dotted paths of object members, states, other
// resources. What a type cannot know, such as the fields behind a `$ref`, is checked at the start alone.

/** The types of the members that every row has. */
interface SystemPaths {
  readonly id: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly revision: number;
}

type Scalar = string | number | boolean;

/**
 * The name of the field with the id of the parent: a singular that types cannot derive. @typeParam P the declared
 * parent
 */
type ParentField<P extends string> = P extends string ? `${string}_id` : never;

/** The paths of a row whose values are of type `V`. All strings where the fields are unknown. */
type PathsTo<R, V> = unknown extends R ? string : string extends keyof R ? string : DeclaredPaths<R, V>;

type DeclaredPaths<R, V, Depth extends readonly 0[] = []> = {
  [K in keyof R & string]: unknown extends R[K] ? K | `${K}.${string}` : MemberPaths<K, NonNullable<R[K]>, V, Depth>;
}[keyof R & string];

/** The members of an object type by path. Maps and arrays have none, and recursive types end after five levels. */
type MemberPaths<K extends string, M, V, Depth extends readonly 0[]> = M extends V
  ? K
  : M extends readonly unknown[]
    ? never
    : M extends object
      ? string extends keyof M
        ? never
        : Depth['length'] extends 5
          ? `${K}.${string}`
          : `${K}.${DeclaredPaths<M, V, [...Depth, 0]>}`
      : never;

/** The paths that indexes, `sort` and `sortable` can name. */
export type ScalarPath<R, P extends string> = PathsTo<R, Scalar> | keyof SystemPaths | ParentField<P>;

/** The paths that `filterable` can name. */
export type FilterPath<R, P extends string> =
  | PathsTo<R, Scalar | readonly Scalar[]>
  | keyof SystemPaths
  | ParentField<P>;

/** The paths that `search` can name. */
export type TextPath<R> = PathsTo<R, string | readonly string[]>;

/** The fields that `unique` can name. */
export type FieldName<R, P extends string> =
  | (unknown extends R ? string : string extends keyof R ? string : keyof R & string)
  | ParentField<P>;

/** The date-times that `time_field` can name. */
export type TimePath<R> = PathsTo<R, string> | 'created_at' | 'updated_at';

/**
 * A sort of declared keys, such as `-price,name`; for others the keys that there are. @typeParam O the declared sort
 */
export type SortOf<O extends string, K extends string> = string extends O
  ? string
  : O extends `${infer First},${infer Rest}`
    ? First extends K | `-${K}`
      ? `${First},${SortOf<Rest, K>}`
      : K | `-${K}`
    : K | `-${K}`;

/** The state machine of one of the fields that have an enum. */
export type StateOf<R> = unknown extends R ? object : string extends keyof R ? object : DeclaredState<R>;

type DeclaredState<R> = {
  [K in keyof R & string]: unknown extends R[K] ? Machine<K, string> : MachineOf<K, R[K]>;
}[keyof R & string];

type MachineOf<K extends string, V> = [V] extends [string | null]
  ? string extends V
    ? never
    : Machine<K, V & string>
  : never;

interface Machine<K extends string, V extends string> {
  readonly field: K;
  readonly initial: V;
  readonly transitions: { readonly [from in V]?: readonly (V | { readonly to: V; readonly scope?: string })[] };
}

/** The resources that the `x-references` of a JSON Schema name. The types of libraries do not contain them. */
export type ReferencedBy<T> = T extends { readonly properties: infer P }
  ? { [K in keyof P]: Target<P[K]> }[keyof P]
  : never;

type Target<F> = F extends { readonly 'x-references': infer X }
  ? TargetName<X>
  : F extends { readonly items: { readonly 'x-references': infer X } }
    ? TargetName<X>
    : never;

type TargetName<X> = X extends { readonly resource: infer N }
  ? TargetName<N>
  : X extends string
    ? string extends X
      ? never
      : X
    : never;
