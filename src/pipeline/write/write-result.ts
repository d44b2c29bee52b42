import { assignedRevision } from '../../plan/pending-revisions.ts';
import type { Ancestor, Row } from '../../plan/plan.ts';

/**
 * What a write did to its row, as data in stored form: the response is made of it, now or when an idempotency key is sent again (MET-12). It
 * holds neither permission nor contract, so that a replay is represented for the request that asks.
 */
export interface WriteResult {
  readonly kind: 'created' | 'changed' | 'removed';
  /** Name of the resource. */
  readonly resource: string;
  readonly within: readonly Ancestor[];
  /** The row after the write, or before its removal. Its revision may be pending. */
  readonly row: Row;
}

/** A result after its unit was committed. @param revisions assigned to the plans of the unit, in order */
export function withRevisions(result: WriteResult, revisions: readonly number[]): WriteResult {
  const { row } = result;
  return { ...result, row: { ...row, revision: assignedRevision(row.revision, revisions) } };
}
