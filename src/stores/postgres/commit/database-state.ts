import type { SqlRow, Statement } from '../../sql/dialect.ts';

/** Up to where a database has been changed. */
export interface DatabaseState {
  /** When its server started: another one may not have the last commits of this one. */
  readonly server: string;
  /**
   * The changes of the transactions that had each slot. They ascend in the order of its commits, so that equal numbers
   * are the same commits.
   */
  readonly slots: ReadonlyMap<number, number>;
}

/** An expression: when the server started. */
export const SERVER = 'extract(epoch from pg_postmaster_start_time())::text';

/** A query of one row, which {@link readState} reads. */
export const SELECT_STATE = `select string_agg(slot || ':' || changes, ',') as slots, ${SERVER} as server from restwright_slots where changes > 0`;

export const STATE: Statement = { text: SELECT_STATE, values: [] };

/** The state of a database that nothing is known of: each other one has it. */
export const NO_STATE: DatabaseState = { server: '', slots: new Map() };

/** The state in a row of {@link SELECT_STATE}. */
export function readState(row: SqlRow | null): DatabaseState {
  const { slots = null, server = '' } = row ?? {};
  const pairs = slots === null ? [] : String(slots).split(',');
  return { server: String(server), slots: new Map(pairs.map((pair) => readPair(pair.split(':')))) };
}

function readPair([slot, changes]: readonly string[]): [number, number] {
  return [Number(slot), Number(changes)];
}

/** Checks if a state has all commits of another one. */
export function includesState(state: Pick<DatabaseState, 'slots'>, other: Pick<DatabaseState, 'slots'>): boolean {
  for (const [slot, changes] of other.slots) if ((state.slots.get(slot) ?? 0) < changes) return false;
  return true;
}

/** Checks if two states have the same commits, whatever server shows them. */
export function hasSameCommits(one: DatabaseState, other: DatabaseState): boolean {
  return includesState(one, other) && includesState(other, one);
}

/** The least state that has the commits of both. */
export function joinStates(one: DatabaseState, other: DatabaseState): DatabaseState {
  if (includesState(one, other)) return one;
  if (includesState(other, one)) return other;
  const slots = new Map(one.slots);
  for (const [slot, changes] of other.slots) slots.set(slot, Math.max(changes, slots.get(slot) ?? 0));
  return { ...one, slots };
}

/** The number of changes of all slots. */
export function countChanges({ slots }: Pick<DatabaseState, 'slots'>): number {
  return [...slots.values()].reduce((sum, each) => sum + each, 0);
}
