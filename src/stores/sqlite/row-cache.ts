import { deepFreeze } from '../../model/freeze.ts';
import type { Row } from '../../plan/plan.ts';
import { Recurring } from '../../platform/recurring.ts';

/** Bytes that rows take, with what is told of them, in each of two generations. */
const BOUND = 8_388_608;
/** About as many rows as there is room for. */
const ROWS = 8_192;
/**
 * A row is read in a few microseconds. To keep one takes several times as long with what it costs the garbage collector, so it is to come a
 * third time: where any of a hundred thousand may be asked for next, every twelfth read is of one that was read lately, and every 150th of one
 * that was twice.
 */
const RECURRENCES = 2;
/** Bytes of a member beside a text, and of all that keeps a row. */
const MEMBER = 24;
const KEEPING = 400;
/** One such character has all of its text take two bytes for each. */
const WIDE = /[^\0-\xff]/;

/**
 * Rows that were asked for more than twice, as they were read last. Whoever writes a row, or learns that somebody else has, takes it out:
 * what is in here is what the database holds.
 */
export class RowCache {
  readonly #rows = new Recurring<Row>({ bound: BOUND, weigh, keys: ROWS, recurrences: RECURRENCES });
  /** The family of each resource: to make one text of its name and an id takes longer than to look it up. */
  readonly #families = new Map<string, number>();

  get(resource: string, id: string): Row | null {
    return this.#rows.get(id, this.#familyOf(resource)) ?? null;
  }

  /** Keeps a row, which from now on nobody can change, where it is asked for again. */
  offer(resource: string, row: Row): Row {
    return this.#rows.offer(row.id, row, this.#familyOf(resource)) ? deepFreeze(row) : row;
  }

  /** Keeps a row, which from now on nobody can change. */
  put(resource: string, row: Row): Row {
    this.#rows.set(row.id, deepFreeze(row), this.#familyOf(resource));
    return row;
  }

  forget(resource: string, id: string): void {
    this.#rows.delete(id, this.#familyOf(resource));
  }

  clear(): void {
    this.#rows.clear();
  }

  #familyOf(resource: string): number {
    const known = this.#families.get(resource);
    if (known !== undefined) return known;
    const family = this.#families.size + 1;
    this.#families.set(resource, family);
    return family;
  }
}

/** About as many bytes as a row takes, once as it is and once as it is told. */
function weigh(row: Row): number {
  let weight = 0;
  let isWide = false;
  for (const value of Object.values(row)) {
    const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
    weight += MEMBER;
    if (typeof text !== 'string') continue;
    weight += text.length;
    isWide ||= WIDE.test(text);
  }
  return weight * (isWide ? 4 : 2) + KEEPING;
}
