// The members of an object in a version and their names, derived from its successor, as types.
import type { Unfiltered, Unsorted } from './schema-paths.ts';

/** The effect of a change on the members of an object, by paths that are relative to it. */
interface PathChanges {
  /** Paths of the successor that are elsewhere in this version, or not part of it. */
  readonly dropped: string;
  /** Paths of this version, and those of the successor. */
  readonly rename: object;
  readonly values: object;
  readonly default_out: object;
}

/** The declaration of a change under a name. */
export type DeclaredIn<E, M extends string> = E extends { readonly [_ in M]: infer V } ? V : object;

type Strings<V> = V extends readonly (infer X)[] ? X & string : never;

type ValuesIn<T> = T[keyof T];

/** The paths of the successor that a change converts, moves or leaves out. */
type Dropped<E> =
  | Strings<DeclaredIn<E, 'without'>>
  | (keyof DeclaredIn<E, 'join'> & string)
  | Strings<
      { [F in keyof DeclaredIn<E, 'split'>]: DeclaredIn<DeclaredIn<E, 'split'>[F], 'into'> }[keyof DeclaredIn<
        E,
        'split'
      >]
    >
  | (ValuesIn<DeclaredIn<E, 'move'>> & string)
  | TypeTargets<DeclaredIn<E, 'type'>>;

type TypeTargets<T> = { [F in keyof T]: T[F] extends { readonly to: infer N } ? N : F }[keyof T] & string;

export interface PathChangesOf<E> extends PathChanges {
  readonly dropped: Dropped<E>;
  readonly rename: DeclaredIn<E, 'rename'> & object;
  readonly values: DeclaredIn<E, 'values'> & object;
  readonly default_out: DeclaredIn<E, 'default_out'> & object;
}

/** The name of a member of the successor in this version. */
type NameIn<C extends PathChanges, K extends string> = {
  [F in keyof C['rename']]: C['rename'][F] extends K ? F : never;
}[keyof C['rename']] extends infer N
  ? [N] extends [never]
    ? K
    : LastPart<N & string>
  : never;

type LastPart<P extends string> = P extends `${string}.${infer R}` ? LastPart<R> : P;

/** The part of paths below a name. */
type Below<P, K extends string> = P extends `${K}.${infer R}` ? R : never;

/** The changes of a member: of its paths in this version, `N`, and in the successor, `K`. */
interface PathChangesBelow<C extends PathChanges, N extends string, K extends string> extends PathChanges {
  readonly dropped: Below<C['dropped'], K>;
  readonly rename: {
    [F in keyof C['rename'] as Below<F, N>]: Below<C['rename'][F], K>;
  };
  readonly values: { [F in keyof C['values'] as Below<F, N>]: C['values'][F] };
  readonly default_out: { [F in keyof C['default_out'] as Below<F, N>]: C['default_out'][F] };
}

/**
 * The object without what is elsewhere, and with other names and values. A member of which nothing is left is dropped,
 * too.
 */
export type ObjectBefore<S, C extends PathChanges> = S extends { readonly properties: infer P }
  ? Omit<S, 'properties' | 'required'> & {
      readonly properties: {
        readonly [K in keyof P & string as K extends C['dropped']
          ? never
          : IsEmptied<P[K], Below<C['dropped'], K>> extends true
            ? never
            : NameIn<C, K>]: MemberBefore<P[K], C, NameIn<C, K>, K>;
      };
      readonly required: readonly RequiredIn<S, C>[];
    }
  : S;

type MemberBefore<S, C extends PathChanges, N extends string, K extends string> = ObjectBefore<
  WithValues<S, DeclaredIn<C['values'], N>, N extends keyof C['default_out'] ? C['default_out'][N] : undefined>,
  PathChangesBelow<C, N, K>
>;

type IsEmptied<S, D> = S extends { readonly properties: infer P }
  ? [Exclude<keyof P, D>] extends [never]
    ? true
    : false
  : false;

export type RequiredNames<S> = S extends { readonly required: readonly (infer K)[] } ? K & string : never;

type RequiredIn<S, C extends PathChanges> =
  RequiredNames<S> extends infer K extends string ? (K extends C['dropped'] ? never : NameIn<C, K>) : never;

/** A schema whose listed values differ. Of values that are not one-to-one, one does not say which rows are meant. */
type WithValues<S, M, D> = [keyof M] extends [never]
  ? S
  : S extends { readonly items: infer I }
    ? Omit<S, 'items'> & { readonly items: WithListed<I, M, D> } & Unfiltered
    : WithListed<S, M, D> & (D extends undefined ? Unsorted : Unfiltered);

type WithListed<S, M, D> = S extends { readonly enum: readonly (infer V)[] }
  ? Omit<S, 'enum'> & { readonly enum: readonly OlderValue<V, M, D>[] }
  : S extends { readonly const: infer V }
    ? Omit<S, 'const'> & { readonly enum: readonly OlderValue<V, M, D>[] }
    : S;

/** The values of this version that mean a value of the successor. What no pair names means itself. */
type OlderValue<V, M, D> = V extends unknown
  ? { [F in keyof M]: M[F] extends V ? Named<F, V> : never }[keyof M] extends infer X
    ? [X] extends [never]
      ? `${V & (string | number | boolean)}` extends keyof M
        ? never
        : `${V & (string | number | boolean)}` extends keyof D
          ? never
          : V
      : X
    : never
  : never;

/** The value that the name of a member stands for, because all names are strings. @typeParam V a value of its type */
type Named<F, V> = V extends string ? F : F extends `${infer X extends number | boolean}` ? X : F;
