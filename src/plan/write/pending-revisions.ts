import type { ExpectedRevision } from '../plan.ts';

/**
 * The placeholder for the revision of a row that plan `n` of a unit writes, until the commit assigns one: `-1 - n`.
 * Stored revisions are never negative, so no value that a client sends can equal it.
 */
export function pendingRevision(plan: number): number {
  return -1 - plan;
}

/** The plan of a unit that writes the row with this revision; null for a revision that is no placeholder. */
export function pendingPlan(revision: number): number | null {
  return revision < 0 ? -1 - revision : null;
}

/** The revision that a later plan of the unit must expect of a row with this revision. */
export function expectedRevision(revision: number): ExpectedRevision {
  const plan = pendingPlan(revision);
  return plan === null ? revision : { plan };
}

/** The revision that a compiled unit reports for a deleted row. */
export const DELETED = 0;

/**
 * A revision as a number, where a plan expects the one that an earlier plan of its unit assigns.
 *
 * @param revisions of the plans so far
 * @throws {Error} where a plan expects the revision of a later plan, or of one that deletes its row
 */
export function resolveRevision(expected: ExpectedRevision, revisions: readonly number[]): number {
  if (typeof expected === 'number') return expected;
  const revision = revisions[expected.plan];
  if (revision === undefined)
    throw new Error(`Plan ${expected.plan} must come before the plan that expects its revision`);
  if (revision === DELETED) throw new Error(`Plan ${expected.plan} deletes its row; no plan can expect its revision`);
  return revision;
}

/**
 * The revision of a row after its unit is committed.
 *
 * @param revisions those assigned to the plans of the unit, in order
 */
export function assignedRevision(revision: number, revisions: readonly number[]): number {
  const plan = pendingPlan(revision);
  return plan === null ? revision : (revisions[plan] ?? 0);
}
