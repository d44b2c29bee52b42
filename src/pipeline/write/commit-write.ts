import type { IdempotencyRecord, Refusal } from '../../plan/plan.ts';
import { rowKey } from '../../plan/row-address.ts';
import type { Services, WriteServices } from '../services.ts';
import type { CommitTiming } from './commits.ts';
import type { ParsedBody } from './parsed-body.ts';
import type { WriteOperation } from './write.ts';
import { writeRefusal } from './write-refusal.ts';
import { withRevisions, type WriteResult } from './write-result.ts';

/** How often a write that lost a race to another process starts again before it gives up. */
export const MAX_ATTEMPTS = 16;

/** What a write is committed with, besides the operation. */
export interface CommitOptions extends CommitTiming {
  readonly body: ParsedBody | null;
  /** Checked completely, and not stored (MET-14). */
  readonly dry: boolean;
  /** Makes the idempotency record that is stored with the write. */
  readonly record: ((result: WriteResult) => IdempotencyRecord) | null;
}

/** What became of a write: its result, or that a record of its name exists already. */
export type CommitOutcome = { readonly kind: 'done'; readonly result: WriteResult } | { readonly kind: 'recorded' };

/**
 * Commits one write: prepares it, writes it, and starts again where its rows have changed meanwhile (steps 14 to 18).
 *
 * @throws {ApiError} 400 to 503
 */
export function commitWrite(
  operation: WriteOperation,
  options: CommitOptions,
  services: WriteServices & Pick<Services, 'commits'>,
): Promise<CommitOutcome> {
  const { compiled, within, id } = operation;
  const run = (): Promise<CommitOutcome> => attempt(operation, options, services);
  return id === null ? run() : services.commits.runExclusive(rowKey(compiled.resource, { id, within }), run);
}

async function attempt(
  operation: WriteOperation,
  options: CommitOptions,
  services: WriteServices & Pick<Services, 'commits'>,
): Promise<CommitOutcome> {
  const { body, dry, record } = options;
  for (let attempts = 1; ; attempts++) {
    const { plans, result } = await operation.prepare(body, 0, services);
    const records = record === null || dry ? [] : [record(result)];
    if (plans.length + records.length === 0) return { kind: 'done', result };
    const outcome = await services.commits.commit({ plans, records, dry }, options);
    if (outcome.kind === 'committed') return { kind: 'done', result: withRevisions(result, outcome.revisions) };
    if (outcome.kind === 'recorded') return { kind: 'recorded' };
    if (!isRetryable(outcome, operation) || attempts === MAX_ATTEMPTS) throw writeRefusal(outcome, operation);
  }
}

/** Whether a refusal says only that the rows have changed. */
export function isRetryable({ kind }: Refusal, { request }: WriteOperation): boolean {
  if (kind === 'stale') return true;
  if (kind === 'exists') return request.method === 'PUT';
  return kind === 'dependents' && request.method === 'DELETE';
}
