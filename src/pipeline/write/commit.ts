import type { IdempotencyRecord, Refusal, WriteOutcome, WriteUnit } from '../../plan/plan.ts';
import type { ParsedBody } from './parsed-body.ts';
import { withRevisions, type WriteResult } from './write-result.ts';
import type { Surroundings } from '../surroundings.ts';
import type { WriteOperation } from './write.ts';
import { writeRefusal } from './write-refusal.ts';

/** How often a write that lost a race to another process starts again before it gives up. */
export const MAX_ATTEMPTS = 16;

/** A write does not begin in the last tenth of its time: it could end after the caller was told that it timed out (ERR-7). */
export const LATEST_BEGIN = 0.9;

/** What a write is done with beside the operation. */
export interface CommitOptions {
  readonly body: ParsedBody | null;
  /** Checked whole, and not kept (MET-14). */
  readonly dry: boolean;
  /** Milliseconds since the epoch at which the time for it began. */
  readonly since: number;
  /** Share of the time after which it does not begin. Default: nine tenths. */
  readonly latest?: number;
  /** What is remembered of the effect together with it. */
  readonly memo: ((effect: WriteResult) => IdempotencyRecord) | null;
}

/** What became of a write: its effect, or that a memo of its name stands already. */
export type CommitOutcome = { readonly kind: 'done'; readonly effect: WriteResult } | { readonly kind: 'recorded' };

/**
 * Does one write by itself: works it out, has it written, and starts again where the rows changed meanwhile (steps 14 to 19). Writes to one
 * row take turns.
 *
 * @throws {ApiError} 400 to 503
 */
export function commitWrite(
  operation: WriteOperation,
  settling: CommitOptions,
  surroundings: Surroundings,
): Promise<CommitOutcome> {
  const { compiled, id } = operation;
  const run = (): Promise<CommitOutcome> => attempt(operation, settling, surroundings);
  return id === null ? run() : surroundings.turns.runExclusive(`${compiled.resource.name}\n${id}`, run);
}

async function attempt(
  operation: WriteOperation,
  settling: CommitOptions,
  surroundings: Surroundings,
): Promise<CommitOutcome> {
  const { body, dry, memo, since, latest } = settling;
  for (let attempts = 1; ; attempts++) {
    const { plans, result } = await operation.prepare(body, 0, surroundings);
    const memos = memo === null || dry ? [] : [memo(result)];
    if (plans.length + memos.length === 0) return { kind: 'done', effect: result };
    const outcome = await commitUnit({ plans, records: memos, dry }, since, surroundings, latest);
    if (outcome.kind === 'committed') return { kind: 'done', effect: withRevisions(result, outcome.revisions) };
    if (outcome.kind === 'recorded') return { kind: 'recorded' };
    if (!isRetryable(outcome, operation) || attempts === MAX_ATTEMPTS) {
      throw writeRefusal(outcome, operation.compiled.resource, surroundings);
    }
  }
}

/**
 * Hands a unit to the store, in time for the answer.
 *
 * @param since milliseconds since the epoch at which the time for it began
 * @param latest share of the time after which it does not begin
 */
export async function commitUnit(
  unit: WriteUnit,
  since: number,
  { store, compiled, committed }: Surroundings,
  latest: number = LATEST_BEGIN,
): Promise<WriteOutcome> {
  const outcome = await store.writes.commit(unit, since + compiled.model.limits.handlerTimeout * latest);
  if (outcome.kind === 'committed') committed();
  return outcome;
}

/** Whether a refusal says no more than that the rows are others by now. */
export function isRetryable({ kind }: Refusal, { request }: WriteOperation): boolean {
  if (kind === 'stale') return true;
  if (kind === 'exists') return request.method === 'PUT';
  return kind === 'dependents' && request.method === 'DELETE';
}
