import { weakMemoize } from '../../cache/memoize.ts';
import type { DeletePlan, RowAddress } from '../../plan/plan.ts';
import { BindParameters, type Dialect, type Statement } from './dialect.ts';
import { relatedMembers } from './related-json.ts';
import { type Prepare, prepareStatement, unlockedRows } from './prepare.ts';
import type { Tables } from './tables.ts';

/** The tombstones of deleted rows (MET-4): the values that policies compare, until a time. */
interface TombstoneStatements {
  /** Parameters: resource, path, values as JSON, when it expires. */
  readonly set: Prepare;
  /** Parameters: resource, path. */
  readonly clear: Prepare;
  /** Parameters: resource, path, now. Column: `row`. */
  readonly find: Prepare;
  /** Parameters: now, limit. */
  readonly purge: Prepare;
  /** Parameters: the new name of a resource, the old one. */
  readonly rename: Prepare;
  /** Parameter: resource. */
  readonly drop: Prepare;
  /** Parameters: resource, the last path that was read, limit. Columns: `path`, `row`. */
  readonly list: Prepare;
  /** Parameters: values as JSON, resource, path. */
  readonly replace: Prepare;
}

/** @param values expressions of the columns */
function setText(values: readonly string[]): string {
  return `insert into restwright_tombstones (resource, path, row, expires_at) values (${values.join(', ')})
on conflict (resource, path) do update set row = excluded.row, expires_at = excluded.expires_at`;
}

const statementsOf = weakMemoize((dialect: Dialect): TombstoneStatements => {
  const of = (text: string): Prepare => prepareStatement(dialect, text);
  return {
    set: of(setText(['?', '?', '?', '?'])),
    clear: of('delete from restwright_tombstones where resource = ? and path = ?'),
    find: of('select row from restwright_tombstones where resource = ? and path = ? and expires_at > ?'),
    purge: of(`delete from restwright_tombstones where (resource, path) in
  (select resource, path from restwright_tombstones where expires_at <= ? order by expires_at limit ?${unlockedRows(dialect)})`),
    rename: of('update restwright_tombstones set resource = ? where resource = ?'),
    drop: of('delete from restwright_tombstones where resource = ?'),
    list: of('select path, row from restwright_tombstones where resource = ? and path > ? order by path limit ?'),
    replace: of('update restwright_tombstones set row = ? where resource = ? and path = ?'),
  };
});

/**
 * Stores the tombstone of a row that a plan deletes, with the recorded values of the rows that it refers to. It must
 * run before the row is deleted.
 */
export function setTombstone(
  tables: Tables,
  plan: DeletePlan,
  { values, expiresAt }: NonNullable<DeletePlan['tombstone']>,
): Statement {
  const { dialect } = tables;
  const own = JSON.stringify(tables.recordForms.writeTombstone(plan.resource, values));
  const { related, before = null } = plan.related ?? {};
  if (related === undefined || before === null)
    return statementsOf(dialect).set(plan.resource, addressKey(plan), own, expiresAt);
  const parameters = new BindParameters(dialect);
  const [resource, path, begun] = [plan.resource, addressKey(plan), own.slice(0, -1)].map((each) =>
    parameters.add(each),
  );
  const members = relatedMembers(tables, related, before, parameters);
  const others = own === '{}' ? `substr(${members}, 2)` : members;
  const row = `cast(${begun} as text) || ${others} || '}'`;
  const text = setText([resource ?? '', path ?? '', row, parameters.add(expiresAt)]);
  return { text, values: parameters.values };
}

/** Removes the tombstone of an id that is used again. */
export function clearTombstone(dialect: Dialect, resource: string, address: RowAddress): Statement {
  return statementsOf(dialect).clear(resource, addressKey(address));
}

/** Reads a tombstone. Column: `row`. @param now milliseconds since the epoch */
export function findTombstone(dialect: Dialect, resource: string, address: RowAddress, now: number): Statement {
  return statementsOf(dialect).find(resource, addressKey(address), now);
}

export function purgeTombstones(dialect: Dialect, now: number, limit: number): Statement {
  return statementsOf(dialect).purge(now, limit);
}

/** Moves the tombstones of a renamed resource to its new name. */
export function renameTombstones(dialect: Dialect, from: string, to: string): Statement {
  return statementsOf(dialect).rename(to, from);
}

/** Removes the tombstones of a resource. */
export function dropTombstones(dialect: Dialect, resource: string): Statement {
  return statementsOf(dialect).drop(resource);
}

/** Reads tombstones in the order of their paths. Columns: `path`, `row`. @param after the last path that was read */
export function readTombstones(dialect: Dialect, resource: string, after: string, limit: number): Statement {
  return statementsOf(dialect).list(resource, after, limit);
}

/** Replaces the values of a tombstone. @param row JSON */
export function replaceTombstone(dialect: Dialect, resource: string, path: string, row: string): Statement {
  return statementsOf(dialect).replace(row, resource, path);
}

/** The id and those above it, as JSON: below another parent an id is another URL. */
function addressKey({ id, within }: RowAddress): string {
  return JSON.stringify([id, ...within.map((ancestor) => ancestor.id)]);
}
