import { errorBody, apiError } from '../../conventions/errors.ts';
import { timestamp } from '../../conventions/timestamp.ts';
import { withTimeout } from '../../platform/timeout.ts';
import type { BatchOperation } from './batch-body.ts';
import type { BatchRecord, OperationResult } from './batch-record.ts';
import { admitResults, type BatchRun, doneResult, memosOf, readOperation, recordOf, sizeOf } from './batch-run.ts';
import { errorHeaders, reportedError } from '../refuse.ts';
import { LATEST_BEGIN, commitUnit } from '../write/commit.ts';
import { commitOnce } from '../write/commit-once.ts';
import type { Surroundings } from '../surroundings.ts';

/** Share of the time of a batch after which none of its operations begins: those under way, and the record, need the rest. */
const LATEST_OPERATION = 0.8;

/** A batch whose operations have one time together. */
interface TimedRun extends BatchRun {
  /** Milliseconds since the epoch at which it began. */
  readonly since: number;
}

/**
 * Each operation by itself: one that fails stops no other. Those that cannot begin in time are not made, and their results say so: what was
 * done is told and kept before the time of the batch is over (ERR-7). Under a key, each is done once, also where the batch broke off in the
 * middle.
 */
export async function runEach(run: BatchRun, surroundings: Surroundings): Promise<BatchRecord | 'recorded'> {
  const { request, batch, asked, dry } = run;
  const timed = { ...run, since: surroundings.now() };
  const results: OperationResult[] = [];
  let held = 0;
  for (const [index, each] of batch.operations.entries()) {
    const key = asked === null ? null : `${asked.name}:${index}`;
    const result = await resultOf(each, key, held, timed, surroundings);
    held += result.kind === 'done' ? sizeOf(result.effect) : 0;
    results.push(result);
  }
  const record = recordOf(run, results, surroundings);
  if (dry) return record;
  const unit = { plans: [], records: memosOf(record, run, surroundings) };
  const outcome = await commitUnit(unit, surroundings.now(), surroundings);
  if (outcome.kind === 'recorded') return 'recorded';
  if (outcome.kind !== 'committed') throw apiError('SERVER_TIMEOUT', `The batch ${request.method} took too long.`);
  return record;
}

/** What becomes of an operation. @param held how much the results before it hold */
async function resultOf(
  asked: BatchOperation,
  key: string | null,
  held: number,
  run: TimedRun,
  surroundings: Surroundings,
): Promise<OperationResult> {
  const { compiled, now, observe } = surroundings;
  const { correlationId } = run.request.exchange;
  const left = (share: number): number => run.since + compiled.model.limits.handlerTimeout * share - now();
  try {
    admitResults(held, surroundings);
    if (left(LATEST_OPERATION) <= 0) throw notMade('The time of the batch was over before this operation began');
    const late = (): never => {
      throw notMade('The operation took too long, and with it the batch');
    };
    return await withTimeout(make(asked, key, run, surroundings), left(LATEST_BEGIN), late);
  } catch (failure) {
    const error = reportedError(failure, correlationId, observe);
    return {
      kind: 'failed',
      error: errorBody(error, correlationId, timestamp(now())),
      headers: errorHeaders(error),
    };
  }
}

/** @throws {ApiError} what the operation would get alone */
async function make(
  asked: BatchOperation,
  key: string | null,
  run: TimedRun,
  surroundings: Surroundings,
): Promise<OperationResult> {
  const { operation, body } = await readOperation(asked, run, surroundings);
  const settling = { body, dry: run.dry, since: run.since, latest: LATEST_OPERATION };
  const { outcome, replayed } = await commitOnce(key, operation, settling, surroundings);
  return { ...doneResult(operation, outcome), replayed };
}

function notMade(reason: string): Error {
  return apiError('SERVER_TIMEOUT', `${reason}; it was not made. Send it again.`);
}
