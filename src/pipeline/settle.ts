import type { Memo, Refusal, WriteOutcome, WriteUnit } from '../plan/plan.ts';
import type { Body } from './body.ts';
import { drawn, type Effect } from './effect.ts';
import type { Surroundings } from './surroundings.ts';
import type { Operation } from './write.ts';
import { writeRefusal } from './write-refusal.ts';

/** How often a write that lost a race to another process starts again before it gives up. */
export const MAX_ATTEMPTS = 16;

/** A write does not begin in the last tenth of its time: it could end after the caller was told that it timed out (ERR-7). */
export const LATEST_BEGIN = 0.9;

/** What a write is done with beside the operation. */
export interface Settling {
  readonly body: Body | null;
  /** Checked whole, and not kept (MET-14). */
  readonly dry: boolean;
  /** Milliseconds since the epoch at which the time for it began. */
  readonly since: number;
  /** Share of the time after which it does not begin. Default: nine tenths. */
  readonly latest?: number;
  /** What is remembered of the effect together with it. */
  readonly memo: ((effect: Effect) => Memo) | null;
}

/** What became of a write: its effect, or that a memo of its name stands already. */
export type Settled = { readonly kind: 'done'; readonly effect: Effect } | { readonly kind: 'remembered' };

/**
 * Does one write by itself: works it out, has it written, and starts again where the rows changed meanwhile (steps 14 to 19). Writes to one
 * row take turns.
 *
 * @throws {ApiError} 400 to 503
 */
export function settle(operation: Operation, settling: Settling, surroundings: Surroundings): Promise<Settled> {
  const { compiled, id } = operation;
  const run = (): Promise<Settled> => attempt(operation, settling, surroundings);
  return id === null ? run() : surroundings.turns.take(`${compiled.resource.name}\n${id}`, run);
}

async function attempt(operation: Operation, settling: Settling, surroundings: Surroundings): Promise<Settled> {
  const { body, dry, memo, since, latest } = settling;
  for (let attempts = 1; ; attempts++) {
    const { plans, effect } = await operation.prepare(body, 0, surroundings);
    const memos = memo === null || dry ? [] : [memo(effect)];
    if (plans.length + memos.length === 0) return { kind: 'done', effect };
    const outcome = await writeUnit({ plans, memos, dry }, since, surroundings, latest);
    if (outcome.kind === 'committed') return { kind: 'done', effect: drawn(effect, outcome.revisions) };
    if (outcome.kind === 'remembered') return { kind: 'remembered' };
    if (!mayWinNextTime(outcome, operation) || attempts === MAX_ATTEMPTS) {
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
export async function writeUnit(
  unit: WriteUnit,
  since: number,
  { store, compiled, committed }: Surroundings,
  latest: number = LATEST_BEGIN,
): Promise<WriteOutcome> {
  const outcome = await store.resources.write(unit, since + compiled.model.limits.handlerTimeout * latest);
  if (outcome.kind === 'committed') committed();
  return outcome;
}

/** Whether a refusal says no more than that the rows are others by now. */
export function mayWinNextTime({ kind }: Refusal, { request }: Operation): boolean {
  if (kind === 'stale') return true;
  if (kind === 'exists') return request.method === 'PUT';
  return kind === 'dependents' && request.method === 'DELETE';
}
