import type { Json } from '../conventions/json/json.ts';
import type { ValueType } from '../model/model.ts';

/**
 * An object with at least one member, whose members are made one after another while it is written: all together would
 * take too long.
 */
export class DividedObject {
  readonly members: () => Iterable<readonly [name: string, value: Divisible]>;

  constructor(members: DividedObject['members']) {
    this.members = members;
  }
}

/** An array with at least one item, whose items are made one after another while it is written. */
export class DividedArray {
  readonly items: () => Iterable<Divisible>;

  constructor(items: DividedArray['items']) {
    this.items = items;
  }
}

/** A JSON value, or a large one that is written in pieces. */
export type Divisible = Json | DividedObject | DividedArray;

export function isDivided(value: Divisible): value is DividedObject | DividedArray {
  return value instanceof DividedObject || value instanceof DividedArray;
}

/** The type of the items of an array; null if it is not known. */
export function itemType(type: ValueType | null): ValueType | null {
  return type?.kind === 'array' ? type.item.type : null;
}

/** The type of a member of an object; null if it is not known. */
export function memberType(type: ValueType | null, name: string): ValueType | null {
  return type?.kind === 'object' ? (type.members.find((each) => each.name === name)?.type ?? null) : null;
}
