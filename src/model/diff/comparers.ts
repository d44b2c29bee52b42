import type { Json } from '../../conventions/json/json.ts';
import { type Difference, difference, isAndWas, type Place } from './difference.ts';
import type { DifferenceKind } from './difference-kinds.ts';

/** Something in the old model, and the same in the new one. */
export type Pair<T> = readonly [was: T, is: T];

/**
 * Compares one member of a compiled type.
 *
 * @param whole what the member belongs to
 */
export type Comparer<V, T = unknown, P extends Place = Place> = (
  was: V,
  is: V,
  at: P,
  whole: Pair<T>,
) => readonly Difference[];

/** A member that is not compared by itself. */
export interface Unseen {
  /** Why clients do not see it, or what it is compared with. */
  readonly unseen: string;
}

/** How each member of a compiled type is compared. A member that is added to the type does not compile until that is decided here. */
export type Comparers<T, P extends Place = Place> = { readonly [K in keyof T]-?: Comparer<T[K], T, P> | Unseen };

export function unseen(reason: string): Unseen {
  return { unseen: reason };
}

/** The differences of all members of a compiled type. */
export function compareMembers<T extends object, P extends Place>(
  comparers: Comparers<T, P>,
  whole: Pair<T>,
  at: P,
): readonly Difference[] {
  const [was, is] = whole;
  const found: Difference[] = [];
  for (const name in comparers) {
    const comparer = comparers[name];
    if (typeof comparer === 'function') found.push(...comparer(was[name], is[name], at, whole));
  }
  return found;
}

/** Compares a flag by the kind and the words of a difference for each direction. */
export function flag(on: readonly [DifferenceKind, string], off: readonly [DifferenceKind, string]): Comparer<boolean> {
  return (was, is, at) => {
    if (was === is) return [];
    const [kind, what] = is ? on : off;
    return [difference(kind, at, what)];
  };
}

/** Compares a value that is shown as it is. @param name of the value: `the base path` */
export function value(kind: DifferenceKind, name: string): Comparer<Json> {
  return (was, is, at) => (was === is ? [] : [difference(kind, at, `${name} ${isAndWas(is, was)}`)]);
}

/** Compares a number by the kinds of a difference for less and for more. @param name of the number; its unit is in it */
export function amount([lower, higher]: Pair<DifferenceKind>, name: string): Comparer<number> {
  return (was, is, at) =>
    was === is ? [] : [difference(is < was ? lower : higher, at, `${name} ${isAndWas(is, was)}`)];
}

/** What two collections of named things have in common and not. */
interface Matched<T> {
  readonly removed: ReadonlyMap<string, T>;
  readonly added: ReadonlyMap<string, T>;
  readonly both: ReadonlyMap<string, Pair<T>>;
}

/** Matches what has the same name in both, or where the new one says its former name. Keys are names in the new model, where it is there. */
export function matched<T>(
  was: ReadonlyMap<string, T>,
  is: ReadonlyMap<string, T>,
  formerName: (each: T) => string | null = () => null,
): Matched<T> {
  const removed = new Map(was);
  const added = new Map<string, T>();
  const both = new Map<string, Pair<T>>();
  for (const [name, each] of is) {
    const former = formerName(each);
    const oldName = was.has(name) || former === null || is.has(former) ? name : former;
    const old = was.get(oldName);
    if (old === undefined) added.set(name, each);
    else both.set(name, [old, each]);
    removed.delete(oldName);
  }
  return { removed, added, both };
}

/** The values that only one of two sets has. */
export function setDifference<T>(
  was: Iterable<T>,
  is: Iterable<T>,
): { readonly removed: readonly T[]; readonly added: readonly T[] } {
  const [before, after] = [new Set(was), new Set(is)];
  return { removed: [...before.difference(after)], added: [...after.difference(before)] };
}
