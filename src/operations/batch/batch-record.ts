import type { ErrorBody } from '../../conventions/errors.ts';
import type { Method } from '../../conventions/methods.ts';
import type { Preferences } from '../../conventions/headers/prefer.ts';
import type { CommittedUnit, StoredIdempotencyRecord } from '../../plan/write-unit.ts';
import { TimeSlices } from '../../platform/time-slices.ts';
import type { Principal } from '../principal.ts';
import { withRevisions, type WriteResult } from '../write/write-result.ts';

/** The result of one operation of a batch, as data. */
export type OperationResult =
  | {
      readonly kind: 'done';
      readonly method: Method;
      readonly preferences: Preferences;
      readonly replayed: boolean;
      readonly result: WriteResult;
    }
  | { readonly kind: 'failed'; readonly error: ErrorBody; readonly headers: Readonly<Record<string, string>> };

/**
 * The results of a batch: stored for a day by the *identity* of its caller, and represented for each request that reads
 * it (MET-13).
 */
export interface BatchRecord {
  readonly id: string;
  readonly atomic: boolean;
  /** RFC 3339. */
  readonly at: string;
  readonly results: readonly OperationResult[];
}

/**
 * A batch as it is stored. Each result is a JSON string of its own, so that a large batch is written and read in time
 * slices.
 */
export interface StoredBatchRecord extends Omit<BatchRecord, 'results'> {
  readonly results: readonly string[];
}

/** Writes the stored form of a batch. @param recorded makes the stored form of a result */
export async function storedBatch(
  { results, ...record }: BatchRecord,
  recorded: (result: OperationResult) => OperationResult,
): Promise<StoredBatchRecord> {
  const slices = new TimeSlices();
  const texts: string[] = [];
  for (const result of results) {
    await slices.next();
    texts.push(JSON.stringify(recorded(result)));
  }
  return { ...record, results: texts };
}

/** Writes the stored results of a batch in one go: the transaction of its rows waits for them. */
export function storedResults(
  { results }: BatchRecord,
  recorded: (result: OperationResult) => OperationResult,
): StoredBatchRecord['results'] {
  return results.map((each) => JSON.stringify(recorded(each)));
}

/** Reads the batch of a stored record. */
export async function recordedBatch({ outcome, revisions }: StoredIdempotencyRecord): Promise<BatchRecord> {
  const { results: texts, ...record }: StoredBatchRecord = JSON.parse(outcome);
  const slices = new TimeSlices();
  const results: OperationResult[] = [];
  for (const text of texts) {
    await slices.next();
    results.push(JSON.parse(text));
  }
  return batchWithRevisions({ ...record, results }, { revisions });
}

/**
 * Sets the revisions of the results after their unit was committed.
 *
 * @param committed the unit, with the revisions that were assigned to its plans
 */
export function batchWithRevisions(
  record: BatchRecord,
  committed: Pick<CommittedUnit, 'revisions' | 'rows'>,
): BatchRecord {
  const results = record.results.map((each) =>
    each.kind === 'done' ? { ...each, result: withRevisions(each.result, committed) } : each,
  );
  return { ...record, results };
}

/** Names the record of a batch, which belongs to its caller alone. */
export function batchName(id: string, { identity }: Pick<Principal, 'identity'>): string {
  return `batch:${identity}:${id}`;
}
