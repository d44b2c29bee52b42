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
  /** The reason why clients do not see it, or the member with which it is compared. */
  readonly unseen: string;
}

/** The comparer of each member of a compiled type. A member that is added to the type does not compile without one. */
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

/**
 * Compares a number by the kinds of a difference for less and for more.
 *
 * @param name of the number; its unit is in it
 */
export function amount([lower, higher]: Pair<DifferenceKind>, name: string): Comparer<number> {
  return (was, is, at) =>
    was === is ? [] : [difference(is < was ? lower : higher, at, `${name} ${isAndWas(is, was)}`)];
}

/** The kinds of a difference between two sets: the new one is a part of the old one, contains it, or neither. */
export interface ContainmentKinds {
  readonly narrower: DifferenceKind;
  readonly wider: DifferenceKind;
  readonly changed: DifferenceKind;
}

/**
 * Compares two descriptions of sets: of values, or of callers. Sets that contain each other have no difference.
 *
 * @param contains true if the first set is known to contain the second one
 */
export function compareSets<T>(
  [was, is]: Pair<T>,
  contains: (outer: T, inner: T) => boolean,
  kinds: ContainmentKinds,
): DifferenceKind | null {
  const [isNarrower, isWider] = [contains(was, is), contains(is, was)];
  if (isNarrower && isWider) return null;
  return isNarrower ? kinds.narrower : isWider ? kinds.wider : kinds.changed;
}

/** The comparers of parts with names: of those in both, and of those that one side lacks. */
interface NamedPartComparers<T> {
  readonly both: (pair: Pair<T>, name: string) => readonly Difference[];
  readonly added: (part: T, name: string) => Difference | readonly Difference[];
  readonly removed: (part: T, name: string) => Difference | readonly Difference[];
}

/** Compares parts with names: those in both, then the added ones, then the removed ones. */
export function compareNamed<T>(
  { both, added, removed }: MatchedParts<T>,
  comparers: NamedPartComparers<T>,
): readonly Difference[] {
  return [
    ...[...both].flatMap(([name, pair]) => comparers.both(pair, name)),
    ...[...added].flatMap(([name, part]) => comparers.added(part, name)),
    ...[...removed].flatMap(([name, part]) => comparers.removed(part, name)),
  ];
}

/** The parts that two collections have in common, and those that only one has. */
export interface MatchedParts<T> {
  readonly removed: ReadonlyMap<string, T>;
  readonly added: ReadonlyMap<string, T>;
  readonly both: ReadonlyMap<string, Pair<T>>;
}

/**
 * Matches what has the same name in both, or where the new one says its former name. Keys are names in the new model,
 * where it is there.
 */
export function matched<T>(
  was: ReadonlyMap<string, T>,
  is: ReadonlyMap<string, T>,
  formerName: (each: T) => string | null = () => null,
): MatchedParts<T> {
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
