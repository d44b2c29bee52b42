// Which contract a version names, as types: the newest one, or an older one, which the changes of the versions in
// between lead to.
import type { ChangedShapes, NamesAfter } from './older-types.ts';

/**
 * The source of an older contract: shapes of resources, and names of collections where they differ, by key of the
 * resource.
 */
export interface NamedContract<H, N> {
  readonly shapes: H;
  readonly names: N;
}

/**
 * The contract that a version names; null if the model serves none. @typeParam V `undefined` for the newest contract
 */
export type ContractNamed<H, F, V> = V extends number | string
  ? IsNewest<F, V> extends true
    ? NamedContract<H, object>
    : F extends { readonly versions: infer L }
      ? OlderNamed<L, V> extends infer T extends string
        ? ContractAt<NamedContract<H, object>, L, keyof L & string, T>
        : null
      : null
  : NamedContract<H, object>;

/** True if a major version, or MAJOR.MINOR, names the version of the model. */
type IsNewest<F, V extends number | string> = F extends { readonly version: `${V}.${string}` } ? true : false;

/** The newest one of the versions that are served and that a number names. */
type OlderNamed<L, V extends number | string> = Newest<
  {
    [K in keyof L & string]: L[K] extends { readonly retired: true } ? never : K extends `${V}.${string}` ? K : never;
  }[keyof L & string]
>;

/**
 * Applies the changes of the versions from the newest one to that of the contract. @typeParam K the versions whose
 * changes are not applied yet
 */
type ContractAt<C, L, K extends string, T extends string> = [K] extends [never]
  ? null
  : Newest<K> extends infer X extends K & keyof L
    ? X extends T
      ? WithChanges<C, L[X]>
      : ContractAt<WithChanges<C, L[X]>, L, Exclude<K, X>, T>
    : never;

type WithChanges<C, E> = E extends { readonly changes: infer A extends readonly unknown[] } ? AfterAll<C, A> : C;

type AfterAll<C, A extends readonly unknown[]> = A extends readonly [infer First, ...infer Rest]
  ? C extends NamedContract<infer H, infer N>
    ? AfterAll<NamedContract<ChangedShapes<H, First>, NamesAfter<N, First>>, Rest>
    : never
  : C;

/** The newest one of some versions. */
type Newest<K extends string> = { [X in K]: [Newer<K, X>] extends [never] ? X : never }[K];

/** Those of some versions that are newer than one. */
type Newer<K extends string, Than extends string> = K extends string
  ? CompareVersions<K, Than> extends 'more'
    ? K
    : never
  : never;

type CompareVersions<
  A extends string,
  B extends string,
> = `${A} ${B}` extends `${infer AMajor}.${infer AMinor}.${infer APatch} ${infer BMajor}.${infer BMinor}.${infer BPatch}`
  ? CompareNumbers<AMajor, BMajor> extends infer Major extends 'less' | 'more'
    ? Major
    : CompareNumbers<AMinor, BMinor> extends infer Minor extends 'less' | 'more'
      ? Minor
      : CompareNumbers<APatch, BPatch>
  : never;

/**
 * Compares numbers without leading zeros: the longer one is more, of equally long ones the first digit that differs
 * decides.
 */
type CompareNumbers<A extends string, B extends string, SoFar = 'same'> = A extends `${infer ADigit}${infer ARest}`
  ? B extends `${infer BDigit}${infer BRest}`
    ? CompareNumbers<ARest, BRest, SoFar extends 'same' ? CompareDigits<ADigit, BDigit> : SoFar>
    : 'more'
  : B extends ''
    ? SoFar
    : 'less';

type CompareDigits<A extends string, B extends string> = A extends B
  ? 'same'
  : '0123456789' extends `${string}${A}${string}${B}${string}`
    ? 'less'
    : 'more';
