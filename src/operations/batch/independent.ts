import { apiError, errorBody } from '../../conventions/errors.ts';
import { timestamp } from '../../conventions/text/timestamp.ts';
import { TimeSlices } from '../../platform/time-slices.ts';
import { withTimeout } from '../../platform/timeout.ts';
import type { Negotiated } from '../../pipeline/negotiate.ts';
import type { Received } from '../../pipeline/receive.ts';
import { errorHeaders, reportedError } from '../../pipeline/refuse.ts';
import { LATEST_START } from '../write/commits.ts';
import { commitOnce } from '../write/write-request.ts';
import type { BatchRecord, OperationResult } from './batch-record.ts';
import {
  type BatchRun,
  type BatchServices,
  checkResultSize,
  doneResult,
  idempotencyRecordsOf,
  readOperation,
  recordOf,
  sizeOf,
} from './batch-run.ts';

/** Share of the time of a batch after which none of its operations starts: those in progress, and the record, need the rest. */
const LATEST_OPERATION = 0.8;

/** An operation to be run, with what the operations before it left. */
interface OperationRun extends BatchRun {
  readonly received: Received;
  readonly index: number;
  /** The name of its own idempotency record; null where the batch has no key. */
  readonly name: string | null;
  /** Milliseconds since the epoch at which the batch began. */
  readonly since: number;
  /** Of the results so far. */
  readonly size: number;
}

/**
 * Each operation by itself: one that fails stops no other. Operations that cannot start in time are not made, and their results say so: what
 * was done is reported and stored before the time of the batch is over (ERR-7). Under a key, each is done once, also where the batch broke
 * off in the middle.
 */
export async function runIndependent(run: BatchRun, services: BatchServices): Promise<BatchRecord | 'recorded'> {
  const { request, batch, keyed, dry } = run;
  const since = services.sources.now();
  const results: OperationResult[] = [];
  const slices = new TimeSlices();
  let size = 0;
  for (const [index, received] of batch.operations.entries()) {
    await slices.next();
    const name = keyed === null ? null : `${keyed.name}:${index}`;
    const result = await resultOf({ ...run, received, index, name, since, size }, services);
    size += result.kind === 'done' ? sizeOf(result.result) : 0;
    results.push(result);
  }
  const record = recordOf(run, results, services);
  if (dry) return record;
  const unit = { plans: [], records: await idempotencyRecordsOf(record, run, services) };
  const outcome = await services.commits.commit(unit, { since: services.sources.now() });
  if (outcome.kind === 'recorded') return 'recorded';
  if (outcome.kind !== 'committed') throw apiError('SERVER_TIMEOUT', `The batch ${request.method} took too long.`);
  return record;
}

/** What becomes of an operation. Never rejects. */
async function resultOf(run: OperationRun, services: BatchServices): Promise<OperationResult> {
  const { request, since, size } = run;
  const { sources } = services;
  const { handlerTimeout } = request.contract.model.limits;
  const left = (share: number): number => since + handlerTimeout * share - sources.now();
  try {
    checkResultSize(size, request);
    if (left(LATEST_OPERATION) <= 0) throw notMade('The time of the batch was over before this operation started');
    const late = (): never => {
      throw notMade('The operation took too long, and with it the batch');
    };
    return await withTimeout(commitOperation(run, services), left(LATEST_START), late);
  } catch (failure) {
    return failedResult(failure, request, services);
  }
}

/** The result of an operation that failed by itself. */
export function failedResult(
  failure: unknown,
  { exchange: { correlationId } }: Pick<Negotiated, 'exchange'>,
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
  // The request has taken what one write takes.
  const quota = index === 0 ? null : run.request.quota;
  await quota?.take(1);
  const { operation, body } = await readOperation(received, run, services);
  const { result, replayed } = await commitOnce(
    name,
    operation,
    { body, dry, since, latest: LATEST_OPERATION },
    services,
  );
  // Otherwise a batch that is sent again would use up what its remaining operations need.
  if (replayed) quota?.giveBack();
  return { ...doneResult(operation, result), replayed };
}

function notMade(reason: string): Error {
  return apiError('SERVER_TIMEOUT', `${reason}; it was not made. Send it again.`);
}
