import { parseBody } from './parsed-body.ts';
import { writeResponse } from './write-result.ts';
import type { ApiResponse } from '../exchange.ts';
import { recordName } from './idempotency.ts';
import type { RequestedWrite } from './requested-write.ts';
import { commitOnce } from './commit-once.ts';
import type { Surroundings } from '../surroundings.ts';
import type { WriteOperation } from './write.ts';

const KEYED_METHODS: ReadonlySet<string> = new Set(['POST', 'PATCH']);

/** Answers a request that asks for one write: steps 13 to 19. */
export async function answerWrite(
  { operation, dry }: RequestedWrite,
  surroundings: Surroundings,
): Promise<ApiResponse> {
  const { request, compiled, takesBody } = operation;
  const keyed = KEYED_METHODS.has(request.method) && !dry;
  const key = keyed ? recordName(request, compiled.resource.idempotency === 'required', surroundings) : null;
  if (request.expectsContinue) await lookAhead(operation, key, surroundings);
  const body = takesBody ? await parseBody(request, compiled, surroundings.compiled.model.limits) : null;
  // The time that the client took to send the body is not the write's.
  const settling = { body, dry, since: surroundings.now() };
  const { outcome, replayed } = await commitOnce(key, operation, settling, surroundings);
  return writeResponse(outcome, request, { replayed, dry }, surroundings);
}

/**
 * Steps 14 to 16 for a caller that waits with its body, unless its key has an answer: then that is given, whatever became of the target since
 * (step 13 before 14).
 *
 * @throws {ApiError} 404, 412, 428
 */
async function lookAhead(operation: WriteOperation, key: string | null, surroundings: Surroundings): Promise<void> {
  const { store, now } = surroundings;
  try {
    await operation.precheck(surroundings);
  } catch (refused) {
    if (key === null || (await store.idempotencyRecords.find(key, now())) === null) throw refused;
  }
}
