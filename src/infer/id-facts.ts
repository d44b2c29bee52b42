import type { Json } from '../conventions/json/json.ts';

/** The position of a row in the data. */
export interface RowPlace {
  /** The line in the file, from 1. */
  readonly line: number;
  /** The number of the row in its collection, from 1. */
  readonly row: number;
}

/** Two rows with one id. */
export interface DuplicateId {
  readonly id: string;
  readonly first: number;
  readonly second: RowPlace;
}

const MAX_LENGTH = 255;
const CONTROL = /\p{Cc}/u;
const LOWER_UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
/**
 * Memory for the ids of a collection: beyond it, duplicates are found by the import, and no references to the
 * collection are inferred.
 */
const MAX_IDS = 2_000_000;

/** The facts that hold for all values of a member named `id`. */
export class IdFacts {
  /** The rows with an id. */
  count = 0;
  /** The first row without one. */
  missing: RowPlace | null = null;
  duplicate: DuplicateId | null = null;
  isUuid = true;
  isInteger = true;
  /** True if every value is a number, not a text of digits. */
  isNumber = true;
  /** True if every value can be an id. */
  isUsable = true;
  /** The number of the row of each id; null where there are too many. */
  #rows: Map<string, number> | null = new Map();

  /** Observes the value of a row; undefined where the row has none. */
  observe(value: Json | undefined, place: RowPlace): void {
    if (value === undefined || value === null) {
      this.missing ??= place;
      return;
    }
    this.isNumber &&= typeof value === 'number';
    const id = readDataId(value);
    if (id === null) this.isUsable = false;
    else this.#add(id, place);
  }

  /** True if an id is one of those so far; null if there are too many to know. */
  has(id: string): boolean | null {
    return this.#rows === null ? null : this.#rows.has(id);
  }

  #add(id: string, place: RowPlace): void {
    this.count += 1;
    this.isUuid &&= LOWER_UUID.test(id);
    this.isInteger &&= /^(?:0|-?[1-9][0-9]*)$/.test(id);
    if (this.#rows === null) return;
    const first = this.#rows.get(id);
    if (first !== undefined) this.duplicate ??= { id, first, second: place };
    else if (this.#rows.size === MAX_IDS) this.#rows = null;
    else this.#rows.set(id, place.row);
  }
}

/**
 * The id that a value of the data is: a string, or the digits of an integer. Null for a value that cannot be an id
 * (URL-3).
 */
export function readDataId(value: Json): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : null;
  if (typeof value !== 'string' || value === '' || value === '.' || value === '..') return null;
  const fits = value.length <= MAX_LENGTH || Array.from(value).length <= MAX_LENGTH;
  return fits && !CONTROL.test(value) && value.isWellFormed() ? value : null;
}
