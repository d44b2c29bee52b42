import { errorBody, refusal } from '../conventions/errors.ts';
import { timestamp } from '../conventions/timestamp.ts';
import type { BatchOperation } from './batch-body.ts';
import type { BatchRecord, OperationResult } from './batch-record.ts';
import { type BatchRun, admitResults, doneResult, memosOf, readOperation, recordOf, sizeOf } from './batch-run.ts';
import { asApiError } from './refuse.ts';
import { writeUnit } from './settle.ts';
import { settleOnce } from './settle-once.ts';
import type { Surroundings } from './surroundings.ts';

/** Each operation by itself: one that fails stops no other. Under a key, each is done once, also where the batch broke off in the middle. */
export async function runEach(run: BatchRun, surroundings: Surroundings): Promise<BatchRecord | 'remembered'> {
  const { request, batch, asked, dry } = run;
  const results: OperationResult[] = [];
  let held = 0;
  for (const [index, each] of batch.operations.entries()) {
    const key = asked === null ? null : `${asked.name}:${index}`;
    const result = await runOne(each, key, held, run, surroundings);
    held += result.kind === 'done' ? sizeOf(result.effect) : 0;
    results.push(result);
  }
  const record = recordOf(run, results, surroundings);
  if (dry) return record;
  const unit = { plans: [], memos: memosOf(record, run, surroundings) };
  const outcome = await writeUnit(unit, surroundings.now(), surroundings);
  if (outcome.kind === 'remembered') return 'remembered';
  if (outcome.kind !== 'committed') throw refusal('SERVER_TIMEOUT', `The batch ${request.method} took too long.`);
  return record;
}

async function runOne(
  asked: BatchOperation,
  key: string | null,
  held: number,
  run: BatchRun,
  surroundings: Surroundings,
): Promise<OperationResult> {
  const { correlationId } = run.request.exchange;
  try {
    admitResults(held, surroundings);
    const { operation, body } = await readOperation(asked, run, surroundings);
    const settling = { body, dry: run.dry, since: surroundings.now() };
    const { outcome, replayed } = await settleOnce(key, operation, settling, surroundings);
    return { ...doneResult(operation, outcome), replayed };
  } catch (failure) {
    const error = asApiError(failure);
    if (error.status === 500) surroundings.observe({ kind: 'fault', correlationId, error: failure });
    const body = errorBody(error, correlationId, timestamp(surroundings.now()));
    return { kind: 'failed', error: body, headers: error.headers };
  }
}
