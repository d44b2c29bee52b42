import type { DatabaseRoleRule, Model } from '../model/model.ts';
import type { DatabaseCaller } from '../plan/write-unit.ts';
import type { Principal } from './principal.ts';
import type { RowSource } from './visible-rows.ts';
import type { Committer, Commits } from './write/commits.ts';

/**
 * Finds the role of the database as which the statements of a caller run, and the claims that its policies read. Null
 * for a model without such roles.
 */
export function findDatabaseCaller({ auth }: Pick<Model, 'auth'>, principal: Principal): DatabaseCaller | null {
  const rule = auth?.databaseRole ?? null;
  if (rule === null) return null;
  if (principal.source === null) {
    const { anonymous: role, claim } = rule;
    return { role, claims: JSON.stringify({ [claim]: role }), isAnonymous: true };
  }
  return { role: findRole(principal, rule), claims: JSON.stringify(principal.claims), isAnonymous: false };
}

/** The role that a token names; null where the model does not list it. A token cannot choose another one. */
function findRole({ claims }: Principal, { claim, roles }: DatabaseRoleRule): string | null {
  return roles.find((role) => role === claims[claim]) ?? null;
}

/** Lets the database judge what a caller reads. */
export function rowsFor(caller: DatabaseCaller | null, source: RowSource): RowSource {
  if (caller === null) return source;
  const { rowsAs, stamps } = source;
  if (rowsAs === undefined) throw new Error('The store has no roles');
  return { rows: rowsAs(caller), stamps };
}

/** Lets the database judge what a caller writes. */
export function commitsFor<S extends { readonly commits: Commits }>(caller: DatabaseCaller | null, services: S): S {
  if (caller === null) return services;
  const wrap = (writer: Committer): Committer => ({
    commit: (unit, deadline) => writer.commit({ ...unit, as: caller }, deadline),
  });
  return { ...services, commits: services.commits.through(wrap) };
}
