import { deepFreeze } from '../../model/freeze.ts';
import type { Row } from '../../plan/plan.ts';
import { Generations } from '../../platform/generations.ts';

/** Characters of rows as JSON that are kept in each of two generations. */
const BOUND = 8_388_608;
/** Characters of a member beside a text. */
const MEMBER = 16;

/**
 * Rows as they were read last. Whoever writes a row, or learns that somebody else has, takes it out: what is in here is what the database
 * holds.
 */
export class RowCache {
  readonly #rows = new Generations<Row>(BOUND, weigh);

  get(resource: string, id: string): Row | null {
    return this.#rows.get(keyOf(resource, id)) ?? null;
  }

  /** Keeps a row, which from now on nobody can change. */
  put(resource: string, row: Row): Row {
    this.#rows.set(keyOf(resource, row.id), deepFreeze(row));
    return row;
  }

  forget(resource: string, id: string): void {
    this.#rows.delete(keyOf(resource, id));
  }

  clear(): void {
    this.#rows.clear();
  }
}

/** About as many characters as a row has as JSON. */
function weigh(row: Row): number {
  let weight = 0;
  for (const value of Object.values(row)) {
    if (typeof value === 'string') weight += value.length;
    else if (typeof value === 'object' && value !== null) weight += JSON.stringify(value).length;
  }
  return weight + Object.keys(row).length * MEMBER;
}

function keyOf(resource: string, id: string): string {
  return `${resource}\n${id}`;
}
