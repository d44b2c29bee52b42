import type { ExpectedRevision } from '../plan.ts';

/**
 * The placeholder for the revision of a row that plan `n` of a unit writes, until the commit assigns one: `-1 - n`.
 * Stored revisions are never negative, so no value that a client sends can equal it.
 */
export function pendingRevision(plan: number): number {
  return -1 - plan;
}

/** The revision that a later plan of the unit must expect of a row with this revision. */
export function expectedRevision(revision: number): ExpectedRevision {
  return revision < 0 ? { plan: -1 - revision } : revision;
}

/**
 * The revision of a row after its unit is committed.
 *
 * @param revisions those assigned to the plans of the unit, in order
 */
export function assignedRevision(revision: number, revisions: readonly number[]): number {
  return revision < 0 ? (revisions[-1 - revision] ?? 0) : revision;
}
