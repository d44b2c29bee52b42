import type { JsonObject } from '../../conventions/json/json.ts';
import type { Resource } from '../../model/model.ts';
import type { Ancestor, Row } from '../../plan/plan.ts';
import { type CommittedUnit, NO_ROWS, type WrittenRows } from '../../plan/write-unit.ts';
import { assignedRevision, pendingPlan } from '../../plan/write/pending-revisions.ts';

/**
 * The effect of a write on its row, as data in stored form. The response is made from it, now or when an idempotency
 * key is sent again (MET-12). It holds neither permission nor contract, so that a replay is represented for the request
 * that receives it.
 */
export interface WriteResult {
  readonly kind: 'created' | 'changed' | 'removed';
  /** Name of the resource. */
  readonly resource: string;
  readonly within: readonly Ancestor[];
  /** The row after the write, or before its removal. Its revision may be pending. */
  readonly row: Row;
  /** The scope that its change of state required; a replay requires it too (MET-12). */
  readonly scope?: string;
  /** The secrets that the response to this request alone shows: they are in no record. */
  readonly shown?: JsonObject;
}

/** Removes secrets that are shown once and write-only values, which no response has, from a result. */
export function recordableResult({ shown: _shown, row, ...result }: WriteResult, { fields }: Resource): WriteResult {
  const hidden = fields.filter(({ writeOnly }) => writeOnly).map(({ name }) => name);
  if (hidden.length === 0) return { ...result, row };
  const { id, created_at, updated_at, revision } = row;
  const shown = Object.fromEntries(Object.entries(row).filter(([name]) => !hidden.includes(name)));
  return { ...result, row: { ...shown, id, created_at, updated_at, revision } };
}

/** Completes a result with the row as the database has completed it: a table of another program has its own rules. */
export function withWrittenRow(result: WriteResult, rows: WrittenRows): WriteResult {
  const plan = pendingPlan(result.row.revision);
  const row = plan === null ? undefined : rows.get(plan);
  return row === undefined ? result : { ...result, row };
}

/**
 * Sets the revision of a result after its unit was committed.
 *
 * @param revisions assigned to the plans of the unit, in order
 */
export function withRevisions(
  result: WriteResult,
  { revisions, rows = NO_ROWS }: Pick<CommittedUnit, 'revisions' | 'rows'>,
): WriteResult {
  const completed = withWrittenRow(result, rows);
  const { row } = completed;
  return { ...completed, row: { ...row, revision: assignedRevision(row.revision, revisions) } };
}
