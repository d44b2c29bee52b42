// The members of an object that a version has in addition to those of its successor, or in other places, as types.
import type { DeclaredIn, RequiredNames } from './kept-members.ts';
import type { PropertiesOf, Unfiltered } from './schema-paths.ts';

/** The fields that only this version has: they have no place in the database. */
export type Added<T> = {
  readonly [F in keyof T]: T[F] extends { readonly schema: infer X } ? X & Unfiltered : never;
};

type JoinedNames<T> = { [J in keyof T]: T[J] extends { readonly from: infer P } ? keyof P : never }[keyof T];

export type Joined<T> = { readonly [N in JoinedNames<T>]: JoinedSchema<T, N> };

type JoinedSchema<T, N> = {
  [J in keyof T]: T[J] extends { readonly from: infer P } ? (N extends keyof P ? P[N] & Unfiltered : never) : never;
}[keyof T];

/** The converted fields that requests must have: what they convert to is required, and has no default. */
export type RequiredAfter<S, E> =
  | RequiredFrom<S, DeclaredIn<E, 'split'>, 'into'>
  | RequiredFrom<S, DeclaredIn<E, 'type'>, 'to'>
  | {
      [J in keyof DeclaredIn<E, 'join'>]: IsMandatory<S, J> extends true
        ? DeclaredIn<E, 'join'>[J] extends { readonly from: infer P }
          ? Needed<P>
          : never
        : never;
    }[keyof DeclaredIn<E, 'join'>];

type RequiredFrom<S, T, M extends 'into' | 'to'> = {
  [F in keyof T]: T[F] extends { readonly schema: infer X }
    ? true extends IsMandatory<S, TargetsOf<T[F], M, F>>
      ? keyof { [_ in F as MayBeUnset<X> extends true ? never : F]: X }
      : never
    : never;
}[keyof T];

type TargetsOf<X, M extends string, F> = X extends { readonly [_ in M]: infer V }
  ? V extends readonly (infer I)[]
    ? I
    : V
  : F;

/** Boolean for each of some fields, true if it is required without a default; a union for several. */
type IsMandatory<S, K> = K extends keyof PropertiesOf<S>
  ? K extends RequiredNames<S>
    ? PropertiesOf<S>[K] extends
        | { readonly default: unknown }
        | { readonly readOnly: true }
        | { readonly 'x-default': string }
      ? false
      : true
    : false
  : false;

type Needed<P> = { [F in keyof P]: MayBeUnset<P[F]> extends true ? never : F }[keyof P];

type MayBeUnset<X> = X extends { readonly default: unknown }
  ? true
  : X extends { readonly type: readonly (infer T)[] }
    ? 'null' extends T
      ? true
      : false
    : false;

export type WithMembers<S, A, R> = [keyof A] extends [never]
  ? S
  : Omit<S, 'properties' | 'required'> & {
      readonly properties: {
        readonly [K in keyof PropertiesOf<S> | keyof A]: K extends keyof A
          ? A[K]
          : PropertiesOf<S>[K & keyof PropertiesOf<S>];
      };
      readonly required: readonly (RequiredNames<S> | R)[];
    };

/**
 * The object with the members that are in other places. @typeParam S the schema of the successor @typeParam M by path
 * in this version, that in it
 */
export type WithMoves<O, S, M> = [keyof M] extends [never]
  ? O
  : UnionToTuple<keyof M> extends infer P extends readonly unknown[]
    ? MovedAll<O, S, M, P>
    : never;

type MovedAll<O, S, M, P extends readonly unknown[]> = P extends readonly [infer First, ...infer Rest]
  ? First extends keyof M & string
    ? MovedAll<Inserted<O, First, SchemaAt<S, M[First] & string>, IsAlwaysSet<S, M[First] & string>>, S, M, Rest>
    : never
  : O;

type SchemaAt<S, P extends string> = P extends `${infer H}.${infer T}`
  ? H extends keyof PropertiesOf<S>
    ? SchemaAt<PropertiesOf<S>[H], T>
    : never
  : P extends keyof PropertiesOf<S>
    ? PropertiesOf<S>[P]
    : never;

type IsAlwaysSet<S, P extends string> = P extends `${infer H}.${infer T}`
  ? H extends RequiredNames<S> & keyof PropertiesOf<S>
    ? IsAlwaysSet<PropertiesOf<S>[H], T>
    : false
  : P extends RequiredNames<S>
    ? true
    : false;

/** Adds a member at a path to an object and to the objects on the way, which are made where there are none. */
type Inserted<O, P extends string, X, R> = P extends `${infer H}.${infer T}`
  ? WithMembers<
      O,
      {
        readonly [_ in H]: Inserted<
          H extends keyof PropertiesOf<O> ? PropertiesOf<O>[H] : { readonly type: 'object' },
          T,
          X,
          R
        >;
      },
      R extends true ? H : never
    >
  : WithMembers<O, { readonly [_ in P]: X }, R extends true ? P : never>;

type UnionToIntersection<U> = (U extends unknown ? (of: U) => void : never) extends (of: infer I) => void ? I : never;

type UnionToTuple<U> = [U] extends [never]
  ? []
  : UnionToIntersection<U extends unknown ? () => U : never> extends () => infer L
    ? [...UnionToTuple<Exclude<U, L>>, L]
    : never;
