import { weakMemoize } from '../../cache/memoize.ts';
import type { DeletePlan, RowAddress } from '../../plan/plan.ts';
import type { Dialect, Statement } from './dialect.ts';
import { type Prepare, prepare } from './prepare.ts';

/** What is stored of deleted rows (MET-4): the values that policies compare, until a time. */
interface TombstoneStatements {
  /** Parameters: resource, path, values as JSON, when it expires. */
  readonly set: Prepare;
  /** Parameters: resource, path. */
  readonly clear: Prepare;
  /** Parameters: resource, path, now. Column: `row`. */
  readonly find: Prepare;
  /** Parameters: now, limit. */
  readonly purge: Prepare;
}

const statementsOf = weakMemoize((dialect: Dialect): TombstoneStatements => {
  const of = (text: string): Prepare => prepare(dialect, text);
  return {
    set: of(`insert into restwright_tombstones (resource, path, row, expires_at) values (?, ?, ?, ?)
on conflict (resource, path) do update set row = excluded.row, expires_at = excluded.expires_at`),
    clear: of('delete from restwright_tombstones where resource = ? and path = ?'),
    find: of('select row from restwright_tombstones where resource = ? and path = ? and expires_at > ?'),
    purge: of(`delete from restwright_tombstones where (resource, path) in
  (select resource, path from restwright_tombstones where expires_at <= ? order by expires_at limit ?)`),
  };
});

/** Stores the tombstone of a row that a plan deletes. */
export function setTombstone(
  dialect: Dialect,
  plan: DeletePlan,
  { values, expiresAt }: NonNullable<DeletePlan['tombstone']>,
): Statement {
  return statementsOf(dialect).set(plan.resource, pathOf(plan), JSON.stringify(values), expiresAt);
}

/** Removes the tombstone of an id that is used again. */
export function clearTombstone(dialect: Dialect, resource: string, address: RowAddress): Statement {
  return statementsOf(dialect).clear(resource, pathOf(address));
}

/** Reads a tombstone. Column: `row`. @param now milliseconds since the epoch */
export function findTombstone(dialect: Dialect, resource: string, address: RowAddress, now: number): Statement {
  return statementsOf(dialect).find(resource, pathOf(address), now);
}

export function purgeTombstones(dialect: Dialect, now: number, limit: number): Statement {
  return statementsOf(dialect).purge(now, limit);
}

/** The id and those above it, as JSON: below another parent an id is another URL. */
function pathOf({ id, within }: RowAddress): string {
  return JSON.stringify([id, ...within.map((ancestor) => ancestor.id)]);
}
