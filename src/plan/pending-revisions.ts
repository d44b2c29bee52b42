import type { ExpectedRevision } from './plan.ts';

/**
 * The revision of a row that a plan of a unit writes, before the unit is committed and draws it: plan `n` stands as `-1 - n`. No row of a
 * store has a negative revision, so that nothing a caller sends can equal it.
 */
export function pendingRevision(plan: number): number {
  return -1 - plan;
}

/** What a later plan of the unit expects of a row with this revision. */
export function expectedRevision(revision: number): ExpectedRevision {
  return revision < 0 ? { plan: -1 - revision } : revision;
}

/** The revision of a row once its unit is committed. @param revisions those that the plans of the unit drew, in order */
export function assignedRevision(revision: number, revisions: readonly number[]): number {
  return revision < 0 ? (revisions[-1 - revision] ?? 0) : revision;
}
