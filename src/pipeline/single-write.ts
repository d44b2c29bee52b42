import { readBody } from './body.ts';
import { tellEffect } from './effect.ts';
import type { Answer } from './exchange.ts';
import { keyName } from './idempotency.ts';
import type { AskedWrite } from './operation.ts';
import { settleOnce } from './settle-once.ts';
import type { Surroundings } from './surroundings.ts';

const KEYED_METHODS: ReadonlySet<string> = new Set(['POST', 'PATCH']);

/** Answers a request that asks for one write: steps 13 to 19. */
export async function answerWrite({ operation, dry }: AskedWrite, surroundings: Surroundings): Promise<Answer> {
  const { request, compiled, takesBody } = operation;
  const keyed = KEYED_METHODS.has(request.method) && !dry;
  const key = keyed ? keyName(request, compiled.resource.idempotency === 'required', surroundings) : null;
  if (request.expectsContinue && !(await isAnswered(key, surroundings))) await operation.look(surroundings);
  const body = takesBody ? await readBody(request, compiled, surroundings.compiled.model.limits) : null;
  const settling = { body, dry, since: request.exchange.startedAt };
  const { outcome, replayed } = await settleOnce(key, operation, settling, surroundings);
  return tellEffect(outcome, request, { replayed, dry }, surroundings);
}

/** Whether a key has an answer already: then that is given, whatever became of the target since (step 13 before 14). */
async function isAnswered(key: string | null, { store, now }: Surroundings): Promise<boolean> {
  return key !== null && (await store.resources.remembered(key, now())) !== null;
}
