// The rows of a table that exists, as types: any column may be NULL, and the times of a row may have no column.

/** The times of a row that the server sets, or that have a column. */
type TimeName = 'created_at' | 'updated_at';

/**
 * The times whose columns a resource names; null for rows that the server stores, which have both. @typeParam T the
 * table @typeParam C the column of `created_at` @typeParam U that of `updated_at`; each is `never` without one
 */
export type TimesOf<T, C, U> = [T] extends [never]
  ? null
  : ([C] extends [never] ? never : 'created_at') | ([U] extends [never] ? never : 'updated_at');

/** Selects one of two types. @typeParam B times of a resource @typeParam O for rows of the server @typeParam X else */
export type ByOrigin<B, O, X> = [null] extends [B] ? O : X;

/** The members that rows have besides their fields, or what is known of each. @typeParam M those of own rows */
export type WithTimes<M, B, V> = ByOrigin<B, M, Omit<M, TimeName> & { readonly [K in B & TimeName]: V }>;

/** The values of a row that is read. A column may be NULL, or hold what does not fit, whatever the schema says. */
export type ReadValues<R, B> = ByOrigin<B, R, { [K in keyof R]: OrNull<R[K]> }>;

type OrNull<V> = V extends readonly (infer I)[] ? (I | null)[] | null : V | null;
