// The changes of a version, as types: the shapes of resources in a version, of those in its successor.
import type { ResourceShape } from '../model/typescript/define-model.ts';
import type { Added, Joined, RequiredAfter, WithMembers, WithMoves } from './added-members.ts';
import type { DeclaredIn, ObjectBefore, PathChangesOf } from './kept-members.ts';

/** The shapes of the resources of a version, of those of its successor. @typeParam E one of its changes */
export type ChangedShapes<H, E> = E extends { readonly resource: infer K extends string }
  ? E extends { readonly absent: true }
    ? Omit<H, K>
    : { readonly [X in keyof H]: X extends K ? ChangedShape<H[X], E> : H[X] }
  : H;

/** The names of collections in a version. */
export type NamesAfter<N, E> = E extends {
  readonly resource: infer K extends string;
  readonly collection: infer C extends string;
}
  ? Omit<N, K> & { readonly [_ in K]: InSnakeCase<C> }
  : N;

type InSnakeCase<S extends string> = S extends `${infer A}-${infer B}` ? `${A}_${InSnakeCase<B>}` : S;

type ChangedShape<D, E> =
  D extends ResourceShape<infer S, infer P, infer I, infer M, infer X, infer V, infer W, infer B>
    ? ResourceShape<
        SchemaBefore<SchemaNode<S>, E>,
        P,
        I,
        M,
        E extends { readonly singular: infer N extends string } ? Uppercase<N> : X,
        V,
        W,
        B
      >
    : D;

/** A schema of a library as a JSON Schema with the same types: of its values nothing else is known. */
type SchemaNode<S> = S extends { readonly '~standard': { readonly types?: infer T } }
  ? T extends { readonly input: infer V }
    ? ValueNode<V>
    : never
  : S;

type ValueNode<V, Depth extends readonly 0[] = []> = V extends readonly (infer I)[]
  ? { readonly type: 'array'; readonly items: ValueNode<I, Depth> }
  : V extends object
    ? string extends keyof V
      ? { readonly type: 'object'; readonly additionalProperties: { readonly enum: readonly V[keyof V][] } }
      : Depth['length'] extends 5
        ? { readonly enum: readonly V[] }
        : {
            readonly type: 'object';
            readonly properties: { readonly [K in keyof V]-?: MemberNode<Exclude<V[K], undefined>, Depth> };
            readonly required: readonly RequiredMembers<V>[];
          }
    : { readonly enum: readonly V[] };

type RequiredMembers<V> = { [K in keyof V]-?: undefined extends V[K] ? never : K }[keyof V];

/** One node for a union of scalars, and not a union of nodes. */
type MemberNode<V, Depth extends readonly 0[]> = [V] extends [object]
  ? ValueNode<V, [...Depth, 0]>
  : { readonly enum: readonly V[] };

type SchemaBefore<S, E> = WithMembers<
  WithMoves<ObjectBefore<S, PathChangesOf<E>>, S, DeclaredIn<E, 'move'>>,
  Added<DeclaredIn<E, 'with'>> &
    Added<DeclaredIn<E, 'split'>> &
    Added<DeclaredIn<E, 'type'>> &
    Joined<DeclaredIn<E, 'join'>>,
  RequiredAfter<S, E>
>;
