import { apiError, errorBody } from '../../conventions/errors.ts';
import { timestamp } from '../../conventions/text/timestamp.ts';
import { TimeSlices } from '../../platform/time-slices.ts';
import { withTimeout } from '../../platform/timeout.ts';
import type { CallTrace } from '../caller.ts';
import { errorHeaders, reportedError } from '../reported-error.ts';
import { LATEST_START } from '../write/commits.ts';
import { commitOnce } from '../write/write-request.ts';
import type { ReceivedOperation } from './batch-body.ts';
import type { BatchRecord, OperationResult } from './batch-record.ts';
import {
  type BatchRun,
  type BatchServices,
  checkResultSize,
  doneResult,
  batchRecord,
  idempotencyRecords,
  readOperation,
  resultSize,
} from './batch-run.ts';

/** Share of the time of a batch after which no operation starts. Those in progress and the record need the rest. */
const LATEST_OPERATION = 0.8;

/** An operation to be run, with the time and size that the previous ones left. */
interface OperationRun extends BatchRun {
  readonly received: ReceivedOperation;
  readonly index: number;
  /** The name of its own idempotency record; null if the batch has no key. */
  readonly name: string | null;
  /** Milliseconds since the epoch at which the batch began. */
  readonly since: number;
  /** The size of the results so far. */
  readonly size: number;
}

/**
 * Runs each operation by itself: a failed one stops no other. Operations that cannot start in time are skipped, and
 * their results say so. The others are reported and stored before the time of the batch is over (ERR-7). Under an
 * idempotency key, each is done once, even if the batch was interrupted.
 */
export async function runIndependent(run: BatchRun, services: BatchServices): Promise<BatchRecord | 'recorded'> {
  const { batch, keyed, dry } = run;
  const since = services.sources.now();
  const results: OperationResult[] = [];
  const slices = new TimeSlices();
  let size = 0;
  for (const [index, received] of batch.operations.entries()) {
    await slices.next();
    const name = keyed === null ? null : `${keyed.name}:${index}`;
    const result = await runOperation({ ...run, received, index, name, since, size }, services);
    size += result.kind === 'done' ? resultSize(result.result) : 0;
    results.push(result);
  }
  const record = batchRecord(run, results, services);
  if (dry) return record;
  const unit = { plans: [], records: await idempotencyRecords(record, run, services) };
  const outcome = await services.commits.commit(unit, { since: services.sources.now() });
  if (outcome.kind === 'recorded') return 'recorded';
  if (outcome.kind !== 'committed') throw apiError('SERVER_TIMEOUT', 'The batch POST took too long.');
  return record;
}

/** Runs an operation, and returns its result or its error. Never rejects. */
async function runOperation(run: OperationRun, services: BatchServices): Promise<OperationResult> {
  const { caller, since, size } = run;
  const { sources } = services;
  const { handlerTimeout } = caller.contract.model.limits;
  const left = (share: number): number => since + handlerTimeout * share - sources.now();
  try {
    checkResultSize(size, caller);
    if (left(LATEST_OPERATION) <= 0) throw notMade('The time of the batch was over before this operation started');
    const late = (): never => {
      throw notMade('The operation took too long, and with it the batch');
    };
    return await withTimeout(commitOperation(run, services), left(LATEST_START), late);
  } catch (failure) {
    return failedResult(failure, caller.trace, services);
  }
}

/** Makes the result of an operation that failed by itself. */
export function failedResult(
  failure: unknown,
  { correlationId }: Pick<CallTrace, 'correlationId'>,
  { observe, sources }: Pick<BatchServices, 'observe' | 'sources'>,
): OperationResult {
  const error = reportedError(failure, correlationId, observe);
  return {
    kind: 'failed',
    error: errorBody(error, correlationId, timestamp(sources.now())),
    headers: errorHeaders(error),
  };
}

/** @throws {ApiError} as the operation would be refused alone */
async function commitOperation(run: OperationRun, services: BatchServices): Promise<OperationResult> {
  const { received, index, name, dry, since } = run;
  // The request has taken the cost of one write.
  const quota = index === 0 ? null : run.caller.quota;
  await quota?.take(1);
  const { write, body } = await readOperation(received, run);
  const { result, replayed } = await commitOnce(name, write, { body, dry, since, latest: LATEST_OPERATION }, services);
  // Otherwise a batch that is sent again would use up the quota of its remaining operations.
  if (replayed) quota?.giveBack();
  return { ...doneResult(write, result), replayed };
}

function notMade(reason: string): Error {
  return apiError('SERVER_TIMEOUT', `${reason}; it was not made. Send it again.`);
}
